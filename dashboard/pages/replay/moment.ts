import type { FixationRow, RecordedTest } from '../../core/api.ts'

/** Positions over time, as columns of equal length: ms, and percent of the displayed item, NaN where lost. */
type Track = { tMs: Float64Array; x: Float64Array; y: Float64Array }

/** Test in the replay: its recording, its tracks, and its fixations, which may be empty. */
export type PlayedTest = {
  recorded: RecordedTest
  gaze: Track
  mouse: Track
  fixations: FixationRow[]
  name: string
  color: string
  /** 1 if gaze was lost before an index of `gaze`. */
  isStart: Uint8Array
}

/**
 * State of n tests at a moment, as columns of length n; positions in percent of the displayed item, NaN while lost.
 * Trails are ranges of indexes into the gaze of a test, half-open.
 */
export type Moments = {
  gazeX: Float64Array
  gazeY: Float64Array
  trailStart: Int32Array
  trailEnd: Int32Array
  mouseX: Float64Array
  mouseY: Float64Array
  scrollPx: Float64Array
}

/** Time for which the last gaze point is shown: the longest step that is not a gap in docs/signal.md. */
const HELD_MS = 50
/** A frame of the player, ms. */
export const FRAME_MS = 1000 / 60

/** Prepares a test for the replay. */
export function played(
  recorded: RecordedTest,
  fixations: FixationRow[],
  { name, color }: { name: string; color: string },
): PlayedTest {
  const { gaze, mouse, segmentStarts } = recorded
  const isStart = new Uint8Array(gaze.tMs.length)
  for (const place of segmentStarts) isStart[place] = 1
  return { recorded, gaze: trackOf(gaze), mouse: trackOf(mouse), fixations, name, color, isStart }
}

function trackOf({ tMs, x, y }: RecordedTest['gaze']): Track {
  const column = (values: (number | null)[]) => Float64Array.from(values, (value) => value ?? Number.NaN)
  return { tMs: column(tMs), x: column(x), y: column(y) }
}

/** Returns columns for the moments of n tests, to be filled by {@link fillMoments}. */
export function createMoments(n: number): Moments {
  return {
    gazeX: new Float64Array(n),
    gazeY: new Float64Array(n),
    trailStart: new Int32Array(n),
    trailEnd: new Int32Array(n),
    mouseX: new Float64Array(n),
    mouseY: new Float64Array(n),
    scrollPx: new Float64Array(n),
  }
}

/**
 * Returns the index of the last time that is not after `t`, −1 before the first (binary search).
 *
 * @param times ascending, ms
 */
export function lastAt(times: ArrayLike<number>, t: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle] <= t) low = middle + 1
    else high = middle
  }
  return low - 1
}

/**
 * Writes the state of tests at `t` ms from item onset into columns.
 *
 * @param tests n of them
 * @param trailMs duration of the gaze trail
 * @param out length n, overwritten
 * @returns the number of tests with gaze at that time
 */
export function fillMoments(tests: PlayedTest[], t: number, trailMs: number, out: Moments): number {
  let looking = 0
  for (let i = 0; i < tests.length; i++) {
    const { recorded, gaze, mouse } = tests[i]
    const at = lastAt(gaze.tMs, t)
    fillGaze(tests[i], at, t, i, out)
    if (!Number.isNaN(out.gazeX[i])) looking++
    out.trailStart[i] = lastAt(gaze.tMs, t - trailMs) + 1
    out.trailEnd[i] = at + 1
    const m = lastAt(mouse.tMs, t)
    out.mouseX[i] = m < 0 ? Number.NaN : mouse.x[m]
    out.mouseY[i] = m < 0 ? Number.NaN : mouse.y[m]
    out.scrollPx[i] = lastStep(recorded.scroll, t)
  }
  return looking
}

/** Interpolates linearly to the next point of the same segment. @param at index of the last point, −1 for none */
function fillGaze({ gaze: { tMs, x, y }, isStart }: PlayedTest, at: number, t: number, i: number, out: Moments): void {
  const hasNext = at >= 0 && at + 1 < tMs.length && isStart[at + 1] === 0
  const isLost = at < 0 || Number.isNaN(x[at]) || Number.isNaN(y[at]) || (t - tMs[at] > HELD_MS && !hasNext)
  const isBetween = hasNext && !Number.isNaN(x[at + 1]) && !Number.isNaN(y[at + 1])
  const share = isBetween ? (t - tMs[at]) / (tMs[at + 1] - tMs[at]) : 0
  out.gazeX[i] = isLost ? Number.NaN : isBetween ? x[at] + (x[at + 1] - x[at]) * share : x[at]
  out.gazeY[i] = isLost ? Number.NaN : isBetween ? y[at] + (y[at + 1] - y[at]) * share : y[at]
}

function lastStep(steps: [number, number][], t: number): number {
  let px = 0
  for (let i = 0; i < steps.length && steps[i][0] <= t; i++) px = steps[i][1]
  return px
}

/** Index in a fixation of the first AOI that it is in. */
const FIRST_AOI = 7
const NONE: FixationRow = [0, 0, 0, 0, null, null, null]

/** Returns the current fixation, start included and end excluded; otherwise an empty one without AOIs. */
function fixationAt(fixations: FixationRow[], t: number): FixationRow {
  let [low, high] = [0, fixations.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (fixations[middle][2] <= t) low = middle + 1
    else high = middle
  }
  const found = fixations[low - 1]
  return found !== undefined && t < found[3] ? found : NONE
}

/** Returns how many of the tests have gaze; for the others, nobody knows where the participant looked. */
export function countViewers(tests: PlayedTest[]): number {
  return tests.reduce((n, { gaze }) => n + (gaze.tMs.length > 0 ? 1 : 0), 0)
}

/** Returns how many of the tests fixate each AOI at `t`. @param aoiCount n @returns length n */
export function countInAois(tests: PlayedTest[], t: number, aoiCount: number): number[] {
  const counts = new Array<number>(aoiCount).fill(0)
  for (let i = 0; i < tests.length; i++) {
    const fixation = fixationAt(tests[i].fixations, t)
    for (let f = FIRST_AOI; f < fixation.length; f++) counts[fixation[f]!]++
  }
  return counts
}

/** Returns the times of the recorded gaze points and mouse rows just before and after `t`. */
export function sampleBeside(tests: PlayedTest[], t: number): { before: number; after: number } {
  let [before, after] = [0, Number.POSITIVE_INFINITY]
  for (const { gaze, mouse } of tests) {
    for (const { tMs } of [gaze, mouse]) {
      const at = lastAt(tMs, t)
      const last = at >= 0 && tMs[at] === t ? at - 1 : at
      if (last >= 0) before = Math.max(before, tMs[last])
      if (at + 1 < tMs.length) after = Math.min(after, tMs[at + 1])
    }
  }
  return { before, after: Number.isFinite(after) ? after : t }
}

/** Returns the part of the item in the window, in percent of the displayed item; null if unknown. */
export function windowOn(
  { window, display }: RecordedTest,
  scrollPx: number,
): { x: number; y: number; width: number; height: number } | null {
  if (window === null || display === null) return null
  return {
    x: (-display.leftPx / display.widthPx) * 100,
    y: ((scrollPx - display.topPx) / display.heightPx) * 100,
    width: (window.widthPx / display.widthPx) * 100,
    height: (window.heightPx / display.heightPx) * 100,
  }
}

/** Returns the end of the longest test, ms. */
export function endOf(tests: PlayedTest[]): number {
  let endMs = 0
  for (const { recorded, gaze, mouse, fixations } of tests) {
    const ends = [recorded.durationMs ?? 0, gaze.tMs.at(-1) ?? 0, mouse.tMs.at(-1) ?? 0, fixations.at(-1)?.[3] ?? 0]
    endMs = Math.max(endMs, ...ends)
  }
  return endMs
}
