import type { TextLines, WordPlaces } from './text-lines.ts'

/** Steps of the path, from the pair before: of both, of the fixation, or of the word. */
const BOTH = 0
const FIXATION = 1
const WORD = 2

/**
 * Assigns fixations to the lines of the words that dynamic time warping pairs them with: docs/reading.md, "Fixations on
 * lines".
 */
export function warpLines({ x, y }: WordPlaces, { words, lineY }: TextLines): Int32Array {
  const [n, m] = [x.length, words.x.length]
  const steps = new Uint8Array(n * m)
  let before = new Float64Array(m)
  let costs = new Float64Array(m)
  for (let f = 0; f < n; f++) {
    for (let w = 0; w < m; w++) {
      const both = f > 0 && w > 0 ? before[w - 1] : Number.POSITIVE_INFINITY
      const fixation = f > 0 ? before[w] : Number.POSITIVE_INFINITY
      const word = w > 0 ? costs[w - 1] : Number.POSITIVE_INFINITY
      const least = Math.min(both, fixation, word)
      const [dx, dy] = [x[f] - words.x[w], y[f] - words.y[w]]
      costs[w] = Math.sqrt(dx * dx + dy * dy) + (f === 0 && w === 0 ? 0 : least)
      steps[f * m + w] = both === least ? BOTH : fixation === least ? FIXATION : WORD
    }
    ;[before, costs] = [costs, before]
  }
  const counts = Array.from({ length: n }, () => new Int32Array(lineY.length))
  for (let f = n - 1, w = m - 1; ; ) {
    counts[f][words.line[w]]++
    if (f === 0 && w === 0) break
    const step = steps[f * m + w]
    if (step !== WORD) f--
    if (step !== FIXATION) w--
  }
  return Int32Array.from(counts, (own) => own.indexOf(Math.max(...own)))
}
