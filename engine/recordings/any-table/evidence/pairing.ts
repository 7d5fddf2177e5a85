import { type Movement, movementOf } from './movement.ts'
import { positionsOf, type SampledPositions, type Times } from './positions.ts'
import { sortedNumbers, valueAt } from './quantiles.ts'
import type { Sample } from './sample.ts'
import { HALF_SCREEN_PX, verdictOf } from './verdict.ts'

/** Gaze that was found by values alone: columns of x and y of each eye, or the reason why there is none. */
export type FoundPairs = { pairs: { x: number; y: number }[]; why: string }

/** Axis of gaze: the columns of one or both eyes, which agree up to an offset. */
type Axis = { columns: number[]; values: SampledPositions[] }

/** Least number of numbers in a column of positions, as a share of its rows. */
const NUMBERS_LEAST = 0.3
const [ALIKE, TOGETHER] = [0.9, 0.3]
/** Largest offset between the eyes, and its standard deviation, as shares of the spread of gaze. */
const [OFFSET_MOST, OFFSET_SD_MOST] = [0.1, 0.2]
/** Largest ratio between the noises of the two eyes, and least scatter between them, as a multiple of that noise. */
const [NOISE_RATIO_MOST, SCATTER_LEAST] = [1.6, 0.25]

/** Finds the columns of gaze by how they move, whatever their names. @param taken columns with another meaning */
export function findGaze(sample: Sample, times: Times, taken: number[]): FoundPairs {
  const none = (why: string): FoundPairs => ({ pairs: [], why })
  const moving = sample.columns.flatMap((_, at) => (taken.includes(at) ? [] : axisOf(sample, times, at)))
  const axes = merged(moving)
  const matches = axes.flatMap((one, i) =>
    axes.slice(i + 1).flatMap((other) => (areTogether(one, other) && !isSameAxis(one, other) ? [[one, other]] : [])),
  )
  if (matches.length === 0) return none('no two columns move as x and y of gaze do')
  const names = (axis: Axis) => axis.columns.map((at) => sample.header[at]).join(', ')
  const [best, second] = matches.filter((match) => !match.some(isOff))
  if (best === undefined) return none(`${matches[0].map(names).join(' and ')} move as gaze does and lie on no screen`)
  if (second !== undefined)
    return none(`${best.map(names).join(' and ')}, and ${second.map(names).join(' and ')}, both move as gaze does`)
  const twin = axes.find((axis) => !best.includes(axis) && best.some((one) => isSameAxis(one, axis)))
  if (twin !== undefined)
    return none(`${best.map(names).join(' and ')} move as gaze does, and ${names(twin)} say the same in another unit`)
  const computed = best.find(isComputed)
  if (computed !== undefined) return none(`${names(computed)} move as gaze does, and one is computed from the other`)
  const [{ x }, { x: y }] = best.map(({ values }) => values[0])
  const movement = movementOf({ n: sample.n, ...times, x, y })
  if (verdictOf(movement) !== 'gaze') return none(`${best.map(names).join(' and ')} move alike, and not as gaze does`)
  const ordered = xFirst(best, movement)
  if (ordered === null) return none(`${best.map(names).join(' and ')} move as gaze does; which is x is not to be seen`)
  return (
    pairsOf(ordered) ?? none(`${best.map(names).join(' and ')} move as gaze does, and not as one pair for each eye`)
  )
}

/** Returns a column as an axis if it moves as gaze does. */
function axisOf(sample: Sample, times: Times, at: number): Axis[] {
  const { numbers, codes } = sample.columns[at]
  const n = numbers.reduce((sum, value) => sum + (value - value === 0 ? 1 : 0), 0)
  if (n < NUMBERS_LEAST * sample.n || !codes.includes(-1)) return []
  const values = positionsOf(sample, times, at, at)
  const movement = movementOf(values)
  // An axis alone may move seldom, as y does in reading.
  const moves = ['gaze', 'odd', 'off'].includes(verdictOf(movement)) && !restsAtOnePlace(values.x)
  return moves ? [{ columns: [at], values: [values] }] : []
}

/** Returns whether a column comes back to one value again and again, as velocities do. */
function restsAtOnePlace(values: Float64Array): boolean {
  const sorted = sortedNumbers(values)
  const range = (share: number) => valueAt(sorted, 1 - share) - valueAt(sorted, share)
  return range(0.25) < RESTS_MOST * range(0.02)
}
const RESTS_MOST = 0.12

/** Joins the columns of both eyes. */
function merged(axes: Axis[]): Axis[] {
  const found: Axis[] = []
  for (const axis of axes) {
    const own = found.find((one) => one.values.some((values) => agree(values.x, axis.values[0].x)))
    if (own === undefined) found.push(axis)
    else {
      own.columns.push(...axis.columns)
      own.values.push(...axis.values)
    }
  }
  return found
}

/** Returns whether two columns are the same axis of two eyes: alike, in the same unit, and near each other. */
function agree(a: Float64Array, b: Float64Array): boolean {
  const sorted = sortedNumbers(a)
  const spread = valueAt(sorted, 0.95) - valueAt(sorted, 0.05)
  const apart = a.map((value, i) => b[i] - value).filter((value) => value - value === 0)
  if (apart.length < 20) return false
  const mean = apart.reduce((sum, value) => sum + value, 0) / apart.length
  const sd = Math.sqrt(apart.reduce((sum, value) => sum + (value - mean) ** 2, 0) / apart.length)
  return correlation(a, b) >= ALIKE && Math.abs(mean) <= OFFSET_MOST * spread && sd <= OFFSET_SD_MOST * spread
}

/** Returns whether positions are those of two eyes: near each other, and none computed from the other. */
export function areTwoEyes(a: SampledPositions, b: SampledPositions): boolean {
  const vertical = (of: SampledPositions): SampledPositions => ({ ...of, x: of.y })
  const axes = [
    [a, b],
    [vertical(a), vertical(b)],
  ].map((values): Axis => ({ columns: [0, 1], values }))
  return axes.every((axis) => agree(axis.values[0].x, axis.values[1].x) && !isComputed(axis))
}

/** Returns whether one of two columns is the other one smoothed, or moved by an offset: no other eye. */
function isComputed({ columns, values }: Axis): boolean {
  if (columns.length !== 2) return false
  const [a, b] = values.map(({ x }) => x)
  const [noise, other] = [noiseOf(a), noiseOf(b)]
  const apart = sortedNumbers(a.map((value, i) => b[i] - value))
  const scatter = valueAt(apart, 0.75) - valueAt(apart, 0.25)
  const ratio = Math.max(noise, other) / Math.min(noise, other)
  return !(ratio <= NOISE_RATIO_MOST && scatter >= SCATTER_LEAST * Math.min(noise, other))
}

/** Time over which movements of two axes are compared, in ms. */
const MOVED_MS = 20

/** Returns whether two columns leap at the same times, as x and y do. */
function areTogether(one: Axis, other: Axis): boolean {
  return correlation(movesOf(one), movesOf(other)) >= TOGETHER
}

/** Returns whether two columns are one axis in two units, such as px and degrees: each is computed from the other. */
function isSameAxis({ values: [a] }: Axis, { values: [b] }: Axis): boolean {
  return Math.abs(correlation(a.x, b.x)) >= COMPUTED
}

/** Least correlation of an axis with itself in another unit. */
const COMPUTED = 0.98

/** Returns how far an axis moves in the time before each row. */
function movesOf({ values: [{ n, tMs, x, isStart }] }: Axis): Float64Array {
  const moves = new Float64Array(n).fill(Number.NaN)
  let back = 0
  for (let i = 1; i < n; i++) {
    if (isStart[i]) back = i
    while (tMs[i] - tMs[back + 1] >= MOVED_MS && back + 1 < i) back++
    if (back < i) moves[i] = Math.abs(x[i] - x[back])
  }
  return moves
}

/** Correlates the rows in which both columns have a number. */
function correlation(a: Float64Array, b: Float64Array): number {
  let [n, sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    if (a[i] - a[i] !== 0 || b[i] - b[i] !== 0) continue
    n++
    sumA += a[i]
    sumB += b[i]
    squaresA += a[i] * a[i]
    squaresB += b[i] * b[i]
    products += a[i] * b[i]
  }
  const both = products - (sumA * sumB) / n
  return both / Math.sqrt((squaresA - sumA ** 2 / n) * (squaresB - sumB ** 2 / n))
}

/** Returns whether an axis lies beyond the origin altogether, further than half of a screen. */
function isOff({ values: [{ x }] }: Axis): boolean {
  const sorted = sortedNumbers(x)
  return valueAt(sorted, 0.99) < 0 && valueAt(sorted, 0.01) < -HALF_SCREEN_PX.y
}

/**
 * Least ratio by which x reaches further than y, lies further in, or is measured more finely in shares of the screen.
 */
const WIDER = 1.15

/** Least number of fixations whose places tell x from y against the order of the columns; fewer if x is much wider. */
const [PLACES_LEAST, PLACES_OF_WIDE_LEAST] = [40, 20]
const MUCH_WIDER = 1.5

/**
 * Puts x before y; null where they cannot be told apart. Screens are wider than high; where few places were looked at,
 * the order of the columns must say the same.
 */
function xFirst([one, other]: Axis[], { fixationsPerSecond, lookedMs }: Movement): [Axis, Axis] | null {
  const ratios = ratiosOf(one.values[0].x, other.values[0].x)
  const places = (fixationsPerSecond * lookedMs) / 1000
  if (ratios.every((ratio) => ratio >= WIDER)) return [one, other]
  const isTold = (least: number, wider: number) => places >= least && ratios.every((ratio) => ratio <= 1 / wider)
  if (isTold(PLACES_LEAST, WIDER) || isTold(PLACES_OF_WIDE_LEAST, MUCH_WIDER)) return [other, one]
  return null
}

/** Returns how many times wider the first axis seems to be than the second, by different measures. */
function ratiosOf(a: Float64Array, b: Float64Array): number[] {
  const [sortedA, sortedB] = [sortedNumbers(a), sortedNumbers(b)]
  const ratio = (measure: (sorted: Float64Array) => number) => measure(sortedA) / measure(sortedB)
  const most = Math.max(valueAt(sortedA, 0.99), valueAt(sortedB, 0.99))
  const isCentred = [sortedA, sortedB].every((sorted) => valueAt(sorted, 0.2) < 0)
  // Noise is as large in x as in y, so that it is a smaller share of the longer side.
  if (most <= PERCENT_MOST) return [1 / (noiseOf(a) / noiseOf(b))]
  const reach = (sorted: Float64Array) => valueAt(sorted, 0.98) - valueAt(sorted, 0.02)
  if (isCentred) return [ratio(reach)]
  return [ratio((sorted) => valueAt(sorted, 0.98)), ratio((sorted) => valueAt(sorted, 0.5))]
}

const PERCENT_MOST = 110

/** Returns the usual step between samples. */
function noiseOf(values: Float64Array): number {
  const steps = values.map((value, i) => Math.abs(value - values[i - 1]))
  return valueAt(sortedNumbers(steps), 0.4)
}

/** Pairs the columns of two axes eye by eye: those lost or stale in the same rows; null where they do not pair. */
function pairsOf([xs, ys]: [Axis, Axis]): FoundPairs | null {
  const [meanX, meanY] = [meanOf(xs), meanOf(ys)]
  if (meanX !== null && meanY !== null) return { pairs: [{ x: meanX, y: meanY }], why: '' }
  if (meanX !== null || meanY !== null || xs.columns.length !== ys.columns.length || xs.columns.length > 2) return null
  const left = [...ys.columns.keys()]
  const pairs = xs.columns.map((x, i) => {
    const best = left.reduce((a, b) =>
      unlike(xs.values[i], ys.values[b]) < unlike(xs.values[i], ys.values[a]) ? b : a,
    )
    left.splice(left.indexOf(best), 1)
    return { x, y: ys.columns[best] }
  })
  return { pairs, why: '' }
}

/** Counts the rows in which only one of two columns is lost, or repeats the row before, as stale gaze does. */
function unlike({ x: a }: SampledPositions, { x: b }: SampledPositions): number {
  const isGone = (values: Float64Array, i: number) => Number.isNaN(values[i]) || values[i] === values[i - 1]
  return a.reduce((sum, _, i) => sum + (isGone(a, i) === isGone(b, i) ? 0 : 1), 0)
}

/** Returns the column of three that is the mean of the others. */
function meanOf({ columns, values }: Axis): number | null {
  if (columns.length !== 3) return null
  const apart = (of: number) => {
    const [a, b] = values.filter((_, i) => i !== of)
    const gaps = values[of].x.map((value, i) => Math.abs(value - (a.x[i] + b.x[i]) / 2))
    return valueAt(sortedNumbers(gaps), 0.9)
  }
  const gaps = columns.map((_, i) => apart(i))
  const best = gaps.indexOf(Math.min(...gaps))
  return gaps.every((gap, i) => i === best || gap > 4 * gaps[best]) ? columns[best] : null
}
