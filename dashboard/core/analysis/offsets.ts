import { type GazeOffset, offsetFinder } from '../../../isomorphic/gaze-offsets.ts'
import type { StudyAnalysis } from '../api.ts'

/** Offset in px of the window. */
export type Moved = Pick<GazeOffset, 'dxPx' | 'dyPx'>
/** Participant, or one of their tests. */
type Subject = Pick<GazeOffset, 'participantId' | 'testId'>

const NOT_MOVED: Moved = { dxPx: 0, dyPx: 0 }

/** Returns a function that finds the offset that an analysis applies to the gaze of a test. */
export function appliedIn({ offsets = [] }: StudyAnalysis): (subject: Required<Subject>) => Moved {
  const find = offsetFinder(offsets)
  return (subject) => find(subject) ?? NOT_MOVED
}

/** Returns the offset that an analysis stores for exactly this subject; null for none. */
export function ownOffset({ offsets = [] }: StudyAnalysis, subject: Subject): GazeOffset | null {
  return offsets.find((each) => isOf(each, subject)) ?? null
}

/** Returns an analysis with an offset, which replaces the subject's previous one. */
export function withOffset(analysis: StudyAnalysis, offset: GazeOffset): StudyAnalysis {
  return { ...analysis, offsets: [...(withoutOffset(analysis, offset).offsets ?? []), offset] }
}

/** Returns an analysis without the subject's own offset. */
export function withoutOffset(analysis: StudyAnalysis, subject: Subject): StudyAnalysis {
  return { ...analysis, offsets: (analysis.offsets ?? []).filter((each) => !isOf(each, subject)) }
}

function isOf(offset: GazeOffset, { participantId, testId }: Subject): boolean {
  return offset.participantId === participantId && offset.testId === testId
}

/** Returns the shift between two offsets, in percent of the displayed item. */
export function shiftPercent(
  from: Moved,
  to: Moved,
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
): { x: number; y: number } {
  return { x: (100 * (to.dxPx - from.dxPx)) / widthPx, y: (100 * (to.dyPx - from.dyPx)) / heightPx }
}
