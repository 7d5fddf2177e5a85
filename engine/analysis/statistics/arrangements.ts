export const CLUSTER_DESIGNS = ['within', 'between'] as const
export type ClusterDesign = (typeof CLUSTER_DESIGNS)[number]

/**
 * Ways to arrange participants: `within`, n signs; `between`, n of n + m in the first group. All of them if `isExact`,
 * else `permutations` random ones.
 */
export type Arrangements = {
  design: ClusterDesign
  n: number
  m: number
  permutations: number
  isExact: boolean
}

/**
 * Calls a function with each arrangement: of each participant, the sign of the difference, or 1 for the first group and
 * −1 for the second.
 *
 * @param take gets an array that is overwritten after it returns
 */
export function eachArrangement(
  { design, n, m, permutations, isExact }: Arrangements,
  random: () => number,
  take: (signs: Int8Array) => void,
): void {
  if (design === 'within') {
    const signs = new Int8Array(n)
    for (let k = 0; k < (isExact ? 2 ** n : permutations); k++) {
      for (let i = 0; i < n; i++) signs[i] = isExact ? ((k >> i) & 1 ? -1 : 1) : random() < 0.5 ? 1 : -1
      take(signs)
    }
    return
  }
  const signs = new Int8Array(n + m).fill(-1)
  if (isExact) {
    choices(n, 0, signs, take)
    return
  }
  signs.fill(1, 0, n)
  for (let k = 0; k < permutations; k++) {
    drawFirst(n, signs, random)
    take(signs)
  }
}

/** Draws `n` of some values at random, without replacement, to their beginning. */
export function drawFirst(n: number, values: { length: number; [i: number]: number }, random: () => number): void {
  for (let i = 0; i < n; i++) {
    const other = i + Math.floor(random() * (values.length - i))
    ;[values[i], values[other]] = [values[other], values[i]]
  }
}

/** A test whose least p is above this has no p. */
const REACHED = 0.05

/** Returns whether a p can be small enough for a test to be of use. */
export function isReached(leastP: number): boolean {
  return leastP <= REACHED
}

/**
 * Returns the least p of a two-sided test of all arrangements: with the mirror of an arrangement, whose differences are
 * as large; between groups of unequal sizes, it has none.
 *
 * @param n, m participants of the conditions; within participants, n of both
 */
export function leastPOf(design: ClusterDesign, n: number, m = n): number {
  return (design === 'within' || n === m ? 2 : 1) / waysOf(design, n, m)
}

/** Returns the number of arrangements. */
export function waysOf(design: ClusterDesign, n: number, m: number): number {
  return design === 'within' ? 2 ** n : choose(n + m, n)
}

/** Returns the number of ways to choose k of n. */
export function choose(n: number, k: number): number {
  let ways = 1
  for (let i = 1; i <= Math.min(k, n - k); i++) ways = (ways * (n - Math.min(k, n - k) + i)) / i
  return Math.round(ways)
}

/** Takes each choice of `left` participants from one on. */
function choices(left: number, from: number, signs: Int8Array, take: (signs: Int8Array) => void): void {
  if (left === 0) {
    take(signs)
    return
  }
  for (let i = from; i <= signs.length - left; i++) {
    signs[i] = 1
    choices(left - 1, i + 1, signs, take)
    signs[i] = -1
  }
}
