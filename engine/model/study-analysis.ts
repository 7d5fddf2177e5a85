import { bothOf } from '../../shared/conditions.ts'
import type { GazeOffset } from './gaze-offsets.ts'

/**
 * Decisions about a study: whom it counts, and with which settings it is computed. All of it may be missing;
 * parameters have their public names.
 */
export type StudyAnalysis = {
  title?: string
  /** Parameters of exports that are numbers, the detector, and the eye. */
  settings?: Record<string, number | string>
  filter?: string
  participantQualityGradeItemMin?: number
  /** The window of time from item onset, half-open. */
  fromMs?: number
  toMs?: number
  /** Participants whose tests are left out, by id. */
  ignored?: { participantId: string; reason: string }[]
  /** Corrections of gaze, before everything else. */
  offsets?: GazeOffset[]
}

/** Formatted name of a version of an analysis: `mine@0123456789ab`. */
export type NamedAnalysis = { reference: string; analysis: StudyAnalysis }

export const ANALYSIS_NAME = /^[a-z0-9-]{1,64}$/
/** A name, and perhaps a version: the first digits of a SHA-256. */
export const ANALYSIS_REFERENCE = /^([a-z0-9-]{1,64})(?:@([0-9a-f]{12}))?$/

/**
 * Returns what a request asks for together with its analysis: a setting that the request gives wins, and both filters
 * have to be true.
 *
 * @param given every name and its values, as they came
 */
export function withAnalysis(given: Map<string, string[]>, analysis: StudyAnalysis): Map<string, string[]> {
  const { settings = {}, participantQualityGradeItemMin, fromMs, toMs, filter } = analysis
  const all = new Map(given)
  for (const [name, value] of Object.entries({ ...settings, participantQualityGradeItemMin, fromMs, toMs }))
    if (value !== undefined && !given.has(name)) all.set(name, [String(value)])
  const own = given.get('filter') ?? ['']
  const both = bothOf(own[0], filter ?? null)
  // Given twice, it is refused as it came.
  if (own.length === 1 && both !== null) all.set('filter', [both])
  return all
}
