import { bothOf } from '../../../isomorphic/conditions.ts'
import type { ParameterInfo, StudyAnalysis } from '../api.ts'
import { PAINT, readPaint } from '../colors/picked-colors.ts'
import { countOf } from '../number-texts.ts'
import { GRADE_NAME, LABELS, readSettings, type Settings } from '../view/chart-settings.ts'
import { settingWords } from './applied.ts'

/** Analysis as the server returns it. */
export type Stored = { name: string; version: string; reference: string; analysis: StudyAnalysis }

/** Value in an address for no analysis, if the study has a default one; not a valid name. */
export const NO_ANALYSIS = '@'
/** Name of the analysis that pages use by default. */
export const FIRST_ANALYSIS = 'default'

/** Returns the parameters with the values of an analysis as their defaults, including the analysis itself. */
export function decidedParameters(parameters: ParameterInfo[], stored: Stored | null): ParameterInfo[] {
  if (stored === null) return parameters
  const { settings = {}, fromMs, toMs, participantQualityGradeItemMin } = stored.analysis
  const decided: Record<string, unknown> = {
    ...settings,
    fromMs,
    toMs,
    [GRADE_NAME]: participantQualityGradeItemMin,
    analysis: stored.reference,
  }
  return parameters.map((parameter) => {
    const value = decided[parameter.name]
    return value === undefined ? parameter : { ...parameter, default: value as ParameterInfo['default'] }
  })
}

/** Describes the settings of an address that differ from its analysis; an empty list if they are equal. */
export function changesIn(query: URLSearchParams, parameters: ParameterInfo[]): string[] {
  const { settings } = readSettings(query, parameters)
  const painted = Object.keys(readPaint(query) ?? {}).length
  return [
    ...parameters.flatMap(({ name, unit, default: fallback }) => {
      const value = settings[name as keyof Settings]
      const isChanged =
        name in LABELS && name !== 'filter' && value !== undefined && String(value) !== String(fallback ?? '')
      return isChanged ? [settingWords(name, value, unit)] : []
    }),
    ...(settings.filter === '' ? [] : [settings.filter]),
    ...(painted > 0 ? [`colours of ${countOf(painted, 'AOI')}`] : []),
  ]
}

/**
 * Returns an analysis merged with the settings and colours of an address.
 *
 * @param decided parameters with the values of the analysis
 * @param plain parameters with the server's defaults
 */
export function withChanges(
  analysis: StudyAnalysis,
  query: URLSearchParams,
  decided: ParameterInfo[],
  plain: ParameterInfo[],
): StudyAnalysis {
  const { settings } = readSettings(query, decided)
  const aoiColors = { ...analysis.aoiColors, ...readPaint(query) }
  const { filter, fromMs, toMs, analysis: _, [GRADE_NAME]: grade, ...rest } = settings
  // A time is a number in the analysis.
  const exact = (value: string | number) => (/^\d+$/.test(String(value)) ? Number(value) : value)
  const isOwn = (name: string, value: unknown) => plain.find((each) => each.name === name)?.default !== value
  const own = Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (isOwn(name, value) ? [[name, exact(value)]] : [])),
  )
  const known = (text: string) => (text === '' ? undefined : Number(text))
  return {
    ...analysis,
    settings: own,
    filter: bothOf(analysis.filter ?? null, filter) ?? undefined,
    participantQualityGradeItemMin: isOwn(GRADE_NAME, grade) ? grade : undefined,
    fromMs: known(fromMs),
    toMs: known(toMs),
    aoiColors: Object.keys(aoiColors).length > 0 ? aoiColors : undefined,
  }
}

/** Parameters of an address that move into the analysis when it is saved. */
export const TAKEN_UP = ['filter', 'fromMs', 'toMs', PAINT, ...Object.keys(LABELS)]

/** Returns an analysis that ignores one more participant. */
export function ignoring(analysis: StudyAnalysis, participantId: string): StudyAnalysis {
  const others = (analysis.ignored ?? []).filter((each) => each.participantId !== participantId)
  return { ...analysis, ignored: [...others, { participantId, reason: '' }] }
}
