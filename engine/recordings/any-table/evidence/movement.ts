import { countFixations } from './fixation-rate.ts'
import type { SampledPositions } from './positions.ts'
import { sortedNumbers, valueAt } from './quantiles.ts'

/** Movement of positions from sample to sample. */
export type Movement = {
  seen: number
  /** Time between samples with a position, in ms. */
  lookedMs: number
  /** Range of nine tenths of the positions, and of all but a few. */
  spread: { x: number; y: number }
  low: { x: number; y: number }
  high: { x: number; y: number }
  /** Share of steps without any movement, and the longest time without one, in ms. */
  still: number
  longestStillMs: number
  /** Mean number of steps with movement that follow each other. */
  movesInARow: number
  /** Speed of saccades, as a share of a screen per ms: of the fastest step in fifty. */
  speed: number
  /** Large movements within 16 ms as a multiple of usual ones. */
  leap: number
  /** Share of the variance that lies between one sample and the next: 1 for noise, near 0 for what moves smoothly. */
  rough: number
  /** Fixations by the default detector, per second. */
  fixationsPerSecond: number
}

/** Time over which movements are measured, in ms: noise counts less than from sample to sample. */
const MOVED_MS = 16

/** Measures the movement of positions. */
export function movementOf(positions: SampledPositions): Movement {
  const { n, tMs, x, y, isStart } = positions
  const [moved, speeds]: number[][] = [[], []]
  let [lookedMs, stillMs, longestStillMs, stills, moves, runs, squares] = [0, 0, 0, 0, 0, 0, 0]
  let wasMoving = false
  let back = 0
  for (let i = 1; i < n; i++) {
    const [dx, dy] = [x[i] - x[i - 1], y[i] - y[i - 1]]
    if (isStart[i] || dx - dx !== 0) {
      stillMs = 0
      wasMoving = false
      back = i
      continue
    }
    const ms = tMs[i] - tMs[i - 1]
    lookedMs += ms
    squares += dx * dx + dy * dy
    if (ms > 0) speeds.push(Math.hypot(dx, dy) / ms)
    const isMoving = dx !== 0 || dy !== 0
    while (tMs[i] - tMs[back + 1] >= MOVED_MS && back + 1 < i) back++
    const far = Math.hypot(x[i] - x[back], y[i] - y[back])
    if (far > 0 && tMs[i] - tMs[back] >= Math.min(MOVED_MS, ms)) moved.push(far)
    if (isMoving) {
      moves++
      if (!wasMoving) runs++
      stillMs = 0
    } else {
      stills++
      stillMs += ms
      longestStillMs = Math.max(longestStillMs, stillMs)
    }
    wasMoving = isMoving
  }
  const [sortedX, sortedY] = [sortedNumbers(x), sortedNumbers(y)]
  const sorted = Float64Array.from(moved).sort()
  const at = (share: number) => ({ x: valueAt(sortedX, share), y: valueAt(sortedY, share) })
  const [low, high, lower, upper] = [at(0.01), at(0.99), at(0.05), at(0.95)]
  const all = moves + stills
  const screen = screenAround(low, high)
  return {
    ...{ seen: sortedX.length, lookedMs, low, high, longestStillMs },
    spread: { x: upper.x - lower.x, y: upper.y - lower.y },
    still: all === 0 ? 0 : stills / all,
    movesInARow: runs === 0 ? 0 : moves / runs,
    speed: valueAt(Float64Array.from(speeds).sort(), 0.98) / screen.widthPx,
    leap: valueAt(sorted, 0.98) / valueAt(sorted, 0.5),
    rough: squares / all / (2 * (variance(sortedX) + variance(sortedY))),
    fixationsPerSecond: countFixations(positions, screen) / (lookedMs / 1000),
  }
}

function variance(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
}

/** Largest positions in fractions, and in percent, of a screen. */
const [FRACTION_MOST, PERCENT_MOST] = [1.5, 110]
const LEAST_PX = { widthPx: 800, heightPx: 600 }

/** Returns a screen on which these positions may lie. */
function screenAround(low: Movement['low'], high: Movement['high']) {
  const most = Math.max(high.x, high.y, -low.x, -low.y)
  const least = most <= FRACTION_MOST ? 1 : most <= PERCENT_MOST ? 100 : null
  const [left, top] = [Math.min(0, low.x), Math.min(0, low.y)]
  const widthPx = Math.max(least ?? LEAST_PX.widthPx, high.x - left)
  const heightPx = Math.max(least ?? LEAST_PX.heightPx, high.y - top)
  return { leftPx: left, topPx: top, widthPx, heightPx }
}
