import { seeded } from '../../../../isomorphic/random.ts'
import type { FixationSettings } from '../../fixation-list.ts'
import { medianOf } from '../../order-statistics.ts'
import { fillGaps, type Signal } from './fill-gaps.ts'
import { weigh } from './weigh.ts'

type I2mcSettings = Pick<FixationSettings, Extract<keyof FixationSettings, `i2mc${string}`> | 'mergeGapMs'>

/** Samples on a grid of equal steps, with times in µs. */
export type I2mcSamples = {
  tUs: Float64Array
  stepUs: number
  /** Positions in px, NaN where lost; overwritten. */
  gaze: Signal
  /** Signals of each eye, in the same form; empty if only `gaze` is known. */
  eyes: Signal[]
}

/** Nearness of fixations that are merged: less than `below` between the median positions, in the unit of `distance`. */
export type Near = {
  positions: Signal
  distance: (fromX: number, fromY: number, toX: number, toY: number) => number
  below: number
}

/** First and last samples of fixations, all valid. */
type Found = { first: number; last: number }

/**
 * Finds fixations by 2-means clustering (Hessels, Niehorster, Kemner & Hooge, 2017): docs/detectors.md, "I2MC". Source:
 * I2MC_Python (MIT licence, Niehorster & van Leeuwen).
 *
 * @param farthestPx largest distance across a gap that is filled
 * @param near positions and distance of fixations that are merged
 * @returns fixations of any duration, in ascending order; numbers of merged ones, and of lost positions of the
 *   clustered signals that were interpolated
 */
export function findFixations(
  { tUs, stepUs, gaze, eyes }: I2mcSamples,
  settings: I2mcSettings,
  farthestPx: number,
  near: Near,
): { found: Found[]; merged: number; filled: number } {
  const samplesIn = (ms: number) => Math.round((ms * 1000) / stepUs)
  const isLost = Uint8Array.from(gaze.x, (value) => (Number.isNaN(value) ? 1 : 0))
  const random = seeded(settings.i2mcSeed)
  const clustered = eyes.length > 0 ? eyes : [gaze]
  const lostBefore = lostIn(clustered)
  for (const signal of [gaze, ...eyes]) fillGaps(signal, samplesIn(settings.i2mcGapMs), farthestPx)
  const [size, step] = [samplesIn(settings.i2mcWindowMs), Math.max(1, samplesIn(settings.i2mcStepMs))]
  const weights = meanOf(clustered.map((signal) => weigh(signal, size, step, random)))
  const runs = runsBelow(weights, cutoffOf(weights, settings.i2mcCutoffSd))
  for (const run of runs) narrow(run, gaze, settings.i2mcEdgeMad)
  const merged = merge(runs, tUs, gaze, settings.mergeGapMs * 1000, near)
  const found = merged.flatMap(({ first, last }) => {
    while (first <= last && isLost[first] === 1) first++
    while (first <= last && isLost[last] === 1) last--
    return first > last ? [] : [{ first, last }]
  })
  return { found, merged: runs.length - merged.length, filled: lostBefore - lostIn(clustered) }
}

function lostIn(signals: Signal[]): number {
  return signals.reduce((sum, { x }) => sum + x.filter(Number.isNaN).length, 0)
}

/** Returns the mean weight of each sample, over the eyes with a weight. */
function meanOf([weights, others]: Float64Array[]): Float64Array {
  if (others === undefined) return weights
  return weights.map((weight, i) =>
    Number.isNaN(weight) ? others[i] : Number.isNaN(others[i]) ? weight : (weight + others[i]) / 2,
  )
}

/** Returns mean + k standard deviations (with divisor n − 1) of the known weights. */
function cutoffOf(weights: Float64Array, k: number): number {
  const known = weights.filter((weight) => !Number.isNaN(weight))
  const mean = known.reduce((sum, weight) => sum + weight, 0) / known.length
  const squares = known.reduce((sum, weight) => sum + (weight - mean) ** 2, 0)
  return mean + k * Math.sqrt(squares / (known.length - 1))
}

function runsBelow(weights: Float64Array, cutoff: number): Found[] {
  const runs: Found[] = []
  for (let i = 0; i < weights.length; i++) {
    if (!(weights[i] < cutoff)) continue
    const first = i
    while (weights[i + 1] < cutoff) i++
    runs.push({ first, last: i })
  }
  return runs
}

/** Moves the ends of a run inwards to the first samples that are close to its median position. */
function narrow(run: Found, { x, y }: Signal, mads: number): void {
  const [middleX, middleY] = [medianIn(x, run), medianIn(y, run)]
  const distanceOf = (i: number) => Math.sqrt((x[i] - middleX) ** 2 + (y[i] - middleY) ** 2)
  const distances = new Float64Array(run.last - run.first + 1)
  for (let i = run.first; i <= run.last; i++) distances[i - run.first] = distanceOf(i)
  const farthest = mads * medianOf(distances.filter((distance) => !Number.isNaN(distance)))
  if (run.first > 0) while (run.first < run.last && distanceOf(run.first) > farthest) run.first++
  while (run.last > run.first && distanceOf(run.last) > farthest) run.last--
}

/** Returns the median of the valid positions of a run. */
function medianIn(values: Float64Array, { first, last }: Found): number {
  return medianOf(values.slice(first, last + 1).filter((value) => !Number.isNaN(value)))
}

/** Merges runs that are close in time and space, from the last to the first, as published. */
function merge(runs: Found[], tUs: Float64Array, { x }: Signal, gapUs: number, near: Near): Found[] {
  const { positions, distance, below } = near
  const middleOf = (run: Found) => [medianIn(positions.x, run), medianIn(positions.y, run)] as const
  const merged: Found[] = []
  for (const run of [...runs].reverse()) {
    const next = merged.at(-1)
    // If any position inside is lost, there is no median to compare.
    if (next !== undefined && tUs[next.first] - tUs[run.last] < gapUs && isWhole(x, run) && isWhole(x, next)) {
      if (distance(...middleOf(run), ...middleOf(next)) < below) {
        next.first = run.first
        continue
      }
    }
    merged.push({ ...run })
  }
  return merged.reverse()
}

function isWhole(x: Float64Array, { first, last }: Found): boolean {
  for (let i = first; i <= last; i++) if (Number.isNaN(x[i])) return false
  return true
}
