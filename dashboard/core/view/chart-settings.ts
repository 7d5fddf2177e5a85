import {
  DETECTOR_NAMES,
  type DetectorName,
  MERGING_SETTINGS,
  settingsOfDetector,
} from '../../../isomorphic/detector-settings.ts'
import { PRESET_NAMES, withPreset } from '../../../isomorphic/presets.ts'
import type { ParameterInfo } from '../api.ts'
import { faultOf, type Refused } from './chart-view.ts'
import { NAMED } from './named-settings.ts'

/** Settings of pupils. */
export const PUPIL_NAMES = [
  'pupilMinMm',
  'pupilMaxMm',
  'blinkMinMs',
  'blinkMaxMs',
  'pupilSpeedMad',
  'pupilPadMs',
  'pupilIslandMs',
  'pupilGapMs',
  'pupilSmoothingMs',
  'pupilBaselineFromMs',
  'pupilBaselineToMs',
  'pupilFromMs',
  'pupilToMs',
  'pupilBinMs',
] as const

/** Numeric settings, in the order in which they are shown. */
export const NUMBER_NAMES = [
  'movingMedianRangeMs',
  'gazeVelocityThreshold',
  'gazeVelocityThresholdDegPerS',
  'dispersionThresholdPercent',
  'dispersionThresholdDeg',
  'adaptiveLambda',
  'i2mcGapMs',
  'i2mcWindowMs',
  'i2mcStepMs',
  'i2mcCutoffSd',
  'i2mcEdgeMad',
  'i2mcSeed',
  'minFixationDurationMs',
  'maxFixationDurationMs',
  'saccadeMaxDurationMs',
  'mergeGapMs',
  'mergeDistancePercent',
  'mergeDistanceDeg',
  'binMs',
  'recurrenceRadiusPercent',
  'microsaccadeLambda',
  'microsaccadeMinSamples',
  'microsaccadeMaxDeg',
  ...PUPIL_NAMES,
  'participantQualityGradeItemMin',
] as const
type NumberName = (typeof NUMBER_NAMES)[number]
export type NumberInfo = ParameterInfo & { name: NumberName; default: number }

/**
 * Settings by the public names of their parameters, as in the exports and in the link. `analysis` is the name with its
 * version, or '' for none; `fromMs` and `toMs` are '' without a limit.
 */
export type Settings = Record<NumberName, number> & {
  detector: DetectorName
  /** Eye whose gaze, or pupil, to use if the study recorded each eye. */
  eye: string
  /** Algorithm that assigns fixations to the lines of a text, and start of reading: a name, or a time in ms. */
  lines: string
  readingFrom: string
  filter: string
  analysis: string
  fromMs: string
  toMs: string
}

export const GRADE_NAME = 'participantQualityGradeItemMin'

/** Labels of the settings, beside their public names. */
export const LABELS: Record<string, string> = {
  preset: 'Preset for a kind of recording',
  detector: 'Detector',
  eye: 'Eye',
  lines: 'Lines of fixations',
  readingFrom: 'Reading begins with',
  movingMedianRangeMs: 'Moving-median window',
  gazeVelocityThreshold: 'Velocity threshold',
  gazeVelocityThresholdDegPerS: 'Velocity threshold',
  dispersionThresholdPercent: 'Dispersion threshold',
  dispersionThresholdDeg: 'Dispersion threshold',
  adaptiveLambda: 'Threshold, times the noise',
  i2mcGapMs: 'Longest interpolated loss',
  i2mcWindowMs: 'Clustering window',
  i2mcStepMs: 'Step of the window',
  i2mcCutoffSd: 'Cutoff above the mean weight',
  i2mcEdgeMad: 'Edges, in median distances',
  i2mcSeed: 'Random seed',
  minFixationDurationMs: 'Minimum fixation duration',
  maxFixationDurationMs: 'Maximum fixation duration',
  saccadeMaxDurationMs: 'Maximum saccade duration',
  mergeGapMs: 'Merge fixations with a gap below',
  mergeDistancePercent: 'and closer than',
  mergeDistanceDeg: 'and closer than',
  binMs: 'Width of a time bin',
  recurrenceRadiusPercent: 'Distance within which fixations recur',
  microsaccadeLambda: 'Threshold, times the noise of velocity',
  microsaccadeMinSamples: 'Shortest saccade',
  microsaccadeMaxDeg: 'Largest microsaccade',
  pupilMinMm: 'Smallest pupil',
  pupilMaxMm: 'Largest pupil',
  blinkMinMs: 'Shortest blink',
  blinkMaxMs: 'Longest blink',
  pupilSpeedMad: 'Fastest change, times the MAD',
  pupilPadMs: 'Padding of gaps',
  pupilIslandMs: 'Shortest run between gaps',
  pupilGapMs: 'Longest interpolated gap',
  pupilSmoothingMs: 'Smoothing',
  pupilBaselineFromMs: 'Baseline from',
  pupilBaselineToMs: 'Baseline to',
  pupilFromMs: 'Averages from',
  pupilToMs: 'Averages to',
  pupilBinMs: 'Width of a bin of averages',
  participantQualityGradeItemMin: 'Minimum quality grade',
  filter: 'Filter',
  fromMs: 'Window from',
  toMs: 'Window to',
}

/** Returns the numeric parameters that this dashboard knows. */
export function numbersOf(parameters: ParameterInfo[]): NumberInfo[] {
  const isNumber = (parameter: ParameterInfo): parameter is NumberInfo =>
    typeof parameter.default === 'number' && (NUMBER_NAMES as readonly string[]).includes(parameter.name)
  return parameters.filter(isNumber)
}

export function defaultsOf(parameters: ParameterInfo[]): Settings {
  const numbers = numbersOf(parameters).map(({ name, default: value }) => [name, value])
  const textOf = (name: string) => String(parameters.find((each) => each.name === name)?.default ?? '')
  return {
    detector: detectorOf(textOf('detector')) ?? 'velocity',
    eye: textOf('eye') || 'recorded',
    lines: textOf('lines') || 'as-recorded',
    readingFrom: textOf('readingFrom') || 'first-fixation',
    filter: '',
    // Always sent if the study has one.
    analysis: '',
    fromMs: textOf('fromMs'),
    toMs: textOf('toMs'),
    ...Object.fromEntries(numbers),
  }
}

/**
 * Returns the numeric settings that affect the rows of an export with this detector; without `listed`, those of
 * fixations.
 */
export function namesFor(detector: DetectorName, listed: readonly string[] = ['gazeVelocityThreshold']): NumberName[] {
  if (hasDetector(listed)) {
    const ofFixations: string[] = [...settingsOfDetector('velocity'), ...MERGING_SETTINGS, GRADE_NAME]
    return [
      ...settingsOfDetector(detector),
      ...MERGING_SETTINGS,
      ...NUMBER_NAMES.filter((name) => listed.includes(name) && !ofFixations.includes(name)),
    ]
  }
  return NUMBER_NAMES.filter((name) => name !== GRADE_NAME && listed.includes(name))
}

function detectorOf(text: string | null): DetectorName | undefined {
  return DETECTOR_NAMES.find((name) => name === text)
}

/** Returns whether the detector affects an export, by the settings that the export lists. */
export function hasDetector(listed: readonly string[]): boolean {
  return listed.includes('gazeVelocityThreshold')
}

/** Reads the settings of a link. An invalid number, or one out of range, is reported and replaced by its default. */
export function readSettings(
  query: URLSearchParams,
  parameters: ParameterInfo[],
): { settings: Settings; refused: Refused[] } {
  const defaults = defaultsOf(parameters)
  const analysis = String(parameters.find(({ name }) => name === 'analysis')?.default ?? '')
  const preset = query.get('preset')
  const named = PRESET_NAMES.find((name) => name === preset)
  const first = { ...defaults, analysis, filter: query.get('filter')?.trim() ?? '' }
  const settings: Settings = named === undefined ? first : withPreset(first, named)
  const refused: Refused[] = []
  if (preset !== null && named === undefined)
    refused.push({ name: 'preset', value: preset, rule: `must be ${PRESET_NAMES.join(', ')}` })
  const detector = query.get('detector')
  const known = detectorOf(detector)
  if (known !== undefined) settings.detector = known
  else if (detector !== null)
    refused.push({ name: 'detector', value: detector, rule: `must be ${DETECTOR_NAMES.join(', ')}` })
  for (const [name, labels] of Object.entries(NAMED)) {
    const text = query.get(name)
    const isTime = name === 'readingFrom' && /^\d{1,9}$/.test(text ?? '')
    if (text === null) continue
    if (isTime || Object.hasOwn(labels, text)) settings[name as keyof typeof NAMED] = text
    else refused.push({ name, value: text, rule: `must be ${Object.keys(labels).join(', ')}` })
  }
  for (const parameter of numbersOf(parameters)) {
    const { name } = parameter
    const text = query.get(name)
    if (text === null) continue
    const rule = faultOf(parameter, text)
    if (rule === null) settings[name] = Number(text)
    else refused.push({ name, value: text, rule })
  }
  for (const name of ['fromMs', 'toMs'] as const) {
    const text = query.get(name)
    if (text === null) continue
    if (/^\d{1,9}$/.test(text)) settings[name] = String(Number(text))
    else refused.push({ name, value: text, rule: 'must be a whole number of ms' })
  }
  if (settings.toMs !== '' && Number(settings.fromMs) >= Number(settings.toMs)) {
    refused.push({ name: 'fromMs', value: settings.fromMs, rule: `must be less than toMs, ${settings.toMs} ms` })
    Object.assign(settings, { fromMs: defaults.fromMs, toMs: defaults.toMs })
  }
  const { minFixationDurationMs, maxFixationDurationMs } = settings
  if (minFixationDurationMs > maxFixationDurationMs) {
    settings.minFixationDurationMs = defaults.minFixationDurationMs
    settings.maxFixationDurationMs = defaults.maxFixationDurationMs
    const rule = `must be at most maxFixationDurationMs, ${maxFixationDurationMs} ms: both keep their defaults`
    refused.push({ name: 'minFixationDurationMs', value: String(minFixationDurationMs), rule })
  }
  return { settings, refused }
}

/**
 * Returns the settings that differ from their defaults as changes of the address; the others are removed from it, as is
 * a preset, whose settings are among them. The analysis is left out: `core/analysis` sets it.
 */
export function queryChanges(
  { analysis: _, ...settings }: Settings,
  defaults: Settings,
): Record<string, string | null> {
  const changes = Object.entries(settings).map(([name, value]) => [
    name,
    value === defaults[name as keyof Settings] ? null : String(value),
  ])
  return { preset: null, ...Object.fromEntries(changes) }
}

/** Returns the names of the changed settings of fixations, or of pupils; the eye, lines and tests do not count. */
export function changedSettings(settings: Settings, defaults: Settings, ofPupils = false): string[] {
  const isOther = (name: string) => !Object.hasOwn(NAMED, name) && isPupilName(name) !== ofPupils
  return Object.entries(queryChanges(settings, defaults)).flatMap(([name, value]) =>
    value === null || ['filter', GRADE_NAME, 'fromMs', 'toMs'].includes(name) || isOther(name) ? [] : [name],
  )
}

/** Returns whether the settings of an export or a page are those of pupils. */
export function isOfPupils(listed: readonly string[] = []): boolean {
  return listed.some(isPupilName)
}

function isPupilName(name: string): boolean {
  return (PUPIL_NAMES as readonly string[]).includes(name)
}

/** Returns the default settings, with the current selection of tests and the current eye. */
export function defaultsFor(settings: Settings, defaults: Settings): Settings {
  const { filter, [GRADE_NAME]: grade, analysis, fromMs, toMs, eye } = settings
  return { ...defaults, eye, filter, [GRADE_NAME]: grade, analysis, fromMs, toMs }
}

/** Returns the query string of a request to the server: the changed settings, the analysis and further values. */
export function queryString(settings: Settings, defaults: Settings, more: Record<string, string | null> = {}): string {
  const query = new URLSearchParams()
  const { analysis } = settings
  for (const [name, value] of Object.entries({ ...more, ...queryChanges(settings, defaults), analysis }))
    if (value !== null && value !== '') query.set(name, value)
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** Returns the short form of a parameter's unit. */
export function shortUnit(unit: string | undefined): string {
  if (unit === undefined || unit === 'grade') return ''
  const sign = ['%', '°'].find((each) => unit.startsWith(each))
  return sign === undefined ? unit : unit.endsWith('per second') ? `${sign}/s` : sign
}
