/** Numbers that a seed decides. */
export type Random = {
  /** In [0, 1). */
  next: () => number
  below: (n: number) => number
  chance: (p: number) => boolean
  /** The rank of one of n things of which the k-th is 1/k as frequent as the first, from 0. */
  zipf: (n: number) => number
}

/** Returns the numbers of a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  // The integral of 1/x is a logarithm.
  const zipf = (n: number) => Math.min(n - 1, Math.floor((n + 1) ** next()) - 1)
  return { next, below, chance: (p) => next() < p, zipf }
}
