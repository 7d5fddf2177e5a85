import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { findEyeSaccades, pairSaccades } from '../../../engine/compute/microsaccades.ts'
import { seeded } from '../../../isomorphic/random.ts'
import { canRun } from '../../programs.ts'
import { noteAgreement, versionOfR } from '../../validation/agreements.ts'

/**
 * Binocular saccades in R, written from Engbert and Kliegl (2003) and Engbert and Mergenthaler (2006), as vectors where
 * Gazette has loops: velocities by shifted columns, runs by `rle`, overlap by the runs of the union of both eyes.
 * Prints first and last sample, peak velocity and amplitudes of the left eye, then of the right, for each.
 */
const IN_R = `
shift <- function(x, by) { at <- seq_along(x) + by; ifelse(at < 1 | at > length(x), NA, x[pmin(pmax(at, 1), length(x))]) }
velocity <- function(x, hz) {
  five <- hz / 6 * (shift(x, 2) + shift(x, 1) - shift(x, -1) - shift(x, -2))
  three <- hz / 2 * (shift(x, 1) - shift(x, -1))
  v <- ifelse(is.na(five), three, five)
  ifelse(is.na(v), 0, v)
}
runsOf <- function(isIn) {
  runs <- rle(isIn)
  last <- cumsum(runs$lengths)
  data.frame(first = last - runs$lengths + 1, last = last)[runs$values, ]
}
ranged <- function(x) sign(which.max(x) - which.min(x)) * diff(range(x))
saccadesOf <- function(x, y, hz, lambda, least) {
  vx <- velocity(x, hz); vy <- velocity(y, hz)
  noise <- function(v) sqrt(median((v - median(v))^2))
  found <- runsOf((vx / (lambda * noise(vx)))^2 + (vy / (lambda * noise(vy)))^2 > 1)
  found <- found[found$last - found$first + 1 >= least, ]
  at <- function(s) found$first[s]:found$last[s]
  found$peak <- vapply(seq_len(nrow(found)), function(s) max(sqrt(vx[at(s)]^2 + vy[at(s)]^2)), 0)
  found$dx <- vapply(seq_len(nrow(found)), function(s) ranged(x[at(s)]), 0)
  found$dy <- vapply(seq_len(nrow(found)), function(s) ranged(y[at(s)]), 0)
  found
}
largest <- function(found) found[which.max(sqrt(found$dx^2 + found$dy^2)), ]
pairsOf <- function(left, right, n) {
  isIn <- logical(n)
  for (found in list(left, right)) for (s in seq_len(nrow(found))) isIn[found$first[s]:found$last[s]] <- TRUE
  both <- runsOf(isIn)
  for (b in seq_len(nrow(both))) {
    own <- lapply(list(left, right), function(found) found[found$first >= both$first[b] & found$last <= both$last[b], ])
    if (nrow(own[[1]]) > 0 && nrow(own[[2]]) > 0) cat(unlist(largest(own[[1]])), unlist(largest(own[[2]])), "\\n")
  }
}
options(digits = 15)`

const N = 4000
const HZ = 500

/** Noise of a tracker, drift, and jumps of both eyes, of one eye, and of one shortly after the other. */
function eyes(seed: number): Float64Array[] {
  const random = seeded(seed)
  const positions = [0, 0, 0, 0]
  const columns = positions.map(() => new Float64Array(N))
  let [left, right, dx, dy] = [0, 0, 0, 0]
  for (let i = 0; i < N; i++) {
    if (random() < 0.01) {
      const kind = random()
      ;[left, right] = kind < 0.6 ? [5, 5] : kind < 0.8 ? [6, 0] : [4, 7]
      dx = (random() - 0.5) / 8
      dy = (random() - 0.5) / 8
    }
    const steps = [left > 0 ? dx : 0, left > 0 ? dy : 0, right > 0 ? dx : 0, right > 0 ? dy : 0]
    if (left > 0) left--
    if (right > 0) right--
    for (const [c, column] of columns.entries()) {
      positions[c] += steps[c] + (random() - 0.5) / 400
      column[i] = positions[c] + (random() - 0.5) / 60
    }
  }
  return columns
}

describe.skipIf(!canRun('Rscript', '--version'))('binocular saccades are those of R', () => {
  test.each([
    [1, 6, 3],
    [2, 5, 3],
    [3, 4, 6],
    [4, 3, 2],
  ])('seed %i, λ = %i, at least %i samples', (seed, lambda, minSamples) => {
    const [lx, ly, rx, ry] = eyes(seed)
    const vector = (column: Float64Array) => `c(${[...column].join(',')})`
    const eye = (x: Float64Array, y: Float64Array) =>
      `saccadesOf(${vector(x)}, ${vector(y)}, ${HZ}, ${lambda}, ${minSamples})`
    const input = `${IN_R}\npairsOf(${eye(lx, ly)}, ${eye(rx, ry)}, ${N})\n`
    const lines = execFileSync('Rscript', ['-'], { input, encoding: 'utf8' }).trim().split('\n')
    const known = lines.map((line) => line.trim().split(/\s+/).map(Number))
    const tUs = Float64Array.from({ length: N }, (_, i) => i * 2000)
    const [left, right] = [
      [lx, ly],
      [rx, ry],
    ].map(([x, y]) => findEyeSaccades({ tUs, x, y }, 2000, { lambda, minSamples }))
    const pairs = pairSaccades(left, right)
    expect(pairs.length).toBeGreaterThan(3)
    expect(left.length + right.length).toBeGreaterThan(2 * pairs.length)
    const found = pairs.map((pair) =>
      [pair.left, pair.right].flatMap((saccade) => [
        saccade.first + 1,
        saccade.last + 1,
        saccade.peakVelocity,
        saccade.amplitudeX,
        saccade.amplitudeY,
      ]),
    )
    expect(found).toHaveLength(known.length)
    noteAgreement({
      what: 'Microsaccades of both eyes: samples, peak velocities, amplitudes',
      page: 'microsaccades.md',
      reference: `the same definitions in ${versionOfR()}`,
      data: `8 s of simulated gaze at 500 Hz, λ = ${lambda}, at least ${minSamples} samples`,
      own: found.flat(),
      known: known.flat(),
    })
    for (const [p, row] of found.entries())
      for (const [c, value] of row.entries()) expect(value).toBeCloseTo(known[p][c], 9)
  })
})
