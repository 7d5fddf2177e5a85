/** Origins of an offset: set by hand, from validations, or from clicks. */
export const OFFSET_SOURCES = ['hand', 'validations', 'clicks'] as const
export type OffsetSource = (typeof OFFSET_SOURCES)[number]

/** Largest offset of an axis, in either direction. */
export const OFFSET_MAX_PX = 5000

/**
 * A constant correction of gaze, in px of the window: for all tests of a participant, or for one test, where it
 * replaces that of the participant.
 */
export type GazeOffset = { participantId: string; testId?: string; dxPx: number; dyPx: number; source: OffsetSource }

/** A participant and one of their tests. */
type OffsetSubject = { participantId: string; testId: string }

/** Returns a function that finds the offset of a test; null if its gaze is not moved. */
export function offsetFinder(offsets: GazeOffset[]): (subject: OffsetSubject) => GazeOffset | null {
  const keyOf = (participantId: string, testId = '') => `${participantId}/${testId}`
  const known = new Map(offsets.map((each) => [keyOf(each.participantId, each.testId), each]))
  return ({ participantId, testId }) => {
    const found = known.get(keyOf(participantId, testId)) ?? known.get(keyOf(participantId))
    return found === undefined || (found.dxPx === 0 && found.dyPx === 0) ? null : found
  }
}

/** Describes the extent of offsets: `2 participants and 1 test`. */
export function countOffsets(offsets: GazeOffset[]): string {
  const tests = offsets.filter(({ testId }) => testId !== undefined).length
  const counted = (n: number, word: string) => (n === 0 ? [] : [`${n} ${word}${n === 1 ? '' : 's'}`])
  return [...counted(offsets.length - tests, 'participant'), ...counted(tests, 'test')].join(' and ')
}
