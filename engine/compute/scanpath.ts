/** Fixations of a test as a scanpath: columns of length n, places by fixation. */
export type Scanpath = {
  n: number
  /** AOI of each fixation, the first in the order of study.json; −1 outside all. */
  place: Int32Array
  /** Position in widths of the displayed item. */
  x: Float64Array
  y: Float64Array
  durationMs: Float64Array
}

/** Letters of the AOIs of an item, then those from Ā on; a dot is outside. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FURTHER = 0x100

/** Returns the AOI string of a scanpath: a letter for each fixation (docs/scanpaths.md). */
export function aoiString({ n, place }: Scanpath): string {
  return Array.from({ length: n }, (_, f) => letterOf(place[f])).join('')
}

function letterOf(place: number): string {
  if (place === -1) return '.'
  return LETTERS[place] ?? String.fromCharCode(FURTHER + place - LETTERS.length)
}

/** Transition and stationary entropy in bits; NaN without a transition. */
export type Entropies = { transitions: number; transition: number; stationary: number }

/**
 * Returns the entropies of the transitions between stays: docs/scanpaths.md (Krejtz et al., 2015).
 *
 * @param aoiCount number of AOIs; outside is one more place
 */
export function entropiesOf({ n, place }: Scanpath, aoiCount: number): Entropies {
  const places = aoiCount + 1
  const counts = new Map<number, number>()
  const left = new Map<number, number>()
  let transitions = 0
  for (let f = 1; f < n; f++) {
    if (place[f] === place[f - 1]) continue
    const key = (place[f - 1] + 1) * places + place[f] + 1
    counts.set(key, (counts.get(key) ?? 0) + 1)
    left.set(place[f - 1], (left.get(place[f - 1]) ?? 0) + 1)
    transitions++
  }
  if (transitions === 0) return { transitions, transition: Number.NaN, stationary: Number.NaN }
  let [joint, stationary] = [0, 0]
  for (const count of counts.values()) joint -= (count / transitions) * Math.log2(count / transitions)
  for (const count of left.values()) stationary -= (count / transitions) * Math.log2(count / transitions)
  // Σ π_i Σ p_ij log p_ij is the entropy of pairs less that of the places left. Adding 0 turns −0 into 0.
  return { transitions, transition: Math.max(0, joint - stationary) + 0, stationary: stationary + 0 }
}

/** Measures of recurrence in percent; NaN where there is nothing to measure. */
export type Recurrence = { recurrence: number; determinism: number; laminarity: number; center: number }

/** Least length of a line, in fixations. */
const LINE = 2
const NOTHING: Recurrence = {
  recurrence: Number.NaN,
  determinism: Number.NaN,
  laminarity: Number.NaN,
  center: Number.NaN,
}

/**
 * Measures recurrence: docs/scanpaths.md (Anderson et al., 2013). Fixations at most `radius` apart recur.
 *
 * @param fixationsMax scanpaths with more fixations are not measured
 */
export function recurrenceOf({ n, x, y }: Scanpath, radius: number, fixationsMax: number): Recurrence {
  if (n < 2 || n > fixationsMax) return NOTHING
  const recurs = new Uint8Array(n * n)
  let [count, distances] = [0, 0]
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      if ((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2 > radius ** 2) continue
      recurs[i * n + j] = 1
      count++
      distances += j - i
    }
  const recurrence = (100 * 2 * count) / (n * (n - 1))
  if (count === 0) return { ...NOTHING, recurrence }
  let [diagonal, horizontal, vertical] = [0, 0, 0]
  for (let k = 1; k < n; k++) diagonal += inLines(recurs, k, n + 1, n - k)
  for (let i = 0; i < n; i++) {
    horizontal += inLines(recurs, i * n + i + 1, 1, n - i - 1)
    vertical += inLines(recurs, i, n, i)
  }
  return {
    recurrence,
    determinism: (100 * diagonal) / count,
    laminarity: (100 * (horizontal + vertical)) / (2 * count),
    center: (100 * distances) / ((n - 1) * count),
  }
}

/** Counts the recurrences in lines of at least two, among cells one step apart. */
function inLines(recurs: Uint8Array, start: number, step: number, length: number): number {
  let [total, run] = [0, 0]
  for (let k = 0; k <= length; k++) {
    if (k < length && recurs[start + k * step] === 1) {
      run++
      continue
    }
    if (run >= LINE) total += run
    run = 0
  }
  return total
}
