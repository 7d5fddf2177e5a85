import { describe, expect, test } from 'vitest'
import {
  contrastNames,
  type MixedData,
  mixedAnova,
  mixedContrast,
} from '../../../../engine/analysis/statistics/mixed.ts'
import { seeded } from '../../../../isomorphic/random.ts'
import { canRun } from '../../../programs.ts'
import { noteAgreement, numbersOfR, versionOfR } from '../../../validation/agreements.ts'

/**
 * A mixed design in R: `aov` with an error stratum, which is of type I, and linear models of all conditions at once
 * with contrasts that sum to 0, which is of type III and has the p corrected by ε. η² is that of its definition.
 */
const IN_R = `
options(contrasts = c("contr.sum", "contr.poly"))
stratum <- function(fit, name) { s <- summary(fit)[[name]][[1]]; rownames(s) <- trimws(rownames(s)); s }
compare <- function(Y, group) {
  n <- nrow(Y); k <- ncol(Y)
  long <- data.frame(y = c(Y), id = factor(rep(1:n, k)), group = factor(rep(group, k)), condition = factor(rep(1:k, each = n)))
  fit <- aov(y ~ group * condition + Error(id / condition), long)
  between <- stratum(fit, "Error: id")
  within <- stratum(fit, "Error: id:condition")
  persons <- between["Residuals", "Sum Sq"]; rest <- within["Residuals", "Sum Sq"]
  full <- lm(Y ~ factor(group))
  columns <- model.matrix(full)[, -1, drop = FALSE]
  centred <- SSD(full)$SSD; P <- diag(k) - 1 / k; centred <- P %*% centred %*% P
  epsilon <- sum(diag(centred))^2 / ((k - 1) * sum(centred^2))
  row <- function(f, p, corrected, epsilon, ss, df, error, errorDf)
    cat(ss, df, error, errorDf, f, p, epsilon, corrected, ss / (ss + persons + rest), "\\n")
  b <- between["group", ]
  row(b[["F value"]], b[["Pr(>F)"]], b[["Pr(>F)"]], 1, b[["Sum Sq"]], b[["Df"]], persons, between["Residuals", "Df"])
  spherical <- function(reduced) anova(full, reduced, X = ~1, test = "Spherical")[2, ]
  for (reduced in list(lm(Y ~ 0 + columns), lm(Y ~ 1))) {
    s <- spherical(reduced)
    df <- s[["num Df"]]; errorDf <- s[["den Df"]]
    row(s[["F"]], s[["Pr(>F)"]], s[["G-G Pr"]], epsilon, s[["F"]] * df * rest / errorDf, df, rest, errorDf)
  }
}
ofAov <- function(Y, group) {
  n <- nrow(Y); k <- ncol(Y)
  long <- data.frame(y = c(Y), id = factor(rep(1:n, k)), group = factor(rep(group, k)), condition = factor(rep(1:k, each = n)))
  fit <- aov(y ~ group * condition + Error(id / condition), long)
  between <- stratum(fit, "Error: id")
  within <- stratum(fit, "Error: id:condition")
  for (s in list(between["group", ], within["condition", ], within["group:condition", ]))
    cat(s[["Sum Sq"]], s[["F value"]], s[["Pr(>F)"]], "\\n")
}
pOf <- function(all, seen) mean(abs(all) >= abs(seen) * (1 - 1e-9))
between <- function(a, b) {
  both <- c(a, b); n <- length(a)
  pOf(apply(combn(length(both), n), 2, function(g) mean(both[g]) - mean(both[-g])), mean(a) - mean(b))
}
signs <- function(d, group) {
  means <- function(d) mean(tapply(d, group, mean))
  pOf(apply(expand.grid(rep(list(c(1, -1)), length(d))), 1, function(s) means(s * d)), means(d))
}`

/** Values that wander from condition to condition, more so in later ones, and differ between groups. */
function drawn(sizes: readonly number[], k: number, seed: number): MixedData {
  const random = seeded(seed)
  return sizes.map((n, g) => {
    const people = Array.from({ length: n }, () => {
      let value = 400 + 100 * random()
      return Array.from({ length: k }, (_, c) => {
        value += (c + 1) * 60 * (random() - 0.5) + g * c * 8
        return value
      })
    })
    return Array.from({ length: k }, (_, c) => Float64Array.from(people, (own) => own[c]))
  })
}

const contrastsOf = (data: MixedData) =>
  contrastNames(data.length, data[0].length).map((name) => mixedContrast(data, name))
const c = (values: Iterable<number>) => `c(${[...values].join(', ')})`
const inR = (data: MixedData) => {
  const [k] = [data[0].length]
  const columns = Array.from({ length: k }, (_, condition) => data.flatMap((own) => [...own[condition]]))
  const groups = data.flatMap(([first], g) => [...first].map(() => g))
  return `Y <- matrix(${c(columns.flat())}, ncol = ${k}); group <- ${c(groups)}`
}

describe.skipIf(!canRun('Rscript', '--version'))('mixed designs are those of R', () => {
  test.each([
    [[6, 6], 2],
    [[5, 9], 2],
    [[8, 8], 4],
    [[7, 12, 5], 3],
    [[10, 4, 6, 9], 5],
  ] as const)('groups of %j and %i conditions: sums of squares, F, p, ε and η²', (sizes, k) => {
    const data = drawn(sizes, k, 10 * k + sizes.length)
    const own = mixedAnova(data).flatMap((each) => [
      ...[each.squares, each.df, each.errorSquares, each.errorDf, each.f, each.p, each.epsilon, each.correctedP],
      each.etaSquared,
    ])
    const known = numbersOfR([IN_R, inR(data), 'compare(Y, group)'])
    expect(known.length).toBe(27)
    const note = {
      page: 'analysis.md#mixed-designs',
      reference: `aov and anova of linear models (type III) of ${versionOfR()}`,
      data: `groups of ${sizes.join(', ')}, ${k} conditions`,
    }
    expect(noteAgreement({ what: 'Mixed designs: sums of squares, F, p, ε, η²', ...note, own, known })).toBeLessThan(
      1e-9,
    )
  })

  test('groups of equal sizes have the sums of squares, F and p of aov', () => {
    const data = drawn([7, 7, 7], 4, 3)
    const own = mixedAnova(data).flatMap(({ squares, f, p }) => [squares, f, p])
    const known = numbersOfR([IN_R, inR(data), 'ofAov(Y, group)'])
    const note = {
      page: 'analysis.md#mixed-designs',
      reference: `aov of ${versionOfR()}`,
      data: 'three groups of 7, 4 conditions',
    }
    expect(noteAgreement({ what: 'Mixed designs: sums of squares, F, p', ...note, own, known })).toBeLessThan(1e-9)
  })

  test('p of differences are those of an enumeration', () => {
    const data = drawn([5, 6], 2, 8)
    const known = numbersOfR([
      IN_R,
      inR(data),
      'd <- Y[, 1] - Y[, 2]; m <- rowMeans(Y)',
      'cat(between(m[group == 0], m[group == 1]), signs(d, group), between(d[group == 0], d[group == 1]))',
    ])
    const own = contrastsOf(data).map(({ test: each }) => each?.p ?? Number.NaN)
    const note = {
      page: 'analysis.md#mixed-designs',
      reference: `an enumeration in ${versionOfR()}`,
      data: 'groups of 5 and 6',
    }
    expect(noteAgreement({ what: 'Mixed designs: p of differences', ...note, own, known })).toBeLessThan(1e-12)
  })
})
