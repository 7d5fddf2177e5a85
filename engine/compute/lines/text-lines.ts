import { medianOf } from '../order-statistics.ts'

/** Positions in any unit that is the same along both axes, y down. Columns of equal length. */
export type WordPlaces = { x: Float64Array; y: Float64Array }

/** A text: the y of each line, ascending; its words in reading order, with their centres and lines. */
export type TextLines = { lineY: Float64Array; words: WordPlaces & { line: Int32Array } }

/** Thresholds of chains, in distances between lines: the published ones, for lines 64 px apart. */
const CHAIN_X = 3
const CHAIN_Y = 0.5

/** Returns the median distance between neighbouring lines. */
export function lineSpacing(lineY: Float64Array): number {
  return medianOf(lineY.slice(1).map((y, l) => y - lineY[l]))
}

export function meanOf(values: Float64Array | number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** Returns the index of the value that is nearest to y; the first of several. */
export function nearestTo(values: ArrayLike<number>, y: number): number {
  let nearest = 0
  for (let i = 1; i < values.length; i++) if (Math.abs(values[i] - y) < Math.abs(values[nearest] - y)) nearest = i
  return nearest
}

/** Divides fixations where gaze goes farther than a chain: indexes of the first of each part, and their number. */
export function chainStarts({ x, y }: WordPlaces, spacing: number): number[] {
  const starts = [0]
  for (let f = 1; f < x.length; f++) {
    const isFar = Math.abs(x[f] - x[f - 1]) > CHAIN_X * spacing || Math.abs(y[f] - y[f - 1]) > CHAIN_Y * spacing
    if (isFar) starts.push(f)
  }
  return [...starts, x.length]
}
