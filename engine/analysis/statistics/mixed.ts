import { isReached, leastPOf } from './arrangements.ts'
import { bootstrap, groupedBootstrap, meanDifference } from './bootstrap.ts'
import { LEAST, SEED } from './compare.ts'
import { mean, type Values } from './descriptive.ts'
import { permutationTest, signTest } from './permutation.ts'
import { fTail } from './tails.ts'
import type { Effect, TestResult } from './test-result.ts'

/** Values of a mixed design: of each group, of each condition, one for each participant of the group. */
export type MixedData = Float64Array[][]

/** Effects: of the group, of the condition, and of the group on the differences between conditions. */
export const MIXED_EFFECTS = ['group', 'condition', 'interaction'] as const
type MixedEffectName = (typeof MIXED_EFFECTS)[number]

/** A row of the analysis of variance. `f` and what follows from it are NaN if nothing varies. */
type MixedEffect = {
  effect: MixedEffectName
  squares: number
  df: number
  errorSquares: number
  errorDf: number
  f: number
  /** Without correction of the degrees of freedom. */
  p: number
  /** Greenhouse and Geisser's ε, and p with both degrees of freedom times ε; 1 and p between groups. */
  epsilon: number
  correctedP: number
  /** Generalized η², if participants were assigned to the groups. */
  etaSquared: number
}

/**
 * A comparison of two groups (their means over conditions), of two conditions (all groups with equal weight), or of the
 * difference of two conditions between two groups. The interval is null if a group that it needs has fewer than three
 * participants, and the test also if they are so few that p cannot reach 0.05. Means of empty groups are NaN.
 */
export type MixedContrast = {
  effect: MixedEffectName
  /** Indexes of the groups; null for all. */
  groups: [number, number] | null
  /** Indexes of the conditions; null for all. */
  conditions: [number, number] | null
  /** Participants of each group; for conditions, of all groups, twice. */
  n: [number, number]
  /** Compared means; for an interaction, the mean difference of the conditions in each group. */
  means: [number, number]
  /** First mean − second mean. */
  difference: Effect | null
  /** By permutation of participants between groups, or of the conditions within participants. */
  test: TestResult | null
}

/** Returns whether every group has enough participants for the analysis of variance. */
export function isEnoughForAnova(data: MixedData): boolean {
  return data.every(([first]) => first.length >= LEAST)
}

/**
 * Analyses the variance of a design with one factor between and one within participants (split-plot): docs/analysis.md.
 * Groups have equal weight, as with sums of squares of type III.
 *
 * @param data at least two groups of at least three participants, at least two conditions
 */
export function mixedAnova(data: MixedData): MixedEffect[] {
  const [groups, k] = [data.length, data[0].length]
  const sizes = data.map(([first]) => first.length)
  const n = sizes.reduce((sum, size) => sum + size, 0)
  const centred = data.map(centre)
  const ofGroups = centred.map(({ middle }) => middle)
  const effects = centred.map(({ effects: own }) => own)
  const weighted = (values: number[]) => values.reduce((sum, value, g) => sum + sizes[g] * value, 0) / n
  const squaresOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value * value, 0)

  const group = k * squaresOf(spread(ofGroups, sizes, weighted(ofGroups)))
  const persons = k * squaresOf(centred.flatMap(({ persons: own }) => [...own]))
  const interaction = range(k).reduce((sum, c) => {
    const own = effects.map((each) => each[c])
    return sum + squaresOf(spread(own, sizes, weighted(own)))
  }, 0)
  const harmonic = groups ** 2 / sizes.reduce((sum, size) => sum + 1 / size, 0)
  const condition = harmonic * squaresOf(range(k).map((c) => mean(effects.map((each) => each[c]))))
  const rest = squaresOf(centred.flatMap(({ rest: own }) => own.flatMap((values) => [...values])))

  const largest = data.flat().reduce((most, values) => values.reduce((m, v) => Math.max(m, Math.abs(v)), most), 0)
  const between = { errorSquares: persons, errorDf: n - groups, epsilon: 1 }
  const within = { errorSquares: rest, errorDf: (n - groups) * (k - 1), epsilon: epsilonOf(centred, k) }
  const row = (effect: MixedEffectName, squares: number, df: number, error: typeof between): MixedEffect => {
    const { errorSquares, errorDf, epsilon } = error
    const isConstant = !(Math.sqrt(errorSquares / errorDf) > 1e-12 * largest)
    const f = isConstant ? Number.NaN : squares / df / (errorSquares / errorDf)
    const pOf = (share: number) => (isConstant ? Number.NaN : fTail(f, share * df, share * errorDf))
    return {
      ...{ effect, squares, df, errorSquares, errorDf, f, p: pOf(1), correctedP: pOf(epsilon) },
      epsilon: isConstant ? Number.NaN : epsilon,
      etaSquared: isConstant ? Number.NaN : squares / (squares + persons + rest),
    }
  }
  return [
    row('group', group, groups - 1, between),
    row('condition', condition, k - 1, within),
    row('interaction', interaction, (groups - 1) * (k - 1), within),
  ]
}

/** Names a comparison: its effect, groups and conditions. */
export type ContrastName = Pick<MixedContrast, 'effect' | 'groups' | 'conditions'>

/** Returns the pairs of groups, the pairs of conditions, and the pairs of conditions between pairs of groups. */
export function contrastNames(groups: number, conditions: number): ContrastName[] {
  const [groupPairs, conditionPairs] = [pairsOf(groups), pairsOf(conditions)]
  return [
    ...groupPairs.map((pair): ContrastName => ({ effect: 'group', groups: pair, conditions: null })),
    ...conditionPairs.map((pair): ContrastName => ({ effect: 'condition', groups: null, conditions: pair })),
    ...groupPairs.flatMap((pair) =>
      conditionPairs.map((own): ContrastName => ({ effect: 'interaction', groups: pair, conditions: own })),
    ),
  ]
}

/** Compares what a name tells: some 50 ms of permutations and bootstrap samples. */
export function mixedContrast(data: MixedData, name: ContrastName): MixedContrast {
  const { groups, conditions } = name
  const valuesOf = (g: number) =>
    conditions === null ? personMeans(data[g]) : differencesOf(data[g], conditions[0], conditions[1])
  if (groups !== null) return { ...name, ...betweenGroups(valuesOf(groups[0]), valuesOf(groups[1])) }
  const n = data.reduce((sum, [first]) => sum + first.length, 0)
  const differences = data.map((_, g) => valuesOf(g))
  const isEnough = isEnoughForAnova(data)
  return {
    ...name,
    n: [n, n],
    means: (conditions ?? []).map((c) => mean(data.map((own) => mean(own[c])))) as [number, number],
    difference: isEnough ? groupedBootstrap(differences, (drawn) => mean(drawn.map(mean)), SEED) : null,
    test: isEnough && isReached(leastPOf('within', n)) ? signTest(differences, SEED) : null,
  }
}

function differencesOf(conditions: Float64Array[], one: number, other: number): Float64Array {
  return conditions[one].map((value, i) => value - conditions[other][i])
}

function betweenGroups(a: Values, b: Values): Pick<MixedContrast, 'n' | 'means' | 'difference' | 'test'> {
  const isEnough = a.length >= LEAST && b.length >= LEAST
  return {
    n: [a.length, b.length],
    means: [mean(a), mean(b)],
    difference: isEnough ? bootstrap(a, b, meanDifference, SEED) : null,
    test: isEnough && isReached(leastPOf('between', a.length, b.length)) ? permutationTest(a, b, SEED) : null,
  }
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
const pairsOf = (n: number) => range(n).flatMap((a) => range(n - a - 1).map((b): [number, number] => [a, a + 1 + b]))

/** Returns the mean of each participant over the conditions. */
function personMeans(conditions: Float64Array[]): Float64Array {
  return conditions[0].map((_, i) => mean(conditions.map((values) => values[i])))
}

/** Returns the distances of values from their middle, times √n of their groups, for weighted squares. */
function spread(values: number[], sizes: number[], middle: number): number[] {
  return values.map((value, g) => Math.sqrt(sizes[g]) * (value - middle))
}

/** Divides the values of a group: its mean, effects of conditions, of participants, and what is left. */
type Centred = { middle: number; effects: number[]; persons: Float64Array; rest: Float64Array[] }

function centre(conditions: Float64Array[]): Centred {
  const means = conditions.map(mean)
  const middle = mean(means)
  const own = personMeans(conditions)
  return {
    middle,
    effects: means.map((each) => each - middle),
    persons: own.map((each) => each - middle),
    rest: conditions.map((values, c) => values.map((value, i) => value - means[c] - own[i] + middle)),
  }
}

/**
 * Returns Greenhouse and Geisser's ε: with the pooled covariances of what is left once participants and conditions are
 * taken out, the square of their trace over k − 1 times the sum of their squares.
 */
function epsilonOf(centred: Centred[], k: number): number {
  if (k === 2) return 1
  let [trace, squares] = [0, 0]
  for (let a = 0; a < k; a++)
    for (let b = 0; b < k; b++) {
      let sum = 0
      for (const { rest } of centred) for (let i = 0; i < rest[a].length; i++) sum += rest[a][i] * rest[b][i]
      if (a === b) trace += sum
      squares += sum * sum
    }
  return (trace * trace) / ((k - 1) * squares)
}
