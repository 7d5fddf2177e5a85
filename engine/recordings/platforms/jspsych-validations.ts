import { type Draft, noteLeft } from '../draft/draft.ts'
import { parsed } from './jspsych-windows.ts'

type Gaze = { x: number; y: number; dx: number; dy: number }
/** Mean gaze at a target, in px of the window. */
export type TargetGaze = { targetXPx: number; targetYPx: number; gazeXPx: number; gazeYPx: number }

/**
 * Reads a jsPsych validation: `raw_gaze` has the gazes at each target as `{x, y, dx, dy}`; dx and dy are differences
 * from the target, which therefore lies at x − dx.
 */
export function validationOf(trial: Record<string, unknown>, file: { name: string }, draft: Draft): TargetGaze[] {
  if (trial.trial_type !== 'webgazer-validate') return []
  const targets = parsed(trial.raw_gaze) ?? trial.raw_gaze
  const found = (Array.isArray(targets) ? targets : []).flatMap((gazes) => meanOf(gazes) ?? [])
  if (found.length === 0) noteLeft(draft, 'validations without their gazes in px (raw_gaze)', 1, { file: file.name })
  return found
}

function meanOf(gazes: unknown): TargetGaze | null {
  const seen = (Array.isArray(gazes) ? gazes : []).filter(isGaze)
  if (seen.length === 0) return null
  const mean = (of: (gaze: Gaze) => number) => seen.reduce((sum, gaze) => sum + of(gaze), 0) / seen.length
  return {
    targetXPx: mean(({ x, dx }) => x - dx),
    targetYPx: mean(({ y, dy }) => y - dy),
    gazeXPx: mean(({ x }) => x),
    gazeYPx: mean(({ y }) => y),
  }
}

function isGaze(gaze: unknown): gaze is Gaze {
  const { x, y, dx, dy } = (gaze ?? {}) as Gaze
  return [x, y, dx, dy].every((value) => typeof value === 'number' && Number.isFinite(value))
}
