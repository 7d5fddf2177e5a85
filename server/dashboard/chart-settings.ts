import type { ParameterInfo } from './api.ts'

/** Settings by the public names of the parameters, as in the exports and in the link. */
export type Settings = Record<string, number>

export const FILTER_NAMES = [
  'movingMedianRangeMs',
  'gazeVelocityThreshold',
  'minFixationDurationMs',
  'maxFixationDurationMs',
  'saccadeMaxDurationMs',
]
export const GRADE_NAME = 'participantQualityGradeItemMin'

/** Labels of the sliders, beside their public names. */
export const LABELS: Record<string, string> = {
  movingMedianRangeMs: 'Moving median',
  gazeVelocityThreshold: 'Velocity threshold',
  minFixationDurationMs: 'Shortest fixation',
  maxFixationDurationMs: 'Longest fixation',
  saccadeMaxDurationMs: 'Longest saccade',
  participantQualityGradeItemMin: 'Quality grade at least',
}

export function defaultsOf(parameters: ParameterInfo[]): Settings {
  return Object.fromEntries(
    parameters
      .filter(({ kind }) => kind === 'int' || kind === 'float')
      .map(({ name, default: value }) => [name, value]),
  )
}

/** Reads the settings of a link. A value that is not a number in its range is left at its default and reported. */
export function readSettings(
  query: URLSearchParams,
  parameters: ParameterInfo[],
): { settings: Settings; refused: string[] } {
  const settings = defaultsOf(parameters)
  const refused: string[] = []
  for (const { name, min, max, kind } of parameters) {
    const text = query.get(name)
    if (text === null || !(name in settings)) continue
    const value = Number(text)
    const isFine = text !== '' && value >= min && value <= max && (kind === 'float' || Number.isInteger(value))
    if (isFine) settings[name] = value
    else refused.push(name)
  }
  if (settings.minFixationDurationMs > settings.maxFixationDurationMs) {
    const defaults = defaultsOf(parameters)
    settings.minFixationDurationMs = defaults.minFixationDurationMs
    settings.maxFixationDurationMs = defaults.maxFixationDurationMs
    refused.push('minFixationDurationMs', 'maxFixationDurationMs')
  }
  return { settings, refused }
}

/** Returns the settings that are not at their default, for the address bar; the others are removed from it. */
export function queryChanges(settings: Settings, defaults: Settings): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value === defaults[name] ? null : String(value)]),
  )
}

/** Returns a query string of all settings that are not at their default, and of further values. */
export function queryString(settings: Settings, defaults: Settings, more: Record<string, string | null> = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...more, ...queryChanges(settings, defaults) }))
    if (value !== null && value !== '') query.set(name, value)
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
