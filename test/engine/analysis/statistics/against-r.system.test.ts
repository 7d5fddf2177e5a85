import { describe, expect, test } from 'vitest'
import { friedman } from '../../../../engine/analysis/statistics/friedman.ts'
import { holm } from '../../../../engine/analysis/statistics/holm.ts'
import { kaplanMeier, medianSurvival } from '../../../../engine/analysis/statistics/kaplan-meier.ts'
import { mannWhitney } from '../../../../engine/analysis/statistics/mann-whitney.ts'
import { wilcoxonSignedRank } from '../../../../engine/analysis/statistics/wilcoxon.ts'
import { seeded } from '../../../../isomorphic/random.ts'
import { canRun } from '../../../programs.ts'
import { noteAgreement, numbersOfR, versionOfR } from '../../../validation/agreements.ts'

const c = (values: number[]) => `c(${values.join(', ')})`

/** Draws values: with few digits some are equal. */
function draw(random: () => number, n: number, digits: number, shift = 0): number[] {
  return Array.from({ length: n }, () => Number((random() * 10 + shift).toFixed(digits)))
}

/** Sizes and digits: exact and not, with ties and without, one large. */
const CASES = [
  [3, 9],
  [7, 9],
  [12, 0],
  [12, 9],
  [30, 1],
  [49, 9],
  [50, 9],
  [120, 1],
] as const

describe.skipIf(!canRun('Rscript', '--version'))("tests are R's", () => {
  test('Mann-Whitney, Wilcoxon and Friedman give the statistic and p of R, for any sizes and ties', () => {
    const random = seeded(7)
    const lines: string[] = []
    const expected: number[] = []
    for (const [n, digits] of CASES)
      for (const shift of [0, 2]) {
        const [a, b] = [draw(random, n, digits), draw(random, n, digits, shift)]
        const others = draw(random, n + 3, digits, shift)
        const print = (call: string) => lines.push(`r <- ${call}; cat(r$statistic, r$p.value, "\\n")`)
        print(`wilcox.test(${c(a)}, ${c(others)})`)
        print(`wilcox.test(${c(a)}, ${c(b)}, paired = TRUE)`)
        print(`friedman.test(cbind(${c(a)}, ${c(b)}, ${c(others.slice(0, n))}))`)
        for (const { statistic, p } of [
          mannWhitney(a, others),
          wilcoxonSignedRank(a, b),
          friedman([a, b, others.slice(0, n)]),
        ])
          expected.push(statistic, p)
      }
    const known = numbersOfR(lines)
    expect(known.length).toBe(expected.length)
    expect(expected.length).toBe(CASES.length * 2 * 3 * 2)
    const off = known.filter((value, i) => !(Math.abs(expected[i] - value) <= 1e-9 * Math.abs(value)))
    expect(off).toEqual([])
    for (const [t, name] of ['Mann–Whitney U', 'Wilcoxon, paired', 'Friedman'].entries()) {
      const isOfTest = (_: number, i: number) => Math.floor(i / 2) % 3 === t
      noteAgreement({
        what: `${name}: statistic and p`,
        page: 'analysis.md',
        reference: `${t === 2 ? 'friedman.test' : 'wilcox.test'} of ${versionOfR()}`,
        data: '16 random samples of 3 to 120 values, with and without ties',
        own: expected.filter(isOfTest),
        known: known.filter(isOfTest),
      })
    }
  })

  test('Holm gives the p of p.adjust', () => {
    const ps = draw(seeded(3), 40, 6).map((value) => value / 10)
    const known = numbersOfR([`cat(p.adjust(${c(ps)}, "holm"))`])
    for (const [i, p] of holm(ps).entries()) expect(p).toBeCloseTo(known[i], 12)
    const reference = `p.adjust of ${versionOfR()}`
    noteAgreement({ what: 'Holm', page: 'analysis.md', reference, data: '40 p', own: holm(ps).map(Number), known })
  })
})

describe.skipIf(!canRun('Rscript', '-e', 'library(survival)'))("survival curves are R's", () => {
  test('medians are those of survfit, also where exactly half is left', () => {
    const random = seeded(11)
    const cases = [4, 6, 8, 10, 12, 20, 21, 30].flatMap((n) =>
      [0, 0, 0.2, 0.4].map((censored) => ({
        times: Array.from({ length: n }, () => Math.round(random() * 3000)),
        hadEvent: Array.from({ length: n }, () => random() >= censored),
      })),
    )
    const known = numbersOfR([
      'library(survival)',
      ...cases.map(
        ({ times, hadEvent }) =>
          `cat(unname(quantile(survfit(Surv(${c(times)}, ${c(hadEvent.map(Number))}) ~ 1), 0.5, conf.int = FALSE)), "\\n")`,
      ),
    ])
    expect(known.length).toBe(cases.length)
    const own = cases.map(({ times, hadEvent }) => medianSurvival(kaplanMeier(times, hadEvent)) ?? Number.NaN)
    expect(own).toEqual(known)
    const [reference, data] = [`survfit of ${versionOfR()}`, '32 random samples, also with exactly half left']
    noteAgreement({ what: 'Median time to first fixation', page: 'analysis.md#survival', reference, data, own, known })
  })
})
