import type { FixationRow, RecordedTest } from '../../core/api.ts'

/** Test in the replay: its recording, and its fixations, which may be empty. */
export type PlayedTest = {
  recorded: RecordedTest
  fixations: FixationRow[]
  name: string
  color: string
  /** True if gaze was lost before an index of `recorded.gaze`. */
  isStart: Uint8Array
}

type Place = { x: number; y: number }

/** State of a test at a moment; positions in percent of the displayed item. */
export type Moment = {
  /** Null while gaze is lost. */
  gaze: Place | null
  /** Range of indexes into the recorded gaze, half-open. */
  trail: { start: number; end: number }
  mouse: Place | null
  /** Recent clicks, with the time since each. */
  clicks: (Place & { agoMs: number })[]
  scrollPx: number
}

/** Time for which the last gaze point is shown: the longest step that is not a gap in docs/signal.md. */
const HELD_MS = 50
export const CLICK_SHOWN_MS = 700
/** A frame of the player, ms. */
export const FRAME_MS = 1000 / 60

/** Prepares a test for the replay. */
export function played(
  recorded: RecordedTest,
  fixations: FixationRow[],
  { name, color }: { name: string; color: string },
): PlayedTest {
  const isStart = new Uint8Array(recorded.gaze.tMs.length)
  for (const place of recorded.segmentStarts) isStart[place] = 1
  return { recorded, fixations, name, color, isStart }
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

/** Returns the state of a test at `t` ms from item onset. @param trailMs duration of the gaze trail */
export function momentOf({ recorded, isStart }: PlayedTest, t: number, trailMs: number): Moment {
  const { gaze, mouse, scroll } = recorded
  const at = lastAt(gaze.tMs, t)
  const m = lastAt(mouse.tMs, t)
  return {
    gaze: at < 0 ? null : gazeAt(recorded, isStart, at, t),
    trail: { start: lastAt(gaze.tMs, t - trailMs) + 1, end: at + 1 },
    mouse: m < 0 ? null : placeOf(mouse, m),
    clicks: recorded.clicks.flatMap((place) => {
      const agoMs = t - mouse.tMs[place]
      const clicked = agoMs >= 0 && agoMs < CLICK_SHOWN_MS ? placeOf(mouse, place) : null
      return clicked === null ? [] : [{ ...clicked, agoMs }]
    }),
    scrollPx: lastStep(scroll, t),
  }
}

/** Interpolates linearly to the next point of the same segment. */
function gazeAt({ gaze }: RecordedTest, isStart: Uint8Array, at: number, t: number): Place | null {
  const here = placeOf(gaze, at)
  const since = t - gaze.tMs[at]
  const hasNext = at + 1 < gaze.tMs.length && isStart[at + 1] === 0
  if (here === null || (since > HELD_MS && !hasNext)) return null
  const next = hasNext ? placeOf(gaze, at + 1) : null
  if (next === null) return here
  const share = since / (gaze.tMs[at + 1] - gaze.tMs[at])
  return { x: here.x + (next.x - here.x) * share, y: here.y + (next.y - here.y) * share }
}

function placeOf({ x, y }: RecordedTest['gaze'], i: number): Place | null {
  const [px, py] = [x[i], y[i]]
  return px === null || py === null ? null : { x: px, y: py }
}

function lastStep(steps: [number, number][], t: number): number {
  let px = 0
  for (const [fromMs, to] of steps) {
    if (fromMs > t) break
    px = to
  }
  return px
}

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

/** Returns the tests with gaze; for the others, nobody knows where the participant looked. */
export function viewersOf(tests: PlayedTest[]): PlayedTest[] {
  return tests.filter(({ recorded }) => recorded.gaze.tMs.length > 0)
}

/** Returns how many of the tests fixate each AOI at `t`. @param aoiCount n @returns length n */
export function countInAois(tests: PlayedTest[], t: number, aoiCount: number): number[] {
  const counts = new Array<number>(aoiCount).fill(0)
  for (const { fixations } of tests) for (const a of fixationAt(fixations, t).slice(7) as number[]) counts[a]++
  return counts
}

/** Returns the times of the recorded gaze points and mouse rows just before and after `t`. */
export function sampleBeside(tests: PlayedTest[], t: number): { before: number; after: number } {
  let [before, after] = [0, Number.POSITIVE_INFINITY]
  for (const { recorded } of tests) {
    for (const { tMs } of [recorded.gaze, recorded.mouse]) {
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
  for (const { recorded, fixations } of tests) {
    const ends = [
      recorded.durationMs ?? 0,
      recorded.gaze.tMs.at(-1) ?? 0,
      recorded.mouse.tMs.at(-1) ?? 0,
      fixations.at(-1)?.[3] ?? 0,
    ]
    endMs = Math.max(endMs, ...ends)
  }
  return endMs
}
