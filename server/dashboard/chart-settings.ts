import type { ParameterInfo } from './api.ts'
import { faultOf, type Refused } from './chart-view.ts'

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
  movingMedianRangeMs: 'Moving-median window',
  gazeVelocityThreshold: 'Velocity threshold',
  minFixationDurationMs: 'Minimum fixation duration',
  maxFixationDurationMs: 'Maximum fixation duration',
  saccadeMaxDurationMs: 'Maximum saccade duration',
  participantQualityGradeItemMin: 'Minimum quality grade',
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
): { settings: Settings; refused: Refused[] } {
  const settings = defaultsOf(parameters)
  const refused: Refused[] = []
  for (const parameter of parameters) {
    const { name } = parameter
    const text = query.get(name)
    if (text === null || !(name in settings)) continue
    const rule = faultOf(parameter, text)
    if (rule === null) settings[name] = Number(text)
    else refused.push({ name, value: text, rule })
  }
  const { minFixationDurationMs, maxFixationDurationMs } = settings
  if (minFixationDurationMs > maxFixationDurationMs) {
    const defaults = defaultsOf(parameters)
    settings.minFixationDurationMs = defaults.minFixationDurationMs
    settings.maxFixationDurationMs = defaults.maxFixationDurationMs
    const rule = `must be at most maxFixationDurationMs, ${maxFixationDurationMs} ms: both are left at their defaults`
    refused.push({ name: 'minFixationDurationMs', value: String(minFixationDurationMs), rule })
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
