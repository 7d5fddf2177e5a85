import { describe, expect, test } from 'vitest'
import { compareScanpaths } from '../../../../engine/analysis/statistics/compare-scanpaths.ts'
import { aoiString, entropiesOf, recurrenceOf, type Scanpath } from '../../../../engine/compute/scanpath.ts'
import { coefficientK } from '../../../../engine/exports/columns/scanpath-measures.ts'
import { seeded } from '../../../../isomorphic/random.ts'
import { canRun } from '../../../programs.ts'
import { noteAgreement, numbersOfR, versionOfR } from '../../../validation/agreements.ts'

const AOIS = 4

/** A scanpath that stays in places for a while, with fixations on a grid, so that some recur. */
function drawn(n: number, random: () => number): Scanpath {
  let place = -1
  const places = Array.from({ length: n }, () => {
    if (random() < 0.6) place = Math.floor(random() * (AOIS + 1)) - 1
    return place
  })
  const on = (steps: number) => Float64Array.from({ length: n }, () => Math.floor(random() * steps) / steps)
  const durationMs = Float64Array.from({ length: n }, () => 80 + Math.floor(random() * 400))
  return { n, place: Int32Array.from(places), x: on(6), y: on(4), durationMs }
}

const random = seeded(58)
const PATHS = [12, 1, 30, 7, 25, 2, 18].map((n) => drawn(n, random))
const vector = (values: Iterable<number | string>) => `c(${[...values].join(',')})`

describe.skipIf(!canRun('Rscript', '--version'))('scanpaths are those of R', () => {
  test('Levenshtein distances are those of adist, and Needleman–Wunsch scores follow from its weights', () => {
    const letters = vector(PATHS.map((path) => JSON.stringify(aoiString(path))))
    // Equal letters are what is left of both lengths: the score is half their sum less 2 and 1.5 for each edit.
    const known = numbersOfR([
      `s <- ${letters}`,
      'd <- adist(s)',
      'w <- adist(s, costs = c(insertions = 1.5, deletions = 1.5, substitutions = 2))',
      'score <- outer(nchar(s), nchar(s), "+") / 2 - w',
      'for (i in seq_along(s)) for (j in seq_along(s)) if (i < j) cat(d[i, j], score[i, j], "\\n")',
    ])
    const own = PATHS.flatMap((one, i) =>
      PATHS.slice(i + 1).flatMap((other) => {
        const { levenshtein, needlemanWunsch } = compareScanpaths(one, other, 1)
        return [levenshtein, needlemanWunsch]
      }),
    )
    expect(own).toHaveLength(known.length)
    const about = { what: 'Scanpaths: Levenshtein distance and Needleman–Wunsch score', page: 'scanpaths.md' }
    const data = `${known.length / 2} pairs of random AOI strings`
    expect(noteAgreement({ ...about, data, reference: `adist of ${versionOfR()}`, own, known })).toBe(0)
  })

  test('entropies, recurrence and coefficient K are those of their definitions', () => {
    const known = numbersOfR([
      'h <- function(p) -sum(ifelse(p > 0, p * log2(p), 0))',
      'runs <- function(v, k) with(rle(v), sum(lengths[values & lengths >= k]))',
      ...PATHS.flatMap(({ place, x, y }) => [
        // A stay is a run of one place; transitions go from one to the next.
        `stays <- rle(${vector(place)})$values; m <- table(factor(head(stays, -1), -1:${AOIS - 1}), factor(tail(stays, -1), -1:${AOIS - 1}))`,
        'leaving <- rowSums(m); pi <- leaving / sum(leaving)',
        'cat(if (sum(m) == 0) c(NaN, NaN) else c(sum(pi[pi > 0] * apply(m[pi > 0, , drop = FALSE] / leaving[pi > 0], 1, h)), h(pi)), "")',
        `r <- as.matrix(dist(cbind(${vector(x)}, ${vector(y)}))) <= 0.1; n <- nrow(r); up <- r & upper.tri(r); R <- sum(up)`,
        'if (n < 2) cat(NaN, NaN, NaN, NaN, "") else if (R == 0) cat(0, NaN, NaN, NaN, "") else {',
        '  diagonals <- sum(sapply(split(up, col(up) - row(up)), runs, 2))',
        '  lines <- sum(apply(up, 1, runs, 2)) + sum(apply(up, 2, runs, 2))',
        '  cat(100 * 2 * R / (n * (n - 1)), 100 * diagonals / R, 100 * lines / (2 * R), 100 * sum((col(up) - row(up))[up]) / ((n - 1) * R), "")',
        '}',
      ]),
      `d <- list(${PATHS.map(({ durationMs }) => vector(durationMs)).join(',')})`,
      `a <- list(${PATHS.map(({ x }) => vector(x)).join(',')})`,
      'z <- function(v) (unlist(v) - mean(unlist(v))) / sd(unlist(v))',
      'cat(tapply(z(d) - z(a), rep(seq_along(d), lengths(d)), mean))',
    ])
    const measures = PATHS.flatMap((path) => {
      const { transition, stationary } = entropiesOf(path, AOIS)
      const { recurrence, determinism, laminarity, center } = recurrenceOf(path, 0.1, 5000)
      return [transition, stationary, recurrence, determinism, laminarity, center]
    })
    const sum = (n: number, value: (i: number) => number) =>
      Array.from({ length: n }, (_, i) => value(i)).reduce((total, each) => total + each, 0)
    const pairs = PATHS.map(({ n, durationMs: d, x: a }) => ({
      n,
      d: sum(n, (i) => d[i]),
      dd: sum(n, (i) => d[i] ** 2),
      a: sum(n, (i) => a[i]),
      aa: sum(n, (i) => a[i] ** 2),
    }))
    const own = [...measures, ...pairs.map(coefficientK(pairs))]
    expect(own).toHaveLength(known.length)
    const about = { what: 'Scanpaths: entropies, recurrence, coefficient K', page: 'scanpaths.md' }
    const data = `${PATHS.length} random scanpaths of 1 to 30 fixations`
    const reference = `the same definitions in ${versionOfR()}`
    expect(noteAgreement({ ...about, data, reference, own, known })).toBeLessThan(1e-9)
  })
})
