import type { LineMethod } from '../../model/parameters.ts'
import { sliceLines } from './slice.ts'
import { chainStarts, lineSpacing, meanOf, nearestTo, type TextLines, type WordPlaces } from './text-lines.ts'
import { warpLines } from './warp.ts'

/** Methods that vote; of lines with as many votes, that of the first method counts. */
export const VOTERS = ['warp', 'slice', 'chain', 'cluster', 'segment'] as const satisfies LineMethod[]

/** Iterations of the clustering, as published; it has come to rest long before. */
const CLUSTERINGS = 100

/**
 * Assigns fixations to lines (Carr et al., 2022): docs/reading.md, "Fixations on lines".
 *
 * @param fixations in order of time
 * @returns the line of each, by index
 */
export function assignLines(method: LineMethod, fixations: WordPlaces, text: TextLines): Int32Array {
  const n = fixations.x.length
  if (n === 0 || text.lineY.length < 2) return new Int32Array(n)
  if (method === 'vote') return vote(VOTERS.map((voter) => assignLines(voter, fixations, text)))
  if (method === 'warp') return warpLines(fixations, text)
  const spacing = lineSpacing(text.lineY)
  if (method === 'slice') return sliceLines(fixations, text.lineY.length, spacing)
  if (method === 'segment') return segment(fixations, text.lineY.length)
  if (method === 'cluster') return clusterOf(fixations.y, text.lineY)
  if (method === 'chain') return attachParts(chainStarts(fixations, spacing), fixations, text.lineY)
  if (method === 'split') return attachParts(sweepStarts(fixations), fixations, text.lineY)
  return attach(fixations, text.lineY)
}

function attach({ y }: WordPlaces, lineY: Float64Array): Int32Array {
  return Int32Array.from(y, (each) => nearestTo(lineY, each))
}

/** Assigns each part to the line nearest to its mean. @param starts of the parts, and the number of fixations */
function attachParts(starts: number[], { y }: WordPlaces, lineY: Float64Array): Int32Array {
  const lines = new Int32Array(y.length)
  for (let p = 0; p + 1 < starts.length; p++)
    lines.fill(nearestTo(lineY, meanOf(y.subarray(starts[p], starts[p + 1]))), starts[p], starts[p + 1])
  return lines
}

/** Divides fixations after return sweeps: movements in the left one of two clusters, which start at the extremes. */
function sweepStarts({ x }: WordPlaces): number[] {
  const steps = x.subarray(1).map((each, f) => each - x[f])
  const isSweep = clusterOf(steps, Float64Array.of(Math.min(...steps), Math.max(...steps)))
  return [0, ...[...isSweep.keys()].filter((f) => isSweep[f] === 0).map((f) => f + 1), x.length]
}

/** Clusters values by k-means. @param starts centres at the beginning @returns the cluster of each */
function clusterOf(values: Float64Array, starts: Float64Array): Int32Array {
  const centres = starts.slice()
  const clusters = new Int32Array(values.length)
  for (let iteration = 0; iteration < CLUSTERINGS; iteration++) {
    const [sums, counts] = [new Float64Array(centres.length), new Float64Array(centres.length)]
    for (const [i, value] of values.entries()) {
      const own = nearestTo(centres, value)
      clusters[i] = own
      sums[own] += value
      counts[own]++
    }
    for (const [c, count] of counts.entries()) if (count > 0) centres[c] = sums[c] / count
  }
  return clusters
}

/** Begins a new line after each of the longest movements to the left, one fewer than there are lines. */
function segment({ x }: WordPlaces, lineCount: number): Int32Array {
  const steps = Array.from(x.subarray(1), (each, f) => ({ f, dx: each - x[f] })).sort(
    (a, b) => a.dx - b.dx || a.f - b.f,
  )
  const sweeps = new Set(steps.slice(0, lineCount - 1).map(({ f }) => f))
  let line = 0
  return Int32Array.from(x, (_, f) => {
    if (sweeps.has(f - 1)) line++
    return line
  })
}

/** Returns the line with the most votes for each fixation; of several, that of the first method. */
function vote(votes: Int32Array[]): Int32Array {
  return votes[0].map((_, f) => {
    const countOf = (line: number) => votes.filter((lines) => lines[f] === line).length
    return votes.map((lines) => lines[f]).reduce((best, line) => (countOf(line) > countOf(best) ? line : best))
  })
}
