import type { GazeOffset } from '../../shared/gaze-offsets.ts'
import type { Fault } from './errors.ts'
import { type ChosenEye, EYES } from './eye-columns.ts'
import { ANALYSIS_REFERENCE, type NamedAnalysis, withAnalysis } from './study-analysis.ts'

/**
 * Common parameters of every export, with the ranges and defaults of docs/http.md, "Requests". HTTP, command line,
 * OpenAPI and the README's table are generated from this list. `unit` is the unit of the value.
 */
export type ParameterName = NumberName | 'itemId' | 'detector' | 'eye' | 'filter' | 'analysis' | 'fromMs' | 'toMs'

/** Detectors of fixations (docs/detectors.md). */
export const DETECTORS = ['velocity', 'dispersion', 'adaptive', 'i2mc'] as const
export type Detector = (typeof DETECTORS)[number]
export const DETECTOR_MEANING =
  'Algorithm that detects fixations: a velocity threshold, dispersion, a velocity threshold that follows the noise, or 2-means clustering'

export const FILTER_MEANING = 'Only tests for which this condition is true, such as `participant_age < 30`'

export const ANALYSIS_MEANING =
  'An analysis of the study, by `name` or `name@version`: its settings apply unless the request gives its own, its filter applies in addition, its ignored participants are left out, and its offsets move gaze'

/** Start and end of the time window; unlimited if absent. */
export const WINDOW_PARAMETERS = {
  fromMs: 'Measures of AOIs, and charts: only fixations that begin at this time from item onset, or later',
  toMs: 'Measures of AOIs, and charts: only fixations that begin before this time from item onset',
}
export const WINDOW_MAX_MS = 999_999_999

type NumberName = keyof typeof NUMBER_PARAMETERS

/**
 * Validated values. `itemId` is a lower-case UUID, or null for all items; `filter` is trimmed, null for none, and must
 * still be checked against its study. The settings of an analysis are already among the others; `analysis` has its name
 * with version, the ids (lower-case UUIDs) that it ignores, and the offsets.
 */
export type Parameters = {
  itemId: string | null
  detector: Detector
  /** Absent if the gaze is as recorded. */
  eye?: ChosenEye
  filter: string | null
  analysis?: string
  ignored?: string[]
  offsets?: GazeOffset[]
  fromMs?: number
  toMs?: number
} & Record<NumberName, number>

export type NumberParameter = {
  kind: 'int' | 'float'
  unit: string
  default: number
  min: number
  max: number
  meaning: string
}

export const NUMBER_PARAMETERS = {
  movingMedianRangeMs: {
    kind: 'int',
    unit: 'ms',
    default: 200,
    min: 20,
    max: 1000,
    meaning: 'Width of the moving median that denoises gaze',
  },
  gazeVelocityThreshold: {
    kind: 'float',
    unit: '% of the displayed item per second',
    default: 150,
    min: 1,
    max: 400,
    meaning: 'Gaze slower than this belongs to a fixation',
  },
  dispersionThresholdPercent: {
    kind: 'float',
    unit: '% of the displayed item',
    default: 3,
    min: 0.5,
    max: 50,
    meaning: 'Detector `dispersion`: gaze that stays within this width plus height belongs to a fixation',
  },
  adaptiveLambda: {
    kind: 'float',
    unit: '',
    default: 6,
    min: 1,
    max: 30,
    meaning: 'Detector `adaptive`: gaze faster than this many times the noise of the test belongs to a saccade',
  },
  i2mcGapMs: {
    kind: 'int',
    unit: 'ms',
    default: 100,
    min: 0,
    max: 200,
    meaning: 'Detector `i2mc`: longest loss of gaze that is interpolated',
  },
  i2mcWindowMs: {
    kind: 'int',
    unit: 'ms',
    default: 200,
    min: 100,
    max: 1000,
    meaning: 'Detector `i2mc`: width of the moving window that is clustered',
  },
  i2mcStepMs: {
    kind: 'int',
    unit: 'ms',
    default: 20,
    min: 1,
    max: 100,
    meaning: 'Detector `i2mc`: step from one window to the next',
  },
  i2mcCutoffSd: {
    kind: 'float',
    unit: 'SD',
    default: 2,
    min: 0,
    max: 10,
    meaning: 'Detector `i2mc`: weights below the mean plus this many standard deviations belong to a fixation',
  },
  i2mcEdgeMad: {
    kind: 'float',
    unit: 'MAD',
    default: 3,
    min: 1,
    max: 20,
    meaning: 'Detector `i2mc`: a fixation begins and ends within this many median distances of its median position',
  },
  i2mcSeed: {
    kind: 'int',
    unit: '',
    default: 1,
    min: 0,
    max: 999_999_999,
    meaning: 'Detector `i2mc`: seed of the random starts of its clustering',
  },
  minFixationDurationMs: {
    kind: 'int',
    unit: 'ms',
    default: 80,
    min: 60,
    max: 1000,
    meaning: 'Fixations shorter than this are dropped; at most maxFixationDurationMs',
  },
  maxFixationDurationMs: {
    kind: 'int',
    unit: 'ms',
    default: 400,
    min: 60,
    max: 1000,
    meaning: 'Fixations longer than this are cut into pieces; at least minFixationDurationMs',
  },
  saccadeMaxDurationMs: {
    kind: 'int',
    unit: 'ms',
    default: 150,
    min: 20,
    max: 300,
    meaning: 'A pause between fixations longer than this is not a saccade',
  },
  mergeGapMs: {
    kind: 'int',
    unit: 'ms',
    default: 0,
    min: 0,
    max: 500,
    meaning:
      'Fixations less than this apart in time are merged if they are also close in space. 0 merges none, except with detector `i2mc`, where it means 30 ms, as published',
  },
  mergeDistancePercent: {
    kind: 'float',
    unit: '% of the width of the displayed item',
    default: 1.5625,
    min: 0,
    max: 50,
    meaning: 'Largest distance between fixations that are merged, exclusive',
  },
  binMs: {
    kind: 'int',
    unit: 'ms',
    default: 100,
    min: 10,
    max: 10_000,
    meaning: 'Width of a time bin of `gazes-aois-binned`',
  },
  pupilMinMm: {
    kind: 'float',
    unit: 'mm',
    default: 1.5,
    min: 0,
    max: 3,
    meaning: 'Pupil sizes in mm below this are removed',
  },
  pupilMaxMm: {
    kind: 'float',
    unit: 'mm',
    default: 9,
    min: 4,
    max: 20,
    meaning: 'Pupil sizes in mm above this are removed',
  },
  blinkMinMs: {
    kind: 'int',
    unit: 'ms',
    default: 75,
    min: 20,
    max: 200,
    meaning: 'Gaps between pupil sizes that are at least this long may be blinks',
  },
  blinkMaxMs: {
    kind: 'int',
    unit: 'ms',
    default: 500,
    min: 200,
    max: 3000,
    meaning: 'Blinks longer than this count as data loss',
  },
  pupilSpeedMad: {
    kind: 'float',
    unit: 'MAD',
    default: 16,
    min: 0,
    max: 100,
    meaning:
      'Pupil sizes that change faster than the median speed plus this many median absolute deviations are removed; 0 removes none',
  },
  pupilPadMs: {
    kind: 'int',
    unit: 'ms',
    default: 50,
    min: 0,
    max: 500,
    meaning: 'Pupil sizes closer to a gap than this are removed',
  },
  pupilIslandMs: {
    kind: 'int',
    unit: 'ms',
    default: 50,
    min: 0,
    max: 1000,
    meaning: 'Runs of pupil sizes between gaps that are shorter than this are removed',
  },
  pupilGapMs: {
    kind: 'int',
    unit: 'ms',
    default: 250,
    min: 0,
    max: 5000,
    meaning: 'Longest gap between pupil sizes that is interpolated',
  },
  pupilSmoothingMs: {
    kind: 'int',
    unit: 'ms',
    default: 50,
    min: 0,
    max: 1000,
    meaning: 'Width of the moving mean that smooths pupil sizes; 0 does not smooth',
  },
  pupilBaselineFromMs: {
    kind: 'int',
    unit: 'ms',
    default: 0,
    min: -60_000,
    max: 600_000,
    meaning: 'Start of the window of the pupil baseline, from item onset; at most pupilBaselineToMs',
  },
  pupilBaselineToMs: {
    kind: 'int',
    unit: 'ms',
    default: 50,
    min: -60_000,
    max: 600_000,
    meaning: 'End of the window of the pupil baseline, exclusive',
  },
  pupilFromMs: {
    kind: 'int',
    unit: 'ms',
    default: -500,
    min: -60_000,
    max: 600_000,
    meaning: 'Pupil averages: start, from item onset or the event; less than pupilToMs',
  },
  pupilToMs: {
    kind: 'int',
    unit: 'ms',
    default: 5000,
    min: -60_000,
    max: 600_000,
    meaning: 'Pupil averages: end, exclusive',
  },
  pupilBinMs: {
    kind: 'int',
    unit: 'ms',
    default: 50,
    min: 5,
    max: 10_000,
    meaning: 'Pupil averages: width of a time bin',
  },
  participantQualityGradeItemMin: {
    kind: 'int',
    unit: 'grade',
    default: 1,
    min: 1,
    max: 6,
    meaning: 'Only tests whose quality grade is at least this, 1 (Very Low) to 6 (Perfect)',
  },
} satisfies Record<string, NumberParameter>

/** The names of all parameters, in the order of docs, notes and schemas. */
export const PARAMETER_NAMES: ParameterName[] = [
  'itemId',
  'detector',
  'eye',
  ...(Object.keys(NUMBER_PARAMETERS) as NumberName[]),
  'fromMs',
  'toMs',
  'filter',
  'analysis',
]

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const GRAMMAR = { int: /^\d{1,9}$/, signed: /^-?\d{1,9}$/, float: /^\d{1,9}(\.\d{1,9})?$/ }

export function defaultParameters(): Parameters {
  const numbers = Object.entries(NUMBER_PARAMETERS).map(([name, { default: value }]) => [name, value])
  return { itemId: null, detector: 'velocity', filter: null, ...Object.fromEntries(numbers) } as Parameters
}

/**
 * Validates raw parameters: name to all values given under it. It never clamps or ignores a value; it returns all
 * faults at once, with null parameters.
 *
 * @param given every name and its values, in order; names in `alsoAllowed` are left to the caller
 *
 * @param alsoAllowed further names that this path accepts (`variant`, `studyId`), only for the check of unknown names
 *
 * @param named analysis that `analysis` names; null if there is none
 */
export function checkParameters(
  given: Map<string, string[]>,
  alsoAllowed: string[] = [],
  named: NamedAnalysis | null = null,
): { parameters: Parameters | null; faults: Fault[] } {
  const faults: Fault[] = []
  const parameters = defaultParameters()
  const known = [...PARAMETER_NAMES, ...alsoAllowed]
  for (const [name, values] of named === null ? given : withAnalysis(given, named.analysis)) {
    const value = values[0] ?? ''
    if (!known.includes(name)) {
      faults.push({
        parameter: name,
        rule: 'is not a parameter of this export',
        value: values.join(','),
        ...nearest(name, known),
      })
    } else if (values.length > 1) {
      faults.push({ parameter: name, rule: 'must be given once', value: values.join(',') })
    } else if (name === 'itemId') {
      if (['', 'NULL', 'null'].includes(value)) parameters.itemId = null
      else if (UUID.test(value)) parameters.itemId = value.toLowerCase()
      else faults.push({ parameter: name, rule: 'must be a UUID, or empty, NULL or null for all items', value })
    } else if (name === 'detector') {
      if ((DETECTORS as readonly string[]).includes(value)) parameters.detector = value as Detector
      else
        faults.push({
          parameter: name,
          rule: `must be one of ${DETECTORS.join(', ')}`,
          value,
          ...nearest(value, DETECTORS),
        })
    } else if (name === 'eye') {
      const eye = EYES.find((one) => one === value)
      if (eye === undefined)
        faults.push({ parameter: name, rule: `must be one of ${EYES.join(', ')}`, value, ...nearest(value, EYES) })
      else if (eye !== 'recorded') parameters.eye = eye
    } else if (name === 'filter') {
      parameters.filter = trimFilter(value)
    } else if (name === 'fromMs' || name === 'toMs') {
      if (GRAMMAR.int.test(value)) parameters[name] = Number(value)
      else faults.push({ parameter: name, rule: `must be a whole number from 0 to ${WINDOW_MAX_MS}`, value })
    } else if (name === 'analysis') {
      const rule = ANALYSIS_REFERENCE.test(value)
        ? 'must be an analysis of the study'
        : 'must be a name or name@version'
      if (named === null && value !== '') faults.push({ parameter: name, rule, value })
      else if (named !== null) Object.assign(parameters, ofAnalysis(named))
    } else if (name in NUMBER_PARAMETERS) {
      const { kind, min, max } = NUMBER_PARAMETERS[name as NumberName]
      const number = GRAMMAR[min < 0 ? 'signed' : kind].test(value) ? Number(value) : Number.NaN
      if (number >= min && number <= max) parameters[name as NumberName] = number
      else
        faults.push({
          parameter: name,
          rule: `must be ${kind === 'int' ? 'a whole number' : 'a number'} from ${min} to ${max}`,
          value,
        })
    }
  }
  const { minFixationDurationMs, maxFixationDurationMs } = parameters
  const both = faults.some(
    ({ parameter }) => parameter === 'minFixationDurationMs' || parameter === 'maxFixationDurationMs',
  )
  if (!both && minFixationDurationMs > maxFixationDurationMs) faults.push(crossedDurations(parameters, given))
  const { pupilBaselineFromMs: from, pupilBaselineToMs: to } = parameters
  if (from > to) {
    const [name, rule, value] = given.has('pupilBaselineFromMs')
      ? ['pupilBaselineFromMs', `at most pupilBaselineToMs, which is ${to}`, from]
      : ['pupilBaselineToMs', `at least pupilBaselineFromMs, which is ${from}`, to]
    faults.push({ parameter: name, rule: `must be ${rule}`, value: String(value) })
  }
  const { pupilFromMs, pupilToMs } = parameters
  if (pupilFromMs >= pupilToMs) {
    const [name, rule, value] = given.has('pupilFromMs')
      ? ['pupilFromMs', `less than pupilToMs, which is ${pupilToMs}`, pupilFromMs]
      : ['pupilToMs', `more than pupilFromMs, which is ${pupilFromMs}`, pupilToMs]
    faults.push({ parameter: name, rule: `must be ${rule}`, value: String(value) })
  }
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = parameters
  if (fromMs >= toMs) {
    const [name, rule] = given.has('fromMs')
      ? ['fromMs', `less than toMs, which is ${toMs}`]
      : ['toMs', `more than ${fromMs}`]
    faults.push({ parameter: name, rule: `must be ${rule}`, value: String(name === 'fromMs' ? fromMs : toMs) })
  }
  return faults.length > 0 ? { parameters: null, faults } : { parameters, faults }
}

function ofAnalysis({ reference, analysis: { ignored = [], offsets = [] } }: NamedAnalysis): Partial<Parameters> {
  return {
    analysis: reference,
    ...(ignored.length > 0 ? { ignored: ignored.map(({ participantId }) => participantId) } : {}),
    ...(offsets.length > 0 ? { offsets } : {}),
  }
}

/** Trims a filter; null if it is empty. */
export function trimFilter(given: string): string | null {
  return given.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '') || null
}

/**
 * Returns the fault of a minimum above its maximum, at the parameter that was given: a client that sets only the
 * maximum may not know that the minimum has a default.
 */
function crossedDurations(parameters: Parameters, given: Map<string, string[]>): Fault {
  const { minFixationDurationMs: min, maxFixationDurationMs: max } = parameters
  const byDefault = (name: string) => (given.has(name) ? '' : ' by default')
  if (!given.has('minFixationDurationMs')) {
    const rule = `must be at least minFixationDurationMs, which is ${min} by default`
    return { parameter: 'maxFixationDurationMs', rule, value: String(max) }
  }
  const rule = `must be at most maxFixationDurationMs, which is ${max}${byDefault('maxFixationDurationMs')}`
  return { parameter: 'minFixationDurationMs', rule, value: String(min) }
}

/** Returns the known name with the smallest edit distance, if that is at most a third of its letters. */
export function nearest(name: string, known: readonly string[]): { nearest?: string } {
  const mostOf = (candidate: string) => Math.max(2, candidate.length / 3)
  const ranked = known
    // The edit distance is at least the difference in length.
    .filter((candidate) => Math.abs(candidate.length - name.length) <= mostOf(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= mostOf(best.candidate) ? { nearest: best.candidate } : {}
}

/**
 * Returns the Levenshtein distance, computed with two rows. Names longer than 64 letters are compared by their first
 * 64.
 */
function editDistance(a: string, b: string): number {
  a = a.slice(0, 64)
  b = b.slice(0, 64)
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    previous = row
  }
  return previous[b.length]
}
