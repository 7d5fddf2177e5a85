import { DETECTOR_NAMES, type DetectorName } from '../../isomorphic/detector-settings.ts'
import type { GazeOffset } from '../../isomorphic/gaze-offsets.ts'
import { PRESET_NAMES } from '../../isomorphic/presets.ts'
import { type ChosenEye, EYES } from './eye-columns.ts'

/**
 * Common parameters of every export, with the ranges and defaults of docs/http.md, "Requests". HTTP, command line,
 * OpenAPI and the table in docs/reference.md are generated from this list. `unit` is the unit of the value.
 */
export type ParameterName =
  | NumberName
  | 'itemId'
  | 'preset'
  | 'detector'
  | 'eye'
  | 'filter'
  | 'analysis'
  | 'fromMs'
  | 'toMs'
  | 'eventType'
  | 'aoiNames'
  | 'denominator'
  | 'readingFrom'
  | 'lines'
  | 'extras'

/** Kinds of further columns; an export has those of some kinds, or of none. */
export const EXTRAS = ['degrees', 'microseconds', 'runs', 'pupil'] as const
export type Extra = (typeof EXTRAS)[number]
export const EXTRAS_MEANING =
  'Further columns before `notes`, in exports that have them, separated by commas: `degrees` (of the visual field; needs the size and distance of the screen), `microseconds` (times without rounding), `runs` (of reading) and `pupil` (its size during fixations)'

/** Starts of reading a text. */
export const READING_STARTS = ['first-fixation', 'first-line', 'first-word'] as const
export type ReadingStart = (typeof READING_STARTS)[number]

/** Algorithms that assign fixations to lines of a text: docs/reading.md. */
export const LINE_METHODS = ['attach', 'chain', 'cluster', 'segment', 'slice', 'split', 'warp', 'vote'] as const
export type LineMethod = (typeof LINE_METHODS)[number]
/** Choices of these; the first leaves fixations where they are. */
export const LINE_CHOICES = ['as-recorded', ...LINE_METHODS] as const

/** Times of a bin of `looks-binned` that count, of which looks at an AOI are a share. */
export const DENOMINATORS = ['screen', 'all', 'aois'] as const
type Denominator = (typeof DENOMINATORS)[number]

/** Parameters that are chosen by name; the first is the default. `readingFrom` may be a time in ms instead. */
export const CHOICE_PARAMETERS = {
  preset: {
    values: PRESET_NAMES,
    meaning:
      'Settings of fixations for a kind of recording, unless the request gives its own: of a webcam, or of an eye tracker at about 60 or 500 Hz',
  },
  detector: {
    values: DETECTOR_NAMES,
    meaning:
      'Algorithm that detects fixations: a velocity threshold, dispersion, a velocity threshold that follows the noise, or 2-means clustering',
  },
  eye: {
    values: EYES,
    meaning:
      'Gaze to use, in studies that recorded each eye: as recorded, the mean of both eyes if both are valid, one eye, or the mean of the valid eyes',
  },
  denominator: {
    values: DENOMINATORS,
    meaning:
      'Looks over time: the times of which looks are a share: with gaze on the screen, all, or with gaze in any of the AOIs',
  },
  readingFrom: {
    values: READING_STARTS,
    meaning:
      'Measures of reading: where it begins, with the `first-fixation`, the first on the `first-line` or `first-word`, or after so many ms; earlier fixations are left out',
  },
  lines: {
    values: LINE_CHOICES,
    meaning:
      'Measures of reading: algorithm that moves fixations to the lines of the text, against vertical drift; or the majority of several',
  },
} satisfies Partial<Record<ParameterName, { values: readonly string[]; meaning: string }>>
export type ChoiceParameter = keyof typeof CHOICE_PARAMETERS

export function isChoice(name: ParameterName): name is ChoiceParameter {
  return name in CHOICE_PARAMETERS
}

/** Names of the events from which time is measured, and of AOIs; item onset, or all, if absent. */
export const LOOK_NAMES = {
  eventType:
    'Name of the events around which rows are cut into epochs, or from which looks over time are measured. Without it, item onset',
  aoiNames:
    'Looks over time: only AOIs with these names, separated by commas; a name with a comma in double quotes. Without it, all',
}

export const FILTER_MEANING = 'Only tests for which this condition is true, such as `participant_age < 30`'

export const ANALYSIS_MEANING =
  'An analysis of the study, by `name` or `name@version`: its settings apply unless the request gives its own, its filter applies in addition, its ignored participants are left out, and its offsets move gaze'

/** Start and end of the time window; unlimited if absent. */
export const WINDOW_PARAMETERS = {
  fromMs:
    'Measures of AOIs, and charts: only fixations that begin at this time from item onset, or later. Looks over time: start of the first bin, from item onset or the event. With `eventType`: start of its epochs, from the event',
  toMs: 'Measures of AOIs, and charts: only fixations that begin before this time from item onset. Looks over time: end of the last bin. With `eventType`: end of its epochs',
}
export const WINDOW_MAX_MS = 999_999_999

export type NumberName = keyof typeof NUMBER_PARAMETERS

/**
 * Validated values. `itemId` is a lower-case UUID, or null for all items; `filter` is trimmed, null for none, and must
 * still be checked against its study. The settings of a preset and of an analysis are already among the others;
 * `analysis` has its name with version, the ids (lower-case UUIDs) that it ignores, and the offsets.
 */
export type Parameters = {
  itemId: string | null
  /** Always absent, since its settings are among the others. */
  preset?: never
  detector: DetectorName
  /** Absent if the gaze is as recorded. */
  eye?: ChosenEye
  filter: string | null
  analysis?: string
  ignored?: string[]
  offsets?: GazeOffset[]
  fromMs?: number
  toMs?: number
  eventType?: string
  /** Absent for all. */
  aoiNames?: string[]
  denominator: Denominator
  /** A moment in ms; absent for the first fixation. */
  readingFrom?: Exclude<ReadingStart, 'first-fixation'> | number
  /** Absent if fixations stay where they are. */
  lines?: LineMethod
  /** In the order of `EXTRAS`; absent for none. */
  extras?: Extra[]
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
  gazeVelocityThresholdDegPerS: {
    kind: 'float',
    unit: '° per second',
    default: 0,
    min: 0,
    max: 1000,
    meaning:
      'Gaze slower than this belongs to a fixation, in degrees of the visual field: instead of gazeVelocityThreshold, where the size and distance of the screen are known. 0 for gazeVelocityThreshold',
  },
  dispersionThresholdPercent: {
    kind: 'float',
    unit: '% of the displayed item',
    default: 3,
    min: 0.5,
    max: 50,
    meaning: 'Detector `dispersion`: gaze that stays within this width plus height belongs to a fixation',
  },
  dispersionThresholdDeg: {
    kind: 'float',
    unit: '°',
    default: 0,
    min: 0,
    max: 30,
    meaning:
      'Detector `dispersion`: gaze that stays within this width plus height belongs to a fixation, in degrees of the visual field: instead of dispersionThresholdPercent, where the size and distance of the screen are known. 0 for dispersionThresholdPercent',
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
  mergeDistanceDeg: {
    kind: 'float',
    unit: '°',
    default: 0,
    min: 0,
    max: 30,
    meaning:
      'Largest distance between fixations that are merged, exclusive, in degrees of the visual field: instead of mergeDistancePercent, where the size and distance of the screen are known. 0 for mergeDistancePercent',
  },
  binMs: {
    kind: 'int',
    unit: 'ms',
    default: 100,
    min: 10,
    max: 10_000,
    meaning: 'Width of a time bin of `gazes-aois-binned` and `looks-binned`',
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
    default: 20,
    min: 20,
    max: 200,
    meaning: 'Gaps between pupil sizes that are at least this long, and lose at least two samples, may be blinks',
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
  recurrenceRadiusPercent: {
    kind: 'float',
    unit: '% of the width of the displayed item',
    default: 6.25,
    min: 0.1,
    max: 100,
    meaning: 'Scanpaths: fixations at most this far apart recur',
  },
  microsaccadeLambda: {
    kind: 'float',
    unit: '',
    default: 6,
    min: 1,
    max: 30,
    meaning: 'Microsaccades: an eye that moves faster than this many times the noise of its velocity is in a saccade',
  },
  microsaccadeMinSamples: {
    kind: 'int',
    unit: 'samples',
    default: 3,
    min: 2,
    max: 100,
    meaning: 'Microsaccades: saccades of an eye with fewer samples are dropped',
  },
  microsaccadeMaxDeg: {
    kind: 'float',
    unit: '°',
    default: 1,
    min: 0.1,
    max: 30,
    meaning: 'Analysis of microsaccades: amplitude above which a binocular saccade is not counted as one',
  },
  clusterAlpha: {
    kind: 'float',
    unit: '',
    default: 0.05,
    min: 0.0001,
    max: 0.5,
    meaning: 'Clusters: two-sided p of the t of a bin below which the bin belongs to a cluster',
  },
  clusterPermutations: {
    kind: 'int',
    unit: 'arrangements',
    default: 1000,
    min: 100,
    max: 20_000,
    meaning: 'Clusters: random arrangements of participants; all arrangements if there are no more than this',
  },
  clusterSeed: {
    kind: 'int',
    unit: '',
    default: 1,
    min: 0,
    max: 999_999_999,
    meaning: 'Clusters: seed of the random arrangements',
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
  'preset',
  'detector',
  'eye',
  ...(Object.keys(NUMBER_PARAMETERS) as NumberName[]),
  'fromMs',
  'toMs',
  'eventType',
  'aoiNames',
  'denominator',
  'readingFrom',
  'lines',
  'extras',
  'filter',
  'analysis',
]

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function defaultParameters(): Parameters {
  const numbers = Object.entries(NUMBER_PARAMETERS).map(([name, { default: value }]) => [name, value])
  return {
    itemId: null,
    detector: DETECTOR_NAMES[0],
    filter: null,
    denominator: DENOMINATORS[0],
    ...Object.fromEntries(numbers),
  } as Parameters
}

/** Cuts off the space around a filter; null for none. */
export function trimFilter(given: string): string | null {
  return given.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '') || null
}
