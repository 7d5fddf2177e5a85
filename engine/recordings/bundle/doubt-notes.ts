import { medianOf } from '../../compute/order-statistics.ts'
import { type Draft, noteDoubt, participantName } from './draft.ts'

/** Sums of a test or of a participant, and what follows from them. */
export type Sums = {
  samples: number
  seen: number
  outside: number
  mouse: number
  mouseOutside: number
  /** Samples that are no later than the one before, and those that come more than 50 ms after it. */
  still: number
  slow: number
  steps: number
  /** ms of all steps of at most 50 ms, and of the others. */
  stepMs: number
  slowMs: number
  /** Sums of the distance from the upper left corner, px, along both sides. */
  distancePx: number
}

export type Person = Sums & {
  participant: number
  name: string
  fixations: number
  lookedMs: number
  stepsMs: number[]
}

/** Shares from which a doubt is worth saying, of a participant's steps, gazes and samples. */
const [STILL_SHARE, MOST] = [0.05, 0.5]
/** Eyes make two to five fixations a second, and fewer where they are to rest; over less than some seconds that says nothing. */
const [FIXATIONS_LEAST, FIXATIONS_MOST, LOOKED_LEAST_MS] = [0.5, 7, 3000]
/** Further apart than that from the middle of all are a sampling rate, and a unit of positions. */
const [RATE_FACTOR, DISTANCE_FACTOR] = [1.5, 4]
/** A gaze in fractions, taken for px, stays there. */
const CORNER_PX = 3

/** Notes what is unlike the data of eyes, trackers and mice: each doubt once, with the first participant for whom it holds. */
export function noteDoubts(draft: Draft, people: Person[], sums: Sums[]): void {
  const note = (found: Person[], sentence: (whom: string, first: Person) => string) => {
    if (found.length > 0) noteDoubt(draft, sentence(whomOf(found, people.length), found[0]))
  }
  const percent = (part: number, all: number) => `${Math.round((100 * part) / all)} %`
  const windowOf = ({ participant }: Person) => {
    const test = draft.tests.find((one) => one.participant === participant)
    return `${test?.windowWidthPx} × ${test?.windowHeightPx} px`
  }
  noteEmpty(draft, sums)
  const still = people.filter((one) => one.still > STILL_SHARE * one.steps)
  note(
    still,
    (whom, one) =>
      `times repeat or do not advance in the data of ${whom}: ${percent(one.still, one.steps)} of the samples are no later than the one before; another column may hold finer times`,
  )
  const slow = people.filter((one) => one.slow > MOST * one.steps)
  note(
    slow,
    (whom, one) =>
      `the median step between samples is more than 50 ms in the data of ${whom}, where it is about ${rounded(stepOf(one))} ms: no fixation can be found across such gaps; see that the unit of time is right`,
  )
  note(
    people.filter((one) => one.outside > MOST * one.seen),
    (whom, one) =>
      `more than half of the gaze lies outside of the window in the data of ${whom}: ${percent(one.outside, one.seen)} outside of ${windowOf(one)}; see that unit, origin and size of the screen are right`,
  )
  note(
    people.filter((one) => one.mouseOutside > MOST * one.mouse),
    (whom, one) =>
      `more than half of the mouse's positions lie outside of the window in the data of ${whom}: ${percent(one.mouseOutside, one.mouse)} outside of ${windowOf(one)}; see that their unit is right`,
  )
  note(
    people.filter((one) => one.seen > 0 && one.distancePx < CORNER_PX * one.seen),
    (whom) =>
      `all gaze lies within ${CORNER_PX} px of the window's upper left corner in the data of ${whom}: its unit may be fractions, and not px`,
  )
  note(
    people.filter((one) => one.samples - one.seen > MOST * one.samples),
    (whom, one) =>
      `most gaze is lost in the data of ${whom}: ${percent(one.samples - one.seen, one.samples)} of the samples are without gaze`,
  )
  const looked = people.filter((one) => one.lookedMs >= LOOKED_LEAST_MS && !still.includes(one) && !slow.includes(one))
  const rate = ({ fixations, lookedMs }: Person) => fixations / (lookedMs / 1000)
  note(
    looked.filter((one) => rate(one) < FIXATIONS_LEAST || rate(one) > FIXATIONS_MOST),
    (whom, one) =>
      `far ${rate(one) < FIXATIONS_LEAST ? 'fewer' : 'more'} fixations than eyes make are in the data of ${whom}: ${rounded(rate(one))} a second, and two to five are usual; see that units of time and gaze are right`,
  )
  noteUnlike(people, stepOf, RATE_FACTOR, (whom, one, usual) =>
    noteDoubt(
      draft,
      `the sampling rate of ${whom} is unlike that of all others: a sample every ${rounded(one)} ms, and not every ${rounded(usual)} ms`,
    ),
  )
  const distanceOf = ({ distancePx, seen }: Person) => distancePx / seen
  noteUnlike(people, distanceOf, DISTANCE_FACTOR, (whom, one, usual) =>
    noteDoubt(
      draft,
      `the gaze of ${whom} is unlike that of all others: ${rounded(one)} px from the upper left corner in the mean, and not ${rounded(usual)} px; its unit or origin may be another`,
    ),
  )
}

function noteEmpty(draft: Draft, sums: Sums[]): void {
  const empty = sums.flatMap(({ samples }, i) => (samples === 0 ? [draft.tests[i]] : []))
  if (empty.length === 0) return
  const [{ participant, item }] = empty
  const which = `${participantName(draft.participants[participant])} at ${draft.items[item].filename}`
  noteDoubt(draft, `${empty.length} of ${sums.length} tests are without samples, such as ${which}`)
}

/** Says of the few whose data differ from those of all others. */
function noteUnlike(
  people: Person[],
  measureOf: (person: Person) => number,
  factor: number,
  say: (whom: string, value: number, usual: number) => void,
): void {
  const known = people.filter((one) => measureOf(one) > 0)
  if (known.length < 3) return
  const usual = medianIn(known.map(measureOf))
  const unlike = known.filter((one) => measureOf(one) > factor * usual || measureOf(one) * factor < usual)
  if (unlike.length > 0 && unlike.length <= Math.max(1, known.length / 5))
    say(`${whomOf(unlike, people.length)},`, measureOf(unlike[0]), usual)
}

/** ms between samples, in the middle test; NaN where none has two. */
function stepOf({ stepsMs }: Person): number {
  return medianIn(stepsMs)
}

function medianIn(values: number[]): number {
  return medianOf(Float64Array.from(values))
}

function whomOf(found: Person[], count: number): string {
  if (count === 1) return found[0].name
  return `${found.length} of ${count} participants, such as ${found[0].name}`
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(3)))
}
