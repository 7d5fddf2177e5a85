import { seeded } from '../../../isomorphic/random.ts'
import { type Arrangements, type ClusterDesign, eachArrangement, isReached, leastPOf, waysOf } from './arrangements.ts'
import { mean } from './descriptive.ts'
import { studentQuantile } from './student-t.ts'

/** Values of two conditions: of each participant, one for each bin, NaN for none. */
export type ClusterData = {
  /** `within`: the participants of both conditions are the same, at the same indexes. */
  design: ClusterDesign
  first: Float64Array[]
  second: Float64Array[]
}

export type ClusterSettings = {
  /** Two-sided p of a bin's t from which the bin belongs to a cluster. */
  alpha: number
  /** Arrangements that are drawn, unless there are no more than so many. */
  permutations: number
  seed: number
}

/** Comparison of the conditions in each bin: columns with NaN where there is none. */
type BinTests = {
  n: [Int32Array, Int32Array]
  means: [Float64Array, Float64Array]
  /** Difference of the means, and half its 95 % interval. */
  difference: Float64Array
  half: Float64Array
  t: Float64Array
  df: Int32Array
  /** Size of t from which the bin belongs to a cluster. */
  threshold: Float64Array
}

/** Neighbouring bins, half-open, whose t lie beyond the threshold on one side; `p` is null if it cannot reach 0.05. */
type Cluster = { start: number; end: number; mass: number; p: number | null }

export type ClusterTest = {
  bins: BinTests
  clusters: Cluster[]
  /** Number of arrangements, at most 2⁵³; all of them were computed if `isExact`. */
  arrangements: number
  isExact: boolean
  /** Least p that any data of these sizes can reach; null if nothing can be tested. */
  leastP: number | null
}

/**
 * Compares two conditions over time by cluster permutation: docs/looks.md (Maris and Oostenveld, 2007).
 *
 * @param data at least one bin; arrays of equal length
 */
export function testClusters(data: ClusterData, { alpha, permutations, seed }: ClusterSettings): ClusterTest {
  const { design, first, second } = data
  const bins = (first[0] ?? second[0])?.length ?? 0
  const tested = testBins(data, bins, alpha)
  const found = clustersOf(tested.t, tested.threshold)
  const ways = arrangementsOf(design, first.length, second.length, permutations)
  const { count, isExact, leastP } = ways
  if (found.length === 0 || leastP === null || !isReached(leastP))
    return { bins: tested, clusters: found.map((each) => ({ ...each, p: null })), arrangements: count, isExact, leastP }
  const tOf = design === 'within' ? pairedT(data, bins) : groupedT(data, bins)
  const t = new Float64Array(bins)
  // Sums in another order may differ in the last bits.
  const least = found.map(({ mass }) => Math.abs(mass) * (1 - 1e-9))
  const asLarge = found.map(() => 0)
  let computed = 0
  eachArrangement(ways, seeded(seed), (arrangement) => {
    tOf(arrangement, t)
    const largest = largestMass(t, tested.threshold)
    for (let c = 0; c < least.length; c++) if (largest >= least[c]) asLarge[c]++
    computed++
  })
  const pOf = (k: number) => (isExact ? k / computed : (k + 1) / (computed + 1))
  const clusters = found.map((each, c) => ({ ...each, p: pOf(asLarge[c]) }))
  return { bins: tested, clusters, arrangements: count, isExact, leastP }
}

/** Returns the arrangements of a design, and the least p that they allow. */
function arrangementsOf(design: ClusterData['design'], n: number, m: number, permutations: number) {
  const count = waysOf(design, n, m)
  const isExact = count <= permutations
  const leastExact = leastPOf(design, n, m)
  const isEmpty = n < 2 || m < 2
  return {
    ...({ design, n, m, permutations } satisfies Omit<Arrangements, 'isExact'>),
    count: Math.min(count, Number.MAX_SAFE_INTEGER),
    isExact,
    leastP: isEmpty ? null : isExact ? leastExact : Math.max(leastExact, 1 / (permutations + 1)),
  }
}

/** Compares the conditions in each bin. */
function testBins({ design, first, second }: ClusterData, bins: number, alpha: number): BinTests {
  const empty = () => new Float64Array(bins).fill(Number.NaN)
  const tests: BinTests = {
    n: [new Int32Array(bins), new Int32Array(bins)],
    means: [empty(), empty()],
    difference: empty(),
    half: empty(),
    t: empty(),
    df: new Int32Array(bins),
    threshold: empty(),
  }
  for (let b = 0; b < bins; b++) {
    const [x, y] = design === 'within' ? pairsAt(first, second, b) : [knownAt(first, b), knownAt(second, b)]
    tests.n[0][b] = x.length
    tests.n[1][b] = y.length
    tests.means[0][b] = mean(x)
    tests.means[1][b] = mean(y)
    const df = design === 'within' ? x.length - 1 : x.length + y.length - 2
    tests.df[b] = Math.max(0, df)
    if (x.length < 2 || y.length < 2) continue
    const { difference, error, scale } =
      design === 'within' ? ofPairs(x.map((value, i) => value - y[i])) : ofGroups(x, y)
    tests.difference[b] = difference
    tests.half[b] = studentQuantile(0.95, df) * error
    tests.threshold[b] = studentQuantile(1 - alpha, df)
    tests.t[b] = tOf(difference, error, scale)
  }
  return tests
}

const knownAt = (values: Float64Array[], b: number) => values.map((own) => own[b]).filter((v) => !Number.isNaN(v))

function pairsAt(first: Float64Array[], second: Float64Array[], b: number): [number[], number[]] {
  const both = [...first.keys()].filter((i) => !Number.isNaN(first[i][b] + second[i][b]))
  return [both.map((i) => first[i][b]), both.map((i) => second[i][b])]
}

type Difference = { difference: number; error: number; scale: number }

function ofPairs(differences: number[]): Difference {
  const [n, difference] = [differences.length, mean(differences)]
  const squares = differences.reduce((sum, value) => sum + (value - difference) ** 2, 0)
  return { difference, error: Math.sqrt(squares / (n - 1) / n), scale: Math.abs(difference) }
}

function ofGroups(x: number[], y: number[]): Difference {
  const [a, b] = [mean(x), mean(y)]
  const squares = (values: number[], middle: number) => values.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  const variance = (squares(x, a) + squares(y, b)) / (x.length + y.length - 2)
  const error = Math.sqrt(variance * (1 / x.length + 1 / y.length))
  return { difference: a - b, error, scale: Math.max(Math.abs(a), Math.abs(b)) }
}

/** Returns t; NaN where the values are constant, as `t.test` of R refuses them. */
function tOf(difference: number, error: number, scale: number): number {
  return error > 10 * Number.EPSILON * scale ? difference / error : Number.NaN
}

/** Returns a function that computes t in each bin for signs of the differences. */
function pairedT({ first, second }: ClusterData, bins: number): (signs: Int8Array, t: Float64Array) => void {
  const n = first.length
  const d = Float64Array.from({ length: bins * n }, (_, i) => first[i % n][(i / n) | 0] - second[i % n][(i / n) | 0])
  return (signs, t) => {
    for (let b = 0; b < bins; b++) {
      let [sum, count] = [0, 0]
      for (let i = 0, at = b * n; i < n; i++, at++) {
        if (Number.isNaN(d[at])) continue
        sum += signs[i] * d[at]
        count++
      }
      const mean = sum / count
      let squares = 0
      for (let i = 0, at = b * n; i < n; i++, at++) if (!Number.isNaN(d[at])) squares += (signs[i] * d[at] - mean) ** 2
      t[b] = count < 2 ? Number.NaN : tOf(mean, Math.sqrt(squares / (count - 1) / count), Math.abs(mean))
    }
  }
}

/** Returns a function that computes t in each bin for participants in the first (1) or second (−1) group. */
function groupedT({ first, second }: ClusterData, bins: number): (signs: Int8Array, t: Float64Array) => void {
  const all = [...first, ...second]
  const n = all.length
  const values = Float64Array.from({ length: bins * n }, (_, i) => all[i % n][(i / n) | 0])
  return (signs, t) => {
    for (let b = 0; b < bins; b++) {
      let [sumX, sumY, x, y] = [0, 0, 0, 0]
      for (let i = 0, at = b * n; i < n; i++, at++) {
        if (Number.isNaN(values[at])) continue
        if (signs[i] === 1) {
          sumX += values[at]
          x++
        } else {
          sumY += values[at]
          y++
        }
      }
      const [a, c] = [sumX / x, sumY / y]
      let squares = 0
      for (let i = 0, at = b * n; i < n; i++, at++)
        if (!Number.isNaN(values[at])) squares += (values[at] - (signs[i] === 1 ? a : c)) ** 2
      const error = Math.sqrt((squares / (x + y - 2)) * (1 / x + 1 / y))
      t[b] = x < 2 || y < 2 ? Number.NaN : tOf(a - c, error, Math.max(Math.abs(a), Math.abs(c)))
    }
  }
}

/** Returns the clusters of bins. */
export function clustersOf(t: Float64Array, threshold: Float64Array): Omit<Cluster, 'p'>[] {
  const clusters: Omit<Cluster, 'p'>[] = []
  for (let b = 0; b < t.length; b++) {
    const side = sideOf(t[b], threshold[b])
    if (side === 0) continue
    const start = b
    let mass = t[b]
    while (b + 1 < t.length && sideOf(t[b + 1], threshold[b + 1]) === side) mass += t[++b]
    clusters.push({ start, end: b + 1, mass })
  }
  return clusters
}

/** Returns the size of the largest cluster; 0 for none. */
function largestMass(t: Float64Array, threshold: Float64Array): number {
  let [largest, mass, before] = [0, 0, 0]
  for (let b = 0; b < t.length; b++) {
    const side = sideOf(t[b], threshold[b])
    mass = side === 0 ? 0 : side === before ? mass + t[b] : t[b]
    before = side
    if (Math.abs(mass) > largest) largest = Math.abs(mass)
  }
  return largest
}

/** Returns 1 or −1 for a t beyond the threshold, 0 for others and for none. */
function sideOf(t: number, threshold: number): -1 | 0 | 1 {
  return t > threshold ? 1 : t < -threshold ? -1 : 0
}
