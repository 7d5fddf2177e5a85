/**
 * A seeded random stream: sfc32 (Chris Doty-Humphrey's Small Fast Counter, 32 bits, from PractRand). Each purpose and
 * index has a stream of its own, so that the numbers drawn for one test never change another test.
 */
export type Random = {
  /** 0 ≤ integer < 2³² */
  uint32: () => number
  /** 0 ≤ x < 1 */
  uniform: () => number
  /** Mean 0, deviation 1, never beyond 3.7. */
  normal: () => number
}

/** Creates a random stream. @param path whole numbers: the seed, then what the stream is for */
export function createRandom(...path: number[]): Random {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]
  const uint32 = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (const number of path) {
    a ^= scramble(number | 0)
    b ^= scramble(Math.floor(number / 2 ** 32) | 0)
    for (let round = 0; round < 12; round++) uint32()
  }
  const uniform = () => uint32() / 2 ** 32
  const normal = () => NORMAL_QUANTILES[uint32() >>> 20]
  return { uint32, uniform, normal }
}

/** Mixes the bits by the finalizer of MurmurHash3, so that similar seeds give unrelated streams. */
function scramble(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** 4096 equally likely values of the normal distribution: a lookup is faster than Box and Muller's logarithms. */
export const NORMAL_QUANTILES = Float64Array.from({ length: 4096 }, (_, i) => normalQuantile((i + 0.5) / 4096))

/** Computes the inverse normal distribution by Peter Acklam's rational approximation (relative error below 1.2e-9). */
function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p)
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p))
    const numerator =
      ((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q - 2.549732539343734) * q +
        4.374664141464968) *
        q +
      2.938163982698783
    const denominator =
      (((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1
    return numerator / denominator
  }
  const q = p - 0.5
  const r = q * q
  const numerator =
    ((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r + 1.38357751867269e2) * r -
      3.066479806614716e1) *
      r +
    2.506628277459239
  const denominator =
    ((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r + 6.680131188771972e1) * r -
      1.328068155288572e1) *
      r +
    1
  return (numerator / denominator) * q
}

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random.uniform()
}

/** Draws an integer from `low` to `high`, both included. */
export function wholeBetween(random: Random, low: number, high: number): number {
  return low + Math.floor((high - low + 1) * random.uniform())
}

export function chance(random: Random, probability: number): boolean {
  return random.uniform() < probability
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random.uniform() * list.length)]
}

/** Draws an index in proportion to the weights; 0 when all weights are 0. */
export function weightedIndex(random: Random, weights: ArrayLike<number>): number {
  let total = 0
  for (let i = 0; i < weights.length; i++) total += weights[i]
  let left = random.uniform() * total
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i]
    if (left < 0) return i
  }
  return 0
}

/** Draws a version 4 UUID, in lower case. */
export function randomUuid(random: Random): string {
  const words = [random.uint32(), random.uint32(), random.uint32(), random.uint32()]
  words[1] = ((words[1] & 0xffff0fff) | 0x4000) >>> 0
  words[2] = ((words[2] & 0x3fffffff) | 0x80000000) >>> 0
  const hex = words.map((word) => word.toString(16).padStart(8, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
