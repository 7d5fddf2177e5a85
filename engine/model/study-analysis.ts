import { bothOf } from '../../isomorphic/conditions.ts'
import { IN_DEGREES } from '../../isomorphic/detector-settings.ts'
import type { GazeOffset } from '../../isomorphic/gaze-offsets.ts'

/**
 * An analysis: decisions about whom to include and which settings to use. All fields are optional; parameters have
 * their public names.
 */
export type StudyAnalysis = {
  title?: string
  /** Number parameters of exports, the detector and the eye. */
  settings?: Record<string, number | string>
  filter?: string
  participantQualityGradeItemMin?: number
  /** Time window from item onset, half-open. */
  fromMs?: number
  toMs?: number
  /** Participants whose tests are left out, by id. */
  ignored?: { participantId: string; reason: string }[]
  /** Corrections of gaze, applied before everything else. */
  offsets?: GazeOffset[]
  /** Colours in figures, by names of AOIs. */
  aoiColors?: Record<string, string>
  /** Contents of the report, as the query of its page. */
  report?: string
}

/** Formatted name of a version of an analysis: `mine@0123456789ab`. */
export type NamedAnalysis = { reference: string; analysis: StudyAnalysis }

export const ANALYSIS_NAME = /^[a-z0-9-]{1,64}$/
/** Parses a name with an optional version: the first digits of a SHA-256. */
export const ANALYSIS_REFERENCE = /^([a-z0-9-]{1,64})(?:@([0-9a-f]{12}))?$/

/** Merges a request with settings, which apply unless it gives its own: a threshold in percent or in degrees is one. */
export function withSettings(
  given: Map<string, string[]>,
  settings: Record<string, number | string | undefined>,
): Map<string, string[]> {
  const all = new Map(given)
  const isGiven = (name: string) =>
    given.has(name) || Object.entries(IN_DEGREES).some(([percent, degrees]) => name === degrees && given.has(percent))
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined && !isGiven(name)) all.set(name, [String(value)])
  return all
}

/**
 * Merges a request with its analysis: settings of the request take precedence, and the filters of both apply.
 *
 * @param given every name and its raw values
 */
export function withAnalysis(given: Map<string, string[]>, analysis: StudyAnalysis): Map<string, string[]> {
  const { settings = {}, participantQualityGradeItemMin, fromMs, toMs, filter } = analysis
  const all = withSettings(given, { ...settings, participantQualityGradeItemMin, fromMs, toMs })
  const own = given.get('filter') ?? ['']
  const both = bothOf(own[0], filter ?? null)
  // A parameter given twice is passed on, to be refused.
  if (own.length === 1 && both !== null) all.set('filter', [both])
  return all
}
