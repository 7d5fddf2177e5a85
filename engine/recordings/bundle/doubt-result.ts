import { detectFixations } from '../../compute/detectors/detect-fixations.ts'
import { createFixations } from '../../compute/fixation-list.ts'
import { createGaze, denoise, LONGEST_JOINED_GAP_MS } from '../../compute/gaze.ts'
import { defaultParameters } from '../../model/parameters.ts'
import type { Batch } from '../draft/batch.ts'
import { type Draft, participantName } from '../draft/draft.ts'
import { addCornerGaze, noCorners } from './corner-codes.ts'
import { noteDoubts, type PersonSums, type SeenSums } from './doubt-notes.ts'
import type { TestTimes } from './doubt-tests.ts'

/** Checks all samples of an import for values that no eye, tracker or mouse produces. */
type Doubts = {
  /** Takes samples in the order of reading. */
  take: (batch: Batch) => void
  /** Reports each doubt once, with an example. */
  note: () => void
  /** Counts tests with gaze. */
  testsWithGaze: () => number
}

/** Samples of a test in which fixations are detected, if few enough to hold in memory. */
type Probe = { t: Float64Array; x: Float64Array; y: Float64Array }

const LONGEST_MS = 1e9
/** Largest percentage of the screen, with some margin. */
const PERCENT_MAX = 110
const [PROBE_SAMPLES, PROBES_SAMPLES] = [8000, 500_000]

/** Opens the checks of converted samples. @param draft complete: windows are known */
export function openDoubts(draft: Draft): Doubts {
  const sums = draft.tests.map(noSums)
  const lastMs = new Float64Array(draft.tests.length).fill(Number.NaN)
  const times = { lastMs, firstMs: lastMs.slice(), longestMs: new Float64Array(draft.tests.length) }
  const probes = new Map<number, Probe[]>()
  const held = draft.participants.map(() => 0)
  let allHeld = 0
  const hold = (test: number, { tMs, gazeXPx, gazeYPx }: Batch, from: number, to: number) => {
    const { participant } = draft.tests[test]
    const room = Math.min(PROBE_SAMPLES - held[participant], PROBES_SAMPLES - allHeld, to - from)
    if (room <= 0) return
    const runs = probes.get(test) ?? []
    probes.set(test, runs)
    const [t, x, y] = [tMs, gazeXPx, gazeYPx].map((values) => values.slice(from, from + room))
    runs.push({ t, x, y })
    held[participant] += room
    allHeld += room
  }
  return {
    take: (batch) => {
      for (let from = 0; from < batch.n; ) {
        const test = batch.test[from]
        let to = from + 1
        while (to < batch.n && batch.test[to] === test) to++
        addRun(sums[test], batch, from, to, draft.tests[test], times, test)
        hold(test, batch, from, to)
        from = to
      }
    },
    note: () => {
      const people = peopleOf(draft, sums)
      addFixations(draft, people, probes)
      noteDoubts(draft, people, sums, times)
    },
    testsWithGaze: () => sums.filter(({ seen }) => seen > 0).length,
  }
}

function noSums(): SeenSums {
  return {
    ...{ samples: 0, seen: 0, outside: 0, beyond: 0, over: 0, mouse: 0, mouseOutside: 0 },
    ...{ still: 0, slow: 0, steps: 0, stepMs: 0, slowMs: 0, distancePx: 0 },
  }
}

/** Adds rows of one test. Nothing is outside a window of unknown size. */
function addRun(
  sums: SeenSums,
  { tMs, gazeXPx, gazeYPx, mouseXPx, mouseYPx }: Batch,
  from: number,
  to: number,
  { windowWidthPx, windowHeightPx }: Draft['tests'][number],
  { lastMs, firstMs, longestMs }: TestTimes,
  test: number,
): void {
  const [width, height] = [windowWidthPx ?? Number.POSITIVE_INFINITY, windowHeightPx ?? Number.POSITIVE_INFINITY]
  let [seen, outside, beyond, over, mouse, mouseOutside, still, slow, slowMs, steps, stepMs, distancePx] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  ]
  let last = lastMs[test]
  if (Number.isNaN(last)) firstMs[test] = tMs[from]
  for (let i = from; i < to; i++) {
    // One by one: an array of them would be made for each row.
    const x = gazeXPx[i]
    const y = gazeYPx[i]
    const mouseX = mouseXPx[i]
    const mouseY = mouseYPx[i]
    const step = tMs[i] - last
    if (step - step === 0) {
      steps++
      if (step <= 0) still++
      else if (step > LONGEST_JOINED_GAP_MS) {
        slow++
        slowMs += step
        if (step > longestMs[test]) longestMs[test] = step
      } else stepMs += step
    }
    last = tMs[i]
    if (x - x === 0) {
      seen++
      distancePx += Math.abs(x) + Math.abs(y)
      if (!(x >= 0 && x <= width && y >= 0 && y <= height)) outside++
      if (windowWidthPx === null || x > width / 3 || y > height / 3) beyond++
      if (windowWidthPx === null || x > PERCENT_MAX || y > PERCENT_MAX) over++
    }
    if (mouseX - mouseX !== 0) continue
    mouse++
    if (!(mouseX >= 0 && mouseX <= width && mouseY >= 0 && mouseY <= height)) mouseOutside++
  }
  lastMs[test] = last
  sums.samples += to - from
  sums.seen += seen
  sums.outside += outside
  sums.beyond += beyond
  sums.over += over
  sums.mouse += mouse
  sums.mouseOutside += mouseOutside
  sums.still += still
  sums.slow += slow
  sums.steps += steps
  sums.stepMs += stepMs
  sums.slowMs += slowMs
  sums.distancePx += distancePx
}

function peopleOf({ participants, tests }: Draft, sums: SeenSums[]): PersonSums[] {
  const people = participants.map((one) => ({
    ...noSums(),
    ...{ name: participantName(one), window: '', fixations: 0, lookedMs: 0, probed: 0, stepsMs: [] as number[] },
    ...{ spot: { x: Number.NaN, y: Number.NaN, isOne: true }, corners: noCorners() },
  }))
  for (const [i, own] of sums.entries()) {
    const person = people[tests[i].participant]
    const { windowWidthPx, windowHeightPx } = tests[i]
    person.window ||= `${windowWidthPx} × ${windowHeightPx} px`
    for (const name of Object.keys(own) as (keyof SeenSums)[]) person[name] += own[name]
    if (own.steps > own.still) person.stepsMs.push(usualStep(own))
  }
  return people
}

/** Returns the mean sampling interval of a test, without gaps if most steps have none. */
function usualStep({ steps, still, slow, stepMs, slowMs }: SeenSums): number {
  const fine = steps - still - slow
  return fine >= slow ? stepMs / fine : slowMs / slow
}

/** Counts fixations with the default settings, but without the limit on duration. */
function addFixations(draft: Draft, people: PersonSums[], probes: Map<number, Probe[]>): void {
  const [gaze, fixations, settings] = [
    createGaze(),
    createFixations(),
    { ...defaultParameters(), maxFixationDurationMs: LONGEST_MS },
  ]
  for (const [index, runs] of probes) {
    const [t, x, y] = (['t', 'x', 'y'] as const).map((name) => joined(runs.map((run) => run[name])))
    const { display, windowWidthPx, windowHeightPx, participant } = draft.tests[index]
    if (display === null && (windowWidthPx === null || windowHeightPx === null)) continue
    const shown = display ?? { leftPx: 0, topPx: 0, widthPx: windowWidthPx!, heightPx: windowHeightPx! }
    const none = new Float64Array(t.length)
    const samples = {
      ...{ n: t.length, tUs: t.map((ms) => Math.round((ms - t[0]) * 1000)) },
      ...{ gazeXPx: x, gazeYPx: y, scrollYPx: none },
      ...{ mouseXPx: none, mouseYPx: none, isClick: new Uint8Array(t.length) },
    }
    denoise(samples, shown, settings.movingMedianRangeMs, gaze)
    detectFixations(gaze, shown, settings, fixations)
    const person = people[participant]
    person.fixations += fixations.n
    addSpot(person, x, y)
    addCorners(person, x, y, draft.tests[index])
    for (let i = 1; i < t.length; i++) {
      const step = t[i] - t[i - 1]
      if (step > 0 && step <= LONGEST_JOINED_GAP_MS && x[i] - x[i] === 0) person.lookedMs += step
    }
  }
}

/** Counts the gaze of a person, and compares each with the first. */
function addSpot(person: PersonSums, x: Float64Array, y: Float64Array): void {
  const { spot } = person
  for (let i = 0; i < x.length; i++) {
    if (x[i] - x[i] !== 0) continue
    person.probed++
    if (Number.isNaN(spot.x)) [spot.x, spot.y] = [x[i], y[i]]
    else if (x[i] !== spot.x || y[i] !== spot.y) spot.isOne = false
  }
}

/** Counts the gaze of a person in the corners of a test's window, and beyond them. */
function addCorners(
  { corners }: PersonSums,
  x: Float64Array,
  y: Float64Array,
  { windowWidthPx, windowHeightPx }: Draft['tests'][number],
): void {
  if (windowWidthPx === null || windowHeightPx === null) return
  for (let i = 0; i < x.length; i++) addCornerGaze(corners, x[i], y[i], windowWidthPx, windowHeightPx)
}

function joined(runs: Float64Array[]): Float64Array {
  const all = new Float64Array(runs.reduce((n, { length }) => n + length, 0))
  let at = 0
  for (const run of runs) {
    all.set(run, at)
    at += run.length
  }
  return all
}
