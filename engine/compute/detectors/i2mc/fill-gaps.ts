/** Positions on a grid of equal steps, in px: NaN if lost, length n. */
export type Signal = { x: Float64Array; y: Float64Array }

/** A run of lost samples, with its first and last. */
export type Lost = { first: number; last: number }

/** Number of valid samples that a gap needs on either side. */
const EDGE = 2

/**
 * Fills short gaps between nearby positions by Steffen interpolation: docs/detectors.md, "I2MC", step 2. Source:
 * `find_interp_wins` and `windowed_interpolate` of I2MC_Python (MIT licence, Niehorster & van Leeuwen).
 *
 * @param signal overwritten where a gap is filled
 * @param longest gap that is filled, in samples
 * @param farthestPx largest distance across a gap that is filled
 */
export function fillGaps(signal: Signal, longest: number, farthestPx: number): void {
  const gaps = joinGaps(lostOf(signal.x), longest)
  const n = signal.x.length
  const filled = gaps.filter(
    ({ first, last }, g) =>
      last - first + 1 <= longest &&
      first >= EDGE + 1 &&
      last <= n - 1 - EDGE &&
      (g === 0 || gaps[g - 1].last < first - EDGE) &&
      (g === gaps.length - 1 || gaps[g + 1].first > last + EDGE) &&
      isNear(signal, first, last, farthestPx),
  )
  for (const gap of filled) fill(signal, gap)
}

/** Returns the runs of lost samples. */
export function lostOf(x: Float64Array): Lost[] {
  const gaps: Lost[] = []
  for (let i = 0; i < x.length; i++) {
    if (!Number.isNaN(x[i])) continue
    const first = i
    while (i + 1 < x.length && Number.isNaN(x[i + 1])) i++
    gaps.push({ first, last: i })
  }
  return gaps
}

/** Joins short gaps with too few valid samples between them; these samples then count as support. */
function joinGaps(gaps: Lost[], longest: number): Lost[] {
  const joined: Lost[] = []
  for (let g = 0; g < gaps.length; g++) {
    const gap = { ...gaps[g] }
    const before = joined.at(-1)
    const hasLeft = before === undefined || gap.first - before.last - 1 >= EDGE
    while (
      hasLeft &&
      gap.last - gap.first + 1 <= longest &&
      g + 1 < gaps.length &&
      gaps[g + 1].first - gap.last - 1 < EDGE
    ) {
      g++
      gap.last = gaps[g].last
    }
    joined.push(gap)
  }
  return joined
}

/** Returns whether gaze before and after each run of lost samples in a gap is close enough. */
function isNear({ x, y }: Signal, first: number, last: number, farthestPx: number): boolean {
  for (let i = first; i <= last; i++) {
    if (!Number.isNaN(x[i])) continue
    const start = i
    while (i + 1 <= last && Number.isNaN(x[i + 1])) i++
    const dx = middle(x, i + 1) - middle(x, start - EDGE)
    const dy = middle(y, i + 1) - middle(y, start - EDGE)
    if (Math.sqrt(dx * dx + dy * dy) > farthestPx) return false
  }
  return true
}

/** Returns the median of two samples, one of which may be lost. */
function middle(values: Float64Array, at: number): number {
  const [a, b] = [values[at], values[at + 1]]
  return Number.isNaN(a) ? b : Number.isNaN(b) ? a : (a + b) / 2
}

function fill({ x, y }: Signal, { first, last }: Lost): void {
  const support: number[] = []
  for (let i = first - EDGE; i <= last + EDGE; i++) if (!Number.isNaN(x[i])) support.push(i)
  const lost: number[] = []
  for (let i = first; i <= last; i++) if (Number.isNaN(x[i])) lost.push(i)
  for (const values of [x, y]) {
    const known = support.map((i) => values[i])
    const slopes = slopesOf(support, known)
    for (const i of lost) values[i] = valueAt(support, known, slopes, i)
  }
}

/** Returns the slope at each support, limited so that the curve is monotonic between them (Steffen, 1990). */
function slopesOf(at: number[], known: number[]): number[] {
  const n = at.length
  const step = at.slice(1).map((t, k) => t - at[k])
  const rise = step.map((h, k) => (known[k + 1] - known[k]) / h)
  const end = (h1: number, h2: number, s1: number, s2: number) => {
    const p = s1 * (1 + h1 / (h1 + h2)) - (s2 * h1) / (h1 + h2)
    return p * s1 <= 0 ? 0 : Math.abs(p) > 2 * Math.abs(s1) ? 2 * s1 : p
  }
  return at.map((_, k) => {
    if (k === 0) return end(step[0], step[1], rise[0], rise[1])
    if (k === n - 1) return end(step[n - 2], step[n - 3], rise[n - 2], rise[n - 3])
    const [before, after] = [rise[k - 1], rise[k]]
    if (before * after <= 0) return 0
    const p = (before * step[k] + after * step[k - 1]) / (step[k - 1] + step[k])
    const least = Math.min(Math.abs(before), Math.abs(after))
    return Math.abs(p) > 2 * least ? 2 * Math.sign(before) * least : p
  })
}

function valueAt(at: number[], known: number[], slopes: number[], i: number): number {
  let k = 0
  while (at[k + 1] < i) k++
  const h = at[k + 1] - at[k]
  const s = (known[k + 1] - known[k]) / h
  const a = (slopes[k] + slopes[k + 1] - 2 * s) / h / h
  const b = (3 * s - 2 * slopes[k] - slopes[k + 1]) / h
  const t = i - at[k]
  return known[k] + t * (slopes[k] + t * (b + t * a))
}
