import { groupBy } from '../../../isomorphic/group-by.ts'
import { compareNames } from '../../../isomorphic/natural-order.ts'
import { type Draft, noteDoubt, participantName } from '../draft/draft.ts'

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
  const arranged = [...draft.tests.keys()].filter((test) => {
    const { participant, displayOrder } = draft.tests[test]
    return !dropped.has(test) && displayOrder !== null && draft.shownTo.has(participant)
  })
  const byPerson = groupBy(arranged, (test) => draft.tests[test].participant)
  const [moved, counted]: string[][] = [[], []]
  for (const [participant, tests] of byPerson) {
    const byClock = inOrder(draft, tests, times)
    const isMoved = byClock.some((test, i) => test !== tests[i])
    const sorted = isMoved ? byClock : (byCount(draft, tests) ?? tests)
    const name = participantName(draft.participants[participant])
    if (isMoved) moved.push(name)
    else if (sorted !== tests) counted.push(name)
    for (const [i, test] of sorted.entries()) draft.tests[test].displayOrder = i + 1
    draft.shownTo.set(participant, tests.length)
  }
  const note = (people: string[], why: string) => {
    if (people.length === 0) return
    const whom = people.length === 1 ? people[0] : `${people.length} participants, such as ${people[0]}`
    noteDoubt(draft, `tests are in the order of ${why}: of ${whom}`)
  }
  note(moved, 'their times, which run on, and not in that of the rows or files')
  note(
    counted,
    'the numbers of their trials, and not in that of the rows, which are sorted as text is (1, 10, 2), or by item',
  )
}

/** Fewest trials whose order shows how a table was sorted. */
const TRIALS_LEAST = 3

/**
 * Orders a participant's tests by the numbers of their trials, if no clock runs on, and rows are sorted by these as
 * text is (1, 10, 2), or by item.
 *
 * @returns null in any other case
 */
function byCount({ tests, items }: Draft, own: number[]): number[] | null {
  const trials = own.map((test) => /^trial (\d+)$/.exec(tests[test].notes)?.[1] ?? '')
  const numbers = trials.map(Number)
  if (own.some((test) => tests[test].onsetMs !== 0)) return null
  if (own.length < TRIALS_LEAST || trials.includes('') || new Set(numbers).size < own.length) return null
  const names = own.map((test) => items[tests[test].item].filename)
  const isCounted = Math.max(...numbers) - Math.min(...numbers) === own.length - 1
  const isText = isSorted(trials, (a, b) => a < b)
  const isByItem = isCounted && isSorted(names, (a, b) => compareNames(a, b) < 0)
  if (isSorted(numbers, (a, b) => a < b) || !(isText || isByItem)) return null
  const numberOf = new Map(own.map((test, i) => [test, numbers[i]]))
  return [...own].sort((a, b) => numberOf.get(a)! - numberOf.get(b)!)
}

function isSorted<T>(values: T[], isBefore: (a: T, b: T) => boolean): boolean {
  return values.every((one, i) => i === 0 || isBefore(values[i - 1], one))
}

/** Orders a participant's tests by their times if a clock runs on through all of them, otherwise within each file. */
function inOrder({ tests }: Draft, own: number[], times: TestTimes): number[] {
  if (own.every((test) => tests[test].onsetMs === 0)) return own
  const byFile = groupBy(own, (test) => tests[test].file)
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
