import { type Draft, noteDoubt, participantName } from './draft.ts'

/** Times of the tests' first and last samples, on the clocks of their recordings. */
type TestTimes = { firstMs: Float64Array; lastMs: Float64Array }

/** Times from here on, in ms, count since 1970: one clock for all files. */
const EPOCH_MS = 1e11
/** Longest pause between two files of one sitting, in ms. */
const PAUSE_MAX_MS = 600_000

/**
 * Numbers the tests of each participant whose order only rows and files give. A clock that runs on from test to test
 * tells their order better: tables are sorted by item, and files come by name.
 */
export function arrangeTests(draft: Draft, times: TestTimes, dropped: Set<number>): void {
  const byPerson = new Map<number, number[]>()
  for (const [test, { participant, displayOrder }] of draft.tests.entries()) {
    if (dropped.has(test) || displayOrder === null || !draft.shownTo.has(participant)) continue
    const own = byPerson.get(participant)
    if (own) own.push(test)
    else byPerson.set(participant, [test])
  }
  const moved: string[] = []
  for (const [participant, tests] of byPerson) {
    const sorted = inOrder(draft, tests, times)
    if (sorted.some((test, i) => test !== tests[i])) moved.push(participantName(draft.participants[participant]))
    for (const [i, test] of sorted.entries()) draft.tests[test].displayOrder = i + 1
    draft.shownTo.set(participant, tests.length)
  }
  if (moved.length === 0) return
  const whom = moved.length === 1 ? moved[0] : `${moved.length} participants, such as ${moved[0]}`
  noteDoubt(
    draft,
    `tests are in the order of their times, which run on, and not in that of the rows or files: of ${whom}`,
  )
}

/** Orders a participant's tests by their times if a clock runs on through all of them, otherwise within each file. */
function inOrder({ tests }: Draft, own: number[], times: TestTimes): number[] {
  if (own.every((test) => tests[test].onsetMs === 0)) return own
  const byFile = new Map<string, number[]>()
  for (const test of own) {
    const group = byFile.get(tests[test].file)
    if (group) group.push(test)
    else byFile.set(tests[test].file, [test])
  }
  const all = byTime(own, times)
  if (all !== null && (byFile.size === 1 || isOneSitting(all, times))) return all
  return [...byFile.values()].flatMap((group) => byTime(group, times) ?? group)
}

/** Sorts tests by time; null if some overlap, or have no samples, so that no clock runs on through them. */
function byTime(tests: number[], { firstMs, lastMs }: TestTimes): number[] | null {
  if (tests.some((test) => !Number.isFinite(firstMs[test]))) return null
  const sorted = [...tests].sort((a, b) => firstMs[a] - firstMs[b])
  const isApart = sorted.every((test, i) => i === 0 || firstMs[test] > lastMs[sorted[i - 1]])
  return isApart ? sorted : null
}

/** Returns whether the files of tests share a clock: that of the day, or one that hardly pauses between them. */
function isOneSitting(sorted: number[], { firstMs, lastMs }: TestTimes): boolean {
  if (firstMs[sorted[0]] >= EPOCH_MS) return true
  return sorted.every((test, i) => i === 0 || firstMs[test] - lastMs[sorted[i - 1]] <= PAUSE_MAX_MS)
}
