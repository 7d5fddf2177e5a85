import type { Scanpath } from '../../compute/scanpath.ts'
import { quantile } from './descriptive.ts'

/** Similarities of two scanpaths by MultiMatch, each from 0 to 1. */
type MultiMatch = { vector: number; direction: number; length: number; position: number; duration: number }

/** Similarity of two scanpaths; null where one is too short. */
export type ScanpathPair = {
  /** Least number of insertions, deletions and replacements between the AOI strings. */
  levenshtein: number
  /** Best score of an alignment of the AOI strings. */
  needlemanWunsch: number
  multiMatch: MultiMatch | null
}

/** Fewest fixations of a scanpath that MultiMatch compares. */
const FIXATIONS_MIN = 3

/** Compares two scanpaths: docs/scanpaths.md. @param diagonal of the displayed item, in its widths */
export function compareScanpaths(a: Scanpath, b: Scanpath, diagonal: number): ScanpathPair {
  return {
    levenshtein: 0 - alignPlaces(a, b, { match: 0, mismatch: -1, gap: -1 }),
    needlemanWunsch: alignPlaces(a, b, { match: 1, mismatch: -1, gap: -1 }),
    multiMatch: Math.min(a.n, b.n) < FIXATIONS_MIN ? null : multiMatch(a, b, diagonal),
  }
}

/** Returns the best score of a global alignment of the places of two scanpaths (Needleman and Wunsch, 1970). */
function alignPlaces(
  a: Scanpath,
  b: Scanpath,
  { match, mismatch, gap }: { match: number; mismatch: number; gap: number },
): number {
  const row = Float64Array.from({ length: b.n + 1 }, (_, j) => j * gap + 0)
  for (let i = 1; i <= a.n; i++) {
    let before = row[0]
    row[0] = i * gap
    for (let j = 1; j <= b.n; j++) {
      const pair = before + (a.place[i - 1] === b.place[j - 1] ? match : mismatch)
      before = row[j]
      row[j] = Math.max(pair, row[j] + gap, row[j - 1] + gap)
    }
  }
  return row[b.n] + 0
}

const RIGHT = 1
const DOWN = 2

/**
 * Compares the saccades of two scanpaths in pairs, along the alignment with the least sum of vector differences
 * (Dewhurst et al., 2012), without simplification. If several have it, the last step is diagonal, else along the
 * second.
 */
function multiMatch(a: Scanpath, b: Scanpath, diagonal: number): MultiMatch {
  const [n, m] = [a.n - 1, b.n - 1]
  const [ux, uy, vx, vy] = [steps(a.x, n), steps(a.y, n), steps(b.x, m), steps(b.y, m)]
  const difference = (i: number, j: number) => {
    const [x, y] = [ux[i] - vx[j], uy[i] - vy[j]]
    return Math.sqrt(x * x + y * y)
  }
  const from = new Uint8Array(n * m)
  let above = new Float64Array(m)
  let row = new Float64Array(m)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let best = i > 0 && j > 0 ? above[j - 1] : Number.POSITIVE_INFINITY
      if (j > 0 && row[j - 1] < best) {
        best = row[j - 1]
        from[i * m + j] = RIGHT
      }
      if (i > 0 && above[j] < best) {
        best = above[j]
        from[i * m + j] = DOWN
      }
      row[j] = i === 0 && j === 0 ? 0 : best + difference(i, j)
    }
    ;[above, row] = [row, above]
  }
  const columns = { vector: [], direction: [], length: [], position: [], duration: [] } as Record<string, number[]>
  for (let i = n - 1, j = m - 1; ; ) {
    columns.vector.push(difference(i, j))
    columns.direction.push(angleBetween(Math.atan2(uy[i], ux[i]), Math.atan2(vy[j], vx[j])))
    columns.length.push(Math.abs(Math.hypot(ux[i], uy[i]) - Math.hypot(vx[j], vy[j])))
    columns.position.push(Math.hypot(a.x[i] - b.x[j], a.y[i] - b.y[j]))
    const [d, e] = [a.durationMs[i], b.durationMs[j]]
    columns.duration.push(Math.abs(d - e) / Math.max(d, e))
    if (i === 0 && j === 0) break
    const step = from[i * m + j]
    if (step !== RIGHT) i--
    if (step !== DOWN) j--
  }
  const similarity = (name: string, most: number) => 1 - quantile(columns[name], 0.5) / most
  return {
    vector: similarity('vector', 2 * diagonal),
    direction: similarity('direction', Math.PI),
    length: similarity('length', diagonal),
    position: similarity('position', diagonal),
    duration: similarity('duration', 1),
  }
}

/** Returns the n steps from each position to the next. */
function steps(position: Float64Array, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => position[i + 1] - position[i])
}

/** Returns the angle between two directions, from 0 to π. */
function angleBetween(first: number, second: number): number {
  const apart = Math.abs(first - second)
  return apart > Math.PI ? 2 * Math.PI - apart : apart
}
