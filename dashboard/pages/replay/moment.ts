import type { FixationRow, RecordedTest } from '../../core/api.ts'

/** Test in the replay: as recorded, with its fixations, which may be none. */
export type PlayedTest = {
  recorded: RecordedTest
  fixations: FixationRow[]
  name: string
  color: string
  /** True if gaze was lost before an index of `recorded.gaze`. */
  isStart: Uint8Array
}

export type Place = { x: number; y: number }

/** State of a test at a moment; positions in percent of the displayed item. */
export type Moment = {
  /** null where gaze is lost. */
  gaze: Place | null
  /** Places in the recorded gaze, half-open. */
  trail: { start: number; end: number }
  mouse: Place | null
  /** Clicks that were just made, with the time since. */
  clicks: (Place & { agoMs: number })[]
  scrollPx: number
}

/** Gaze is held for as long as docs/signal.md takes for no gap. */
const HELD_MS = 50
export const CLICK_SHOWN_MS = 700
/** A frame of the player, ms. */
export const FRAME_MS = 1000 / 60

/** Returns a test ready to be played. */
export function played(
  recorded: RecordedTest,
  fixations: FixationRow[],
  { name, color }: { name: string; color: string },
): PlayedTest {
  const isStart = new Uint8Array(recorded.gaze.tMs.length)
  for (const place of recorded.segmentStarts) isStart[place] = 1
  return { recorded, fixations, name, color, isStart }
}

/** Returns the place of the last time that is not after `t`, −1 before the first. @param times ascending, ms */
export function lastAt(times: ArrayLike<number>, t: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle] <= t) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns what a test shows at `t` ms from item onset. @param trailMs how much of the gaze before it is shown */
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

/** Returns the position on the line to the next point of the same segment. */
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

/** Returns the fixation under way, start included and end excluded; an empty one without AOIs otherwise. */
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

/** Returns the tests that have gaze: of the others nobody knows where their participants look. */
export function viewersOf(tests: PlayedTest[]): PlayedTest[] {
  return tests.filter(({ recorded }) => recorded.gaze.tMs.length > 0)
}

/** Returns how many of the tests fixate each AOI at `t`. @param aoiCount n @returns length n */
export function countInAois(tests: PlayedTest[], t: number, aoiCount: number): number[] {
  const counts = new Array<number>(aoiCount).fill(0)
  for (const { fixations } of tests) for (const a of fixationAt(fixations, t).slice(7) as number[]) counts[a]++
  return counts
}

/** Returns the times of all recorded gaze points and mouse rows next to `t`: the one before and the one after. */
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

/** Returns what of the item stands in the window, in percent of the displayed item; null where that is not known. */
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

/** Returns when the last of the tests ends, ms. */
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
