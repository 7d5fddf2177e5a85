import { medianOf } from '../../compute/order-statistics.ts'
import { type Draft, noteDoubt } from '../draft/draft.ts'
import { type Corners, cornerCode } from './corner-codes.ts'
import { noteTests, type TestTimes } from './doubt-tests.ts'

/** Sums over a test or a participant, and values derived from them. */
export type SeenSums = {
  samples: number
  seen: number
  outside: number
  /** Gaze beyond the upper left third of the window, in either axis. */
  beyond: number
  /** Gaze further right or down than 110 px. */
  over: number
  mouse: number
  mouseOutside: number
  /** Samples no later than the one before, and those more than 50 ms after it. */
  still: number
  slow: number
  steps: number
  /** Total ms of all steps up to 50 ms, and of the longer ones. */
  stepMs: number
  slowMs: number
  /** Sums of the distance from the upper left corner along both axes, in px. */
  distancePx: number
}

export type PersonSums = SeenSums & {
  name: string
  /** Window size in the first test, as text. */
  window: string
  fixations: number
  lookedMs: number
  stepsMs: number[]
  /** Number of gaze positions in which fixations were detected, the first of them, and whether all are there. */
  probed: number
  spot: { x: number; y: number; isOne: boolean }
  corners: Corners
}

/** Shares of a participant's steps, gazes and samples from which a doubt is reported. */
const [STILL_SHARE, MOST] = [0.05, 0.5]
/**
 * Plausible fixation rates: eyes make two to five fixations a second, fewer when told to rest; a few seconds of data
 * are too short to judge.
 */
const [FIXATIONS_LEAST, FIXATIONS_MOST, LOOKED_LEAST_MS] = [0.5, 7, 3000]
/**
 * Factors of deviation from the median of all participants that suggest another sampling rate, or another unit of
 * positions.
 */
const [RATE_FACTOR, DISTANCE_FACTOR] = [1.5, 4]
/** Shortest sampling interval of a tracker, in ms, with some margin: 2,500 Hz. */
const FASTEST_MS = 0.4
/** Least number of positions of which not all are one spot, and which make a fixation. */
const [SPOT_LEAST, PROBED_LEAST] = [300, 200]
/** Number of positions, and share of them, by which gaze is said to be in one corner. */
const [CORNER_LEAST, BEYOND_MOST, PERCENT_LEAST] = [1000, 0.01, 60]
/** Gaze in fractions that was read as px stays this close to the corner, in px. */
const CORNER_PX = 3
/** Least mean distance of percentages along both axes: gaze is rarely in the upper left tenth of a screen. */
const PERCENT_PX = 20

const percent = (part: number, all: number) => `${Math.round((100 * part) / all)} %`
const isStill = ({ still, steps }: PersonSums) => still > STILL_SHARE * steps
const isSlow = ({ slow, steps }: PersonSums) => slow > MOST * steps
const isLikePercent = (one: PersonSums) =>
  one.seen >= PERCENT_LEAST && one.over <= BEYOND_MOST * one.seen && distanceOf(one) >= PERCENT_PX
const isTooFast = (one: PersonSums) => stepOf(one) < FASTEST_MS
const hertz = (ms: number) => Number((1000 / ms).toPrecision(3)).toLocaleString('en')
const fixationRate = ({ fixations, lookedMs }: PersonSums) => fixations / (lookedMs / 1000)
const codeIn = ({ corners, probed }: PersonSums) => cornerCode(corners, probed)
const distanceOf = ({ distancePx, seen }: PersonSums) => distancePx / seen

/** Signs of data unlike those of eyes, trackers and mice: the participants affected, and a sentence about the first. */
const DOUBTS: { holds: (one: PersonSums) => boolean; say: (whom: string, one: PersonSums) => string }[] = [
  {
    holds: isStill,
    say: (whom, { still, steps }) =>
      `times repeat or do not advance in the data of ${whom}: ${percent(still, steps)} of the samples are no later than the one before; another column may hold finer times`,
  },
  {
    holds: isSlow,
    say: (whom, one) =>
      `the median step between samples is more than 50 ms in the data of ${whom}, where it is about ${rounded(stepOf(one))} ms: no fixation can be found across such gaps; check the unit of time`,
  },
  {
    holds: (one) => isTooFast(one),
    say: (whom, one) =>
      `the samples of ${whom} follow each other every ${rounded(stepOf(one))} ms, which is ${hertz(stepOf(one))} Hz: no tracker is as fast; check the unit of time`,
  },
  {
    holds: ({ probed, spot }) => spot.isOne && probed >= SPOT_LEAST,
    say: (whom, { spot }) =>
      `all gaze is on one spot in the data of ${whom}, at ${rounded(spot.x)}, ${rounded(spot.y)} px: check that the columns are those of gaze`,
  },
  {
    holds: (one) => codeIn(one) !== null && !one.spot.isOne,
    say: (whom, one) => {
      const { xPx, yPx, n } = codeIn(one)!
      return `one position in or beyond a corner of the window comes again and again in the data of ${whom}, as a code for lost gaze does: ${percent(n, one.probed)} of the gaze is at ${rounded(xPx)}, ${rounded(yPx)} px, to the last digit; if it marks lost gaze, export what says which gaze is valid, or name it under missing in a mapping`
    },
  },
  {
    holds: ({ outside, seen }) => outside > MOST * seen,
    say: (whom, { outside, seen, window }) =>
      `more than half of the gaze lies outside of the window in the data of ${whom}: ${percent(outside, seen)} outside of ${window}; check the unit, the origin and the size of the screen`,
  },
  {
    holds: ({ mouseOutside, mouse }) => mouseOutside > MOST * mouse,
    say: (whom, { mouseOutside, mouse, window }) =>
      `more than half of the mouse's positions lie outside of the window in the data of ${whom}: ${percent(mouseOutside, mouse)} outside of ${window}; check their unit`,
  },
  {
    holds: (one) => distanceOf(one) < CORNER_PX,
    say: (whom) =>
      `the gaze lies within ${CORNER_PX} px of the window's upper left corner in the data of ${whom}: its unit may be fractions, and not px`,
  },
  {
    holds: isLikePercent,
    say: (whom, { window }) =>
      `all gaze lies within 110 px of the upper left corner of ${window} in the data of ${whom}: its unit may be percent, and not px`,
  },
  {
    holds: (one) =>
      one.seen >= CORNER_LEAST &&
      one.beyond <= BEYOND_MOST * one.seen &&
      distanceOf(one) >= CORNER_PX &&
      !isLikePercent(one),
    say: (whom, { window }) =>
      `all gaze lies in the upper left third of ${window} in the data of ${whom}: its unit may be millimetres, or the size of the screen another`,
  },
  {
    holds: ({ samples, seen }) => samples - seen > MOST * samples,
    say: (whom, { samples, seen }) =>
      `most gaze is lost in the data of ${whom}: ${percent(samples - seen, samples)} of the samples are without gaze`,
  },
  ...[true, false].map((isFew) => ({
    holds: (one: PersonSums) =>
      one.lookedMs >= LOOKED_LEAST_MS &&
      !isStill(one) &&
      !isSlow(one) &&
      (isFew ? fixationRate(one) < FIXATIONS_LEAST : fixationRate(one) > FIXATIONS_MOST),
    say: (whom: string, one: PersonSums) =>
      `there are far ${isFew ? 'fewer' : 'more'} fixations than eyes make in the data of ${whom}: ${rounded(fixationRate(one))} a second, where two to five are usual; check the units of time and gaze`,
  })),
]

/** Reports each doubt once, with the first affected participant. */
export function noteDoubts(draft: Draft, people: PersonSums[], sums: SeenSums[], times: TestTimes): void {
  noteTests(draft, sums, times)
  noteNoFixations(draft, people)
  for (const { holds, say } of DOUBTS) {
    const found = people.filter(holds)
    if (found.length > 0) noteDoubt(draft, say(whomOf(found, people.length), found[0]))
  }
  noteUnlike(people, stepOf, RATE_FACTOR, (whom, one, usual) =>
    noteDoubt(
      draft,
      `the sampling rate of ${whom} is unlike that of all others: a sample every ${rounded(one)} ms, and not every ${rounded(usual)} ms`,
    ),
  )
  noteUnlike(people, distanceOf, DISTANCE_FACTOR, (whom, one, usual) =>
    noteDoubt(
      draft,
      `the gaze of ${whom} is unlike that of all others: ${rounded(one)} px from the upper left corner in the mean, and not ${rounded(usual)} px; its unit or origin may be another`,
    ),
  )
}

/** Reports that no test has a fixation, if there is too little time, by its unit, to judge each participant. */
function noteNoFixations(draft: Draft, people: PersonSums[]): void {
  const sum = (of: (one: PersonSums) => number) => people.reduce((all, one) => all + of(one), 0)
  const areMany = sum(({ probed }) => probed) >= PROBED_LEAST && people.every((one) => one.lookedMs < LOOKED_LEAST_MS)
  if (!areMany || sum(({ fixations }) => fixations) > 0 || people.some((one) => isStill(one) || isSlow(one))) return
  noteDoubt(draft, 'no test has a fixation: check the columns of time and gaze, and their units')
}

/** Reports the few participants whose data differ from those of all others. */
function noteUnlike(
  people: PersonSums[],
  measureOf: (person: PersonSums) => number,
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

/** Returns the median sampling interval over tests, in ms; NaN if no test has two samples. */
function stepOf({ stepsMs }: PersonSums): number {
  return medianIn(stepsMs)
}

function medianIn(values: number[]): number {
  return medianOf(Float64Array.from(values))
}

function whomOf(found: PersonSums[], count: number): string {
  if (count === 1) return found[0].name
  return `${found.length} of ${count} participants, such as ${found[0].name}`
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(3)))
}
