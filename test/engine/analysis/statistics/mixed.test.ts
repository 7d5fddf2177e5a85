import { expect, test } from 'vitest'
import { mannWhitney } from '../../../../engine/analysis/statistics/mann-whitney.ts'
import {
  contrastNames,
  isEnoughForAnova,
  type MixedData,
  mixedAnova,
  mixedContrast,
} from '../../../../engine/analysis/statistics/mixed.ts'
import { permutationTest, signTest } from '../../../../engine/analysis/statistics/permutation.ts'
import { fTail } from '../../../../engine/analysis/statistics/tails.ts'

const contrastsOf = (data: MixedData) =>
  contrastNames(data.length, data[0].length).map((name) => mixedContrast(data, name))
const dataOf = (groups: number[][][]): MixedData => groups.map((own) => own.map((values) => Float64Array.from(values)))

/**
 * Means of the participants 3, 4, 8 and 1, 4, 4; differences of the conditions −2, 0, −4 and 0, −2, 2. Effects of the
 * conditions −1, 1 in the first group, 0, 0 in the second.
 */
const TWO_BY_TWO = dataOf([
  [
    [2, 4, 6],
    [4, 4, 10],
  ],
  [
    [1, 3, 5],
    [1, 5, 3],
  ],
])

test('sums of squares, F and generalized η² of two groups and two conditions are those worked out by hand', () => {
  expect(mixedAnova(TWO_BY_TWO)).toEqual([
    {
      effect: 'group',
      ...{ squares: expect.closeTo(12, 12), df: 1, errorSquares: expect.closeTo(40, 12), errorDf: 4 },
      ...{ f: expect.closeTo(1.2, 12), p: expect.closeTo(P_OF_1_2, 12), epsilon: 1 },
      ...{ correctedP: expect.closeTo(P_OF_1_2, 12), etaSquared: expect.closeTo(12 / 60, 12) },
    },
    ...['condition', 'interaction'].map((effect) => ({
      effect,
      ...{ squares: expect.closeTo(3, 12), df: 1, errorSquares: expect.closeTo(8, 12), errorDf: 4 },
      ...{ f: expect.closeTo(1.5, 12), p: expect.closeTo(P_OF_1_5, 12), epsilon: 1 },
      ...{ correctedP: expect.closeTo(P_OF_1_5, 12), etaSquared: expect.closeTo(3 / 51, 12) },
    })),
  ])
})

/** P(F > 1.2) and P(F > 1.5) with 1 and 4 degrees of freedom, twice the tail of t = √F, as `pf` of R has them. */
const P_OF_1_2 = 0.334852284194253
const P_OF_1_5 = 0.287864134726691

test('groups of unequal sizes have equal weight: where one of two sees a difference of 2, there is one of 1', () => {
  // Effects −1, 1 in three participants, 0, 0 in six: H = 4 / (1/3 + 1/6) = 8, so 8 · 2 · ½².
  const values = [0, 1, 2, 0, 1, 2]
  const data = dataOf([
    [
      [1, 3, 5],
      [4, 4, 7],
    ],
    [values, [1, 0, 2, 1, 0, 2]],
  ])
  const [, condition] = mixedAnova(data)
  expect(condition.squares).toBeCloseTo(4, 12)
  const [, ofConditions] = contrastsOf(data)
  expect(ofConditions).toMatchObject({ effect: 'condition', n: [9, 9], means: [2, 3] })
  expect(ofConditions.difference?.value).toBeCloseTo(-1, 12)
})

test('ε is ½ if only two of three conditions vary, and p has both degrees of freedom times it', () => {
  // Residuals (1, −1, 0), (−1, 1, 0) and (0, 0, 0) in each group: T = (4, −4; −4, 4), so ε = 8² / (2 · 64).
  const group = [
    [6, 6, 8],
    [4, 8, 8],
    [5, 7, 8],
  ]
  const data = dataOf([group, group.map((own) => own.map((value) => value + 1))])
  const [groups, conditions, interaction] = mixedAnova(data)
  expect([groups.epsilon, conditions.epsilon, interaction.epsilon]).toEqual([1, 0.5, 0.5])
  expect(interaction.errorSquares).toBeCloseTo(8, 12)
  expect([interaction.f, interaction.correctedP]).toEqual([expect.closeTo(0, 12), expect.closeTo(1, 12)])
})

test('the interaction is the difference of differences, by permutation of participants between groups', () => {
  const zero = [0, 0, 0, 0]
  const [group, condition, interaction] = contrastsOf(
    dataOf([
      [[5, 6, 7, 8], zero],
      [[1, 2, 3, 4], zero],
    ]),
  )
  // No other choice of four is as far from the rest, but its mirror: 2 of 70.
  expect(interaction).toMatchObject({
    ...{ groups: [0, 1], conditions: [0, 1], n: [4, 4], means: [6.5, 2.5] },
    test: { statistic: 4, p: 2 / 70, isExact: true },
  })
  expect(interaction.difference?.value).toBe(4)
  expect(interaction.difference!.low).toBeGreaterThan(0)
  expect(group).toMatchObject({ groups: [0, 1], conditions: null, means: [3.25, 1.25], test: { p: 2 / 70 } })
  // All eight differences are positive: 2 of 256 signs.
  expect(condition).toMatchObject({ groups: null, n: [8, 8], means: [4.5, 0], test: { statistic: 4.5, p: 2 / 256 } })
})

test('three groups and three conditions have three, three and nine differences', () => {
  const group = [
    [1, 2, 4],
    [2, 5, 1],
    [0, 1, 3],
  ]
  const contrasts = contrastsOf(dataOf([group, group, group]))
  const count = (effect: string) => contrasts.filter((each) => each.effect === effect).length
  expect([count('group'), count('condition'), count('interaction')]).toEqual([3, 3, 9])
  expect(contrasts.filter(({ effect }) => effect === 'condition').map(({ conditions }) => conditions)).toEqual([
    [0, 1],
    [0, 2],
    [1, 2],
  ])
})

test('three in each of two groups cannot reach 0.05 and have no p, but an interval', () => {
  const [group, condition, interaction] = contrastsOf(TWO_BY_TWO)
  expect([group.test, interaction.test]).toEqual([null, null])
  expect(interaction.difference?.value).toBe(-2)
  // −1 on average, over all six: 64 signs.
  expect(condition.test).toMatchObject({ statistic: expect.closeTo(-1, 12), isExact: true })
})

test('an empty group, one of one participant and one of two are compared with nobody', () => {
  const full = [
    [1, 2, 3, 4],
    [2, 3, 5, 4],
  ]
  for (const few of [[], [1], [1, 2]]) {
    const data = dataOf([full, [few, few]])
    expect(isEnoughForAnova(data)).toBe(false)
    for (const { difference, test: own } of contrastsOf(data)) expect([difference, own]).toEqual([null, null])
    expect(contrastsOf(data)[0].n).toEqual([4, few.length])
  }
})

test('equal values have no F, and no difference with p 1', () => {
  const data = dataOf([
    [Array(7).fill(0.1), Array(7).fill(0.1)],
    [Array(10).fill(0.1), Array(10).fill(0.1)],
  ])
  for (const { f, p, correctedP, etaSquared } of mixedAnova(data))
    expect([f, p, correctedP, etaSquared]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN])
  for (const { difference, test: own } of contrastsOf(data)) {
    expect(difference?.value).toBeCloseTo(0, 12)
    expect(own?.p).toBe(1)
  }
})

test('equal values of two groups have p 1 by permutation, whatever their sums round to', () => {
  for (const [n, m] of [
    [10, 7],
    [3, 9],
    [30, 41],
  ])
    expect(permutationTest(Array(n).fill(0.1), Array(m).fill(0.1), 1).p).toBe(1)
  expect(mannWhitney([0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1]).p).toBe(1)
})

test('signs of differences are all tried, or drawn by a seed', () => {
  // Of six, only all of one sign are as far: 2 of 64.
  expect(signTest([[1, 2, 3, 4, 5, 6]], 1)).toEqual({ statistic: 3.5, p: 2 / 64, isExact: true })
  // Groups have equal weight: (2 + 5) / 2.
  expect(signTest([[2, 2], [5]], 1).statistic).toBe(3.5)
  const many = Array.from({ length: 20 }, (_, i) => i - 6)
  const drawn = signTest([many], 7)
  expect([drawn.isExact, drawn]).toEqual([false, signTest([many], 7)])
  expect(signTest([Array(20).fill(1)], 1).p).toBeCloseTo(1 / 20_001, 12)
})

test('tails of F are those of R, also with degrees of freedom that are not whole', () => {
  const known: [f: number, n: number, d: number, tail: number][] = [
    [0.5, 3, 20, 0.686518612836403],
    [4.2, 2.6, 31.7, 0.016487682842011],
    [30, 1, 8, 0.000589387976804737],
    [1, 0.83, 12.4, 0.318806425497078],
    [7, 4, 200, 2.70854396964999e-5],
    [2.5, 1.5, 3, 0.22356252015219],
    [60, 5, 120, 4.98888692843002e-31],
  ]
  for (const [f, n, d, tail] of known) expect(fTail(f, n, d) / tail).toBeCloseTo(1, 11)
  expect([fTail(0, 2, 7), fTail(Number.POSITIVE_INFINITY, 2, 7)]).toEqual([1, 0])
})
