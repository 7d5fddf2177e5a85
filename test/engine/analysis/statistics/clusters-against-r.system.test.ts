import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type ClusterData, testClusters } from '../../../../engine/analysis/statistics/clusters.ts'
import { seeded } from '../../../../isomorphic/random.ts'
import { canRun } from '../../../programs.ts'
import { noteAgreement, versionOfR } from '../../../validation/agreements.ts'

/**
 * Cluster permutation in R, written from Maris and Oostenveld (2007): t by `sd` and `var`, clusters by `rle`, and all
 * arrangements by `expand.grid` or `combn`. Prints start, end, mass and p of each cluster, then -1.
 */
const IN_R = `
tOf <- function(x, y, within) {
  if (within) return(colMeans(x - y) / (apply(x - y, 2, sd) / sqrt(nrow(x))))
  n <- nrow(x); m <- nrow(y)
  pooled <- ((n - 1) * apply(x, 2, var) + (m - 1) * apply(y, 2, var)) / (n + m - 2)
  (colMeans(x) - colMeans(y)) / sqrt(pooled * (1 / n + 1 / m))
}
clustersOf <- function(t, threshold) {
  runs <- rle(ifelse(t > threshold, 1, ifelse(t < -threshold, -1, 0)))
  ends <- cumsum(runs$lengths)
  starts <- ends - runs$lengths + 1
  kept <- runs$values != 0
  cbind(starts[kept], ends[kept], mapply(function(s, e) sum(t[s:e]), starts[kept], ends[kept]))
}
compare <- function(x, y, within, alpha) {
  n <- nrow(x); m <- nrow(y)
  threshold <- qt(1 - alpha / 2, if (within) n - 1 else n + m - 2)
  largest <- function(x, y) { found <- clustersOf(tOf(x, y, within), threshold); if (nrow(found)) max(abs(found[, 3])) else 0 }
  all <- rbind(x, y)
  null <- if (within) apply(expand.grid(rep(list(c(1, -1)), n)), 1, function(s) largest(ifelse(s == 1, 1, 0) * x + ifelse(s == 1, 0, 1) * y, ifelse(s == 1, 1, 0) * y + ifelse(s == 1, 0, 1) * x))
  else apply(combn(n + m, n), 2, function(g) largest(all[g, , drop = FALSE], all[-g, , drop = FALSE]))
  found <- clustersOf(tOf(x, y, within), threshold)
  for (k in seq_len(nrow(found))) cat(found[k, 1] - 1, found[k, 2], found[k, 3], mean(null >= abs(found[k, 3]) * (1 - 1e-9)), "\\n")
  cat(-1, "\\n")
}`

const matrix = (rows: Float64Array[]) =>
  `matrix(c(${rows.map((row) => [...row].join(',')).join(',')}), ${rows.length}, byrow = TRUE)`

/** Rows that wander, and differ in a part of the bins. */
function drawn(design: ClusterData['design'], n: number, m: number, bins: number, seed: number): ClusterData {
  const random = seeded(seed)
  const row = (shift: number) => {
    let x = 0
    return Float64Array.from({ length: bins }, (_, b) => {
      x = 0.7 * x + random() - 0.5
      return x + (b >= bins / 3 && b < bins / 2 ? shift : 0)
    })
  }
  const rows = (count: number, shift: number) => Array.from({ length: count }, () => row(shift))
  return { design, first: rows(n, 0.4), second: rows(m, 0) }
}

describe.skipIf(!canRun('Rscript', '--version'))('clusters are those of an enumeration in R', () => {
  test.each([
    ['within', 7, 7, 0.05],
    ['within', 8, 8, 0.2],
    ['between', 5, 4, 0.1],
    ['between', 5, 5, 0.2],
  ] as const)('%s, %i and %i participants', (design, n, m, alpha) => {
    const data = drawn(design, n, m, 24, n * m)
    const script = `options(digits = 15)\n${IN_R}\ncompare(${matrix(data.first)}, ${matrix(data.second)}, ${design === 'within' ? 'TRUE' : 'FALSE'}, ${alpha})`
    const lines = execFileSync('Rscript', ['-'], { input: script, encoding: 'utf8' }).trim().split('\n')
    const known = lines.map((line) => line.trim().split(/\s+/).map(Number))
    expect(known.pop()).toEqual([-1])
    const { clusters, isExact } = testClusters(data, { alpha, permutations: 1000, seed: 1 })
    expect(isExact).toBe(true)
    expect(known.length).toBeGreaterThan(0)
    expect(clusters.map(({ start, end }) => [start, end])).toEqual(known.map(([start, end]) => [start, end]))
    for (const [c, { mass, p }] of clusters.entries()) {
      expect(mass).toBeCloseTo(known[c][2], 10)
      expect(p).toBeCloseTo(known[c][3], 12)
    }
    noteAgreement({
      what: `Clusters ${design} participants: bins, mass and p`,
      page: 'looks.md#clusters-of-bins',
      reference: `an enumeration in ${versionOfR()}`,
      data: `${n} and ${m} participants, 24 bins, α = ${alpha}`,
      own: clusters.flatMap(({ start, end, mass, p }) => [start, end, mass, p ?? Number.NaN]),
      known: known.flat(),
    })
  })
})
