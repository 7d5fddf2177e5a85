import { openCodes } from './loss.ts'
import type { Sample } from './sample.ts'
import { findStuckCodes } from './stuck-codes.ts'

/** Positions of a sample in two of its columns; NaN in both where lost. Arrays of length n. */
export type SampledPositions = {
  n: number
  tMs: Float64Array
  x: Float64Array
  y: Float64Array
  /** 1 for a row that does not follow the one before it in time. */
  isStart: Uint8Array
}

/** Times of sampled rows, in ms, and where they begin anew. */
export type Times = Pick<SampledPositions, 'tMs' | 'isStart'>

/** Longest step between rows that follow each other, in ms. */
const STEP_MOST_MS = 400
/** Sampling interval of rows without a clock, in ms. */
const ASSUMED_MS = 10

/** Returns the times of rows by a clock; without one, rows are as far apart as those of a slow tracker. */
export function timesOf({ n, isStart, columns }: Sample, clock: number, unitMs: number): Times {
  const tMs = clock < 0 ? Float64Array.from({ length: n }, (_, i) => i * ASSUMED_MS) : new Float64Array(n)
  const starts = isStart.slice()
  for (let i = 0; i < n; i++) {
    if (clock >= 0) tMs[i] = columns[clock].numbers[i] * unitMs
    const step = tMs[i] - tMs[i - 1]
    if (!(step >= 0 && step <= STEP_MOST_MS)) starts[i] = 1
  }
  return { tMs, isStart: starts }
}

/** Returns the positions in two columns, without the codes for lost gaze, and without those of rows without a time. */
export function positionsOf({ n, columns }: Sample, times: Times, xAt: number, yAt: number): SampledPositions {
  const [xs, ys] = [columns[xAt].numbers, columns[yAt].numbers]
  const codes = openCodes()
  // Codes are told from positions by all rows.
  for (let i = 0; i < n; i++) codes.add(xs[i], ys[i], i)
  const lost = [...codes.found().filter((code) => code.n > 1), ...findStuckCodes(xs, ys, times.isStart)]
  const [x, y] = [xs.slice(), ys.slice()]
  for (let i = 0; i < n; i++) {
    const isLost =
      Number.isNaN(times.tMs[i]) ||
      Number.isNaN(x[i]) ||
      Number.isNaN(y[i]) ||
      lost.some((code) => code.x === x[i] && code.y === y[i])
    if (isLost) x[i] = y[i] = Number.NaN
  }
  return { n, ...times, x, y }
}
