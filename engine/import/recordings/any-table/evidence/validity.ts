import type { Positions } from './positions.ts'
import type { Column } from './sample.ts'

/** Largest number of different texts in a column of validity. */
const TEXTS_MOST = 8
/** Least number of rows for each meaning, and least share of them that must agree. */
const [ROWS_LEAST, AGREE_LEAST] = [5, 0.85]

/**
 * Returns the texts of a column that mean valid: in rows with the others, gaze is lost or repeats the sample before.
 *
 * @returns null if the column says nothing of the kind
 */
export function validTexts({ codes, texts }: Column, { n, x, y, isStart }: Positions): string[] | null {
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
  return used.filter(isGood).map((code) => texts[code])
}

/** Returns whether rows that a column calls invalid have positions, which would be taken for gaze without it. */
export function hidesPositions({ codes, texts }: Column, { n, x }: Positions, valid: string[]): boolean {
  for (let i = 0; i < n; i++) if (!Number.isNaN(x[i]) && !valid.includes(texts[codes[i]])) return true
  return false
}
