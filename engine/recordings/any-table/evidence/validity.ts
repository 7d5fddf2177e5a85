import type { SampledPositions } from './positions.ts'
import type { SampledColumn } from './sample.ts'

/** Largest number of different texts in a column of validity. */
const TEXTS_MOST = 8
/** Least number of rows for each meaning, least share of them that must agree, and largest share of invalid rows. */
const [ROWS_LEAST, AGREE_LEAST, BAD_MOST] = [5, 0.85, 0.5]

/**
 * Returns the texts of a column that mean valid: in rows with the others, gaze is lost or repeats the sample before.
 *
 * @returns null if the column says nothing of the kind
 */
export function validTexts({ codes, texts }: SampledColumn, { n, x, y, isStart }: SampledPositions): string[] | null {
  if (texts.length < 2 || texts.length > TEXTS_MOST || codes.includes(-1)) return null
  const [rows, bad] = [new Float64Array(texts.length), new Float64Array(texts.length)]
  for (let i = 1; i < n; i++) {
    if (isStart[i]) continue
    rows[codes[i]]++
    if (Number.isNaN(x[i]) || (x[i] === x[i - 1] && y[i] === y[i - 1])) bad[codes[i]]++
  }
  const used = texts.map((_, code) => code).filter((code) => rows[code] >= ROWS_LEAST)
  const isBad = (code: number) => bad[code] >= AGREE_LEAST * rows[code]
  const isGood = (code: number) => bad[code] <= (1 - AGREE_LEAST) * rows[code]
  if (!used.every((code) => isBad(code) || isGood(code)) || !used.some(isBad) || !used.some(isGood)) return null
  const isMany = used.reduce((sum, code) => sum + (isBad(code) ? rows[code] : 0), 0) > BAD_MOST * n
  return isMany ? null : used.filter(isGood).map((code) => texts[code])
}

/**
 * Returns the least number of a column that means valid, as of a pupil or of a confidence: where it is 0 or missing,
 * positions repeat the sample before, or are lost.
 *
 * @returns null if the column says nothing of the kind
 */
export function leastValid({ numbers }: SampledColumn, { n, x, y, isStart }: SampledPositions): number | null {
  let [none, some, noneBad, someBad, hidden, least] = [0, 0, 0, 0, 0, Number.POSITIVE_INFINITY]
  for (let i = 1; i < n; i++) {
    if (isStart[i]) continue
    const isBad = Number.isNaN(x[i]) || (x[i] === x[i - 1] && y[i] === y[i - 1])
    if (numbers[i] > 0) {
      some++
      if (isBad) someBad++
      least = Math.min(least, numbers[i])
    } else {
      if (numbers[i] < 0) return null
      none++
      if (isBad) noneBad++
      if (!Number.isNaN(x[i])) hidden++
    }
  }
  const isTold = noneBad >= AGREE_LEAST * none && someBad <= (1 - AGREE_LEAST) * some
  if (none < ROWS_LEAST || none > BAD_MOST * n || hidden === 0 || !isTold) return null
  return least >= 1 ? LEAST_SIZE : least / 10
}

/** Number above 0 below every size of a pupil. */
const LEAST_SIZE = 0.5

/** Counts the rows in which a column does not agree with gaze that is lost or repeats the sample before. */
export function missesOf(isValid: (i: number) => boolean, { n, x, y, isStart }: SampledPositions): number {
  let misses = 0
  for (let i = 1; i < n; i++) {
    if (isStart[i]) continue
    const isBad = Number.isNaN(x[i]) || (x[i] === x[i - 1] && y[i] === y[i - 1])
    if (isBad === isValid(i)) misses++
  }
  return misses
}

/** Returns whether rows that a column calls invalid have positions, which would be taken for gaze without it. */
export function hidesPositions({ codes, texts }: SampledColumn, { n, x }: SampledPositions, valid: string[]): boolean {
  for (let i = 0; i < n; i++) if (!Number.isNaN(x[i]) && !valid.includes(texts[codes[i]])) return true
  return false
}
