import { openLostCodes, splitCodes } from '../../../../isomorphic/lost-codes.ts'
import { isMissing } from '../../../../isomorphic/missing-text.ts'
import { placeOn, toPx } from '../../../../isomorphic/to-px.ts'
import type { Role } from './column-meanings.ts'
import { columnOf, listOf, type MappingDraft, type Rule, viewingOf } from './mapping-draft.ts'

export type SizePx = { widthPx: number; heightPx: number }
export type PreviewTable = { header: string[]; rows: string[][]; decimalComma: boolean }

/** Cell in a numeric column that is not a number; rows count from 1. */
export type NoNumber = { column: string; row: number; text: string }

/** Samples in the first rows of a table, by a mapping. Points are in px of the screen from its upper left. */
export type SamplePoints = {
  points: { x: number; y: number }[]
  /** Number of rows that are samples; those with gaze are `points`. */
  samples: number
  /** Points that lie on the screen. */
  onScreen: number
  noNumbers: NoNumber[]
}

const MEASURED: Role[] = ['time', 'x', 'y', 'x2', 'y2', 'mouseX', 'mouseY', 'scroll']

/** Returns the gaze of the first rows as the import will read it: the mean of the eyes that are valid and not lost. */
export function samplePoints(table: PreviewTable, draft: MappingDraft, { widthPx, heightPx }: SizePx): SamplePoints {
  const found: SamplePoints = { points: [], samples: 0, onScreen: 0, noNumbers: noNumbersOf(table, draft) }
  if (draft.unit === '?') return found
  const place = toPx(draft.unit, draft.origin, { widthPx, heightPx }, viewingOf(draft))
  const isCode = openLostCodes(splitCodes(draft.missing))
  const { cell, number } = readerOf(table)
  const at = (role: Role) => table.header.indexOf(columnOf(draft, role) ?? '')
  const hasOwnValid = at('valid2') >= 0
  const eyes = [
    { x: at('x'), y: at('y'), valid: at('valid'), rule: draft.valid },
    {
      x: at('x2'),
      y: at('y2'),
      valid: at(hasOwnValid ? 'valid2' : 'valid'),
      rule: hasOwnValid ? draft.valid2 : draft.valid,
    },
  ].filter(({ x, y }) => x >= 0 && y >= 0)
  const [rows, texts] = [at('rows'), listOf(draft.rows)]
  for (const row of table.rows) {
    const kind = cell(row, rows)
    if (rows >= 0 && (texts.length === 0 ? kind === '' : !texts.includes(kind))) continue
    found.samples++
    const seen = eyes
      .map(({ x, y, valid, rule }) => ({
        x: number(row, x),
        y: number(row, y),
        isValid: isValid(cell(row, valid), valid, rule, number(row, valid)),
      }))
      .filter(({ x, y, isValid: is }) => is && Number.isFinite(x) && Number.isFinite(y) && !isCode(x, y))
    if (seen.length === 0) continue
    const mean = (axis: 'x' | 'y') => seen.reduce((sum, eye) => sum + eye[axis], 0) / seen.length
    const point = {
      x: placeOn(mean('x'), place.xScale, place.xOffset, place.xEyesPx),
      y: placeOn(mean('y'), place.yScale, place.yOffset, place.yEyesPx),
    }
    found.points.push(point)
    if (point.x >= 0 && point.x <= widthPx && point.y >= 0 && point.y <= heightPx) found.onScreen++
  }
  return found
}

function isValid(text: string, column: number, { is, text: wanted }: Rule, value: number): boolean {
  if (column < 0) return true
  return is === 'least' ? value >= Number(wanted) : listOf(wanted).includes(text)
}

/** Returns readers of the cells of a table, as text and as a number; -1 is no column. */
export function readerOf({ decimalComma }: PreviewTable) {
  const cell = (row: string[], at: number) => (row[at] ?? '').trim()
  const number = (row: string[], at: number) => {
    const text = cell(row, at)
    const plain = decimalComma ? text.replace('.', 'x').replace(',', '.') : text
    return plain === '' ? Number.NaN : Number(plain)
  }
  return { cell, number }
}

/** Finds cells of measured columns that are neither numbers nor one of the texts for lost. */
function noNumbersOf(table: PreviewTable, { roles }: MappingDraft): NoNumber[] {
  const { cell, number } = readerOf(table)
  const measured = table.header.flatMap((name, at) => (MEASURED.includes(roles[name]) ? [{ name, at }] : []))
  return table.rows.flatMap((row, i) =>
    measured.flatMap(({ name, at }) => {
      const text = cell(row, at)
      return isMissing(text) || !Number.isNaN(number(row, at)) ? [] : [{ column: name, row: i + 1, text }]
    }),
  )
}
