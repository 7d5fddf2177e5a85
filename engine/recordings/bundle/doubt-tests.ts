import { type Draft, noteDoubt, participantName } from '../draft/draft.ts'

/** Times of each test on the clock of its recording, in ms: of the first and last sample, and the longest step. */
export type TestTimes = { firstMs: Float64Array; lastMs: Float64Array; longestMs: Float64Array }

/** Tests with as few samples, if most are like that, were cut by a column that changes from row to row. */
const [FEW_SAMPLES, TESTS_LEAST, MOST] = [2, 10, 0.5]
/** Longest step of a test that is not reported: no blink lasts as long, and eyes that look away still have samples. */
const HOLE_MS = 2000

/** Reports tests without samples, with too few, with gaps, and those whose onset is not one of theirs. */
export function noteTests(draft: Draft, sums: { samples: number }[], times: TestTimes): void {
  noteEmpty(draft, sums)
  noteShort(draft, sums)
  if (!draft.areHolesNoted) noteHoles(draft, times)
  noteOnsets(draft, times)
}

/** Returns the names of a test's participant and item. */
function lookName({ participants, items }: Draft, { participant, item }: Draft['tests'][number]): string {
  return `${participantName(participants[participant])} at ${items[item].filename}`
}

/** Reports tests with a long gap, as where an item was shown twice under one name. */
function noteHoles(draft: Draft, { longestMs }: TestTimes): void {
  const holes = draft.tests.filter((_, i) => longestMs[i] > HOLE_MS)
  if (holes.length === 0) return
  const seconds = Math.round(longestMs.reduce((most, ms) => Math.max(most, ms)) / 1000).toLocaleString('en')
  noteDoubt(
    draft,
    `${holes.length === 1 ? 'one test is' : `${holes.length.toLocaleString('en')} tests are`} interrupted, for up to ${seconds} s, first that of ${lookName(draft, holes[0])}: where an item was shown again, two tests may have been taken for one`,
  )
}

/** Latest first sample of a test, in ms after its onset, that is not reported. */
const LATE_MS = 60_000

/** Reports tests whose onset is not one of theirs: no export counts samples before it. */
function noteOnsets(draft: Draft, { firstMs, lastMs }: TestTimes): void {
  const { tests } = draft
  const before = tests.filter(({ onsetMs }, i) => lastMs[i] < onsetMs)
  const late = tests.flatMap((test, i) => (firstMs[i] - test.onsetMs > LATE_MS ? [{ test, i }] : []))
  const countedTests = (n: number) => (n === 1 ? 'one test' : `${n.toLocaleString('en')} tests`)
  if (before.length > 0)
    noteDoubt(
      draft,
      `all samples of ${countedTests(before.length)} lie before the onset, first those of ${lookName(draft, before[0])}: exports leave them out; check the time of the onset`,
    )
  if (late.length > 0)
    noteDoubt(
      draft,
      `the samples of ${countedTests(late.length)} begin more than a minute after the onset, first those of ${lookName(draft, late[0].test)}, after ${Math.round((firstMs[late[0].i] - late[0].test.onsetMs) / 1000).toLocaleString('en')} s: check that times count from the onset, and their unit`,
    )
}

function noteEmpty(draft: Draft, sums: { samples: number }[]): void {
  const empty = sums.flatMap(({ samples }, i) => (samples === 0 ? [draft.tests[i]] : []))
  if (empty.length === 0) return
  const which = lookName(draft, empty[0])
  noteDoubt(
    draft,
    `${empty.length} of ${sums.length} tests ${empty.length === 1 ? 'has no samples: that of' : 'have no samples, such as that of'} ${which}`,
  )
}

/** Reports tests of one or two samples, if most tests are like that. */
function noteShort(draft: Draft, sums: { samples: number }[]): void {
  const short = sums.filter(({ samples }) => samples > 0 && samples <= FEW_SAMPLES).length
  if (sums.length < TESTS_LEAST || short <= MOST * sums.length) return
  noteDoubt(
    draft,
    `${short} of ${sums.length} tests have no more than ${FEW_SAMPLES} samples: check that the columns of participant, item and trial do not change from row to row`,
  )
}
