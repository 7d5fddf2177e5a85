import { placeOn } from '../../../isomorphic/to-px.ts'
import type { EyeColumn } from '../../model/eye-columns.ts'
import { type Batch, eyeColumn } from '../draft/batch.ts'
import { noteLeft } from '../draft/draft.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { repeatedText, type TableRows } from '../text/table-rows.ts'
import type { Screen } from './reader.ts'
import type { SampleTable } from './sample-tables.ts'

/** A column of the batch that a value goes into: of the gaze, the mouse, or an eye. */
type ValueName = 'gazeXPx' | 'gazeYPx' | 'mouseXPx' | 'mouseYPx' | EyeColumn

/** A value in the tables of a tracker, as data. */
export type ValueColumn = {
  into: ValueName
  /** Name of its column. If several rows have the same target, the first whose column is there is read. */
  name: string
  /** `screen`: shares of the screen's width or height. */
  unit: 'px' | 'screen' | 'mm' | 'm'
  /** Names of the column, or of both columns, that say that the value is lost. */
  valid?: [string] | [string, string]
}

/** A value in an open table: `scale` × value + `offset`; degrees become px by `eyesPx` first (to-px.ts). */
export type ValueCell<Into extends ValueName = ValueName> = {
  into: Into
  cell: number
  scale?: number
  offset?: number
  eyesPx?: number
  isLost?: (rows: TableRows) => boolean
}

/** Opens the reader of values: it parses cells with `measure`, and writes them into sample `i` of the batch. */
export function openValues(
  cells: ValueCell[],
  batch: Batch,
  measure: (rows: TableRows, cell: number) => number,
): (rows: TableRows, i: number) => void {
  const parts = cells.map(({ into, cell, scale = 1, offset = 0, eyesPx = 0, isLost = null }) => {
    const values = isShared(into) ? batch[into] : eyeColumn(batch, into)
    return { cell, scale, offset, eyesPx, isLost, values }
  })
  return (rows, i) => {
    for (const { cell, scale, offset, eyesPx, isLost, values } of parts)
      if (isLost?.(rows)) values[i] = Number.NaN
      else if (eyesPx === 0) values[i] = measure(rows, cell) * scale + offset
      else values[i] = placeOn(measure(rows, cell), scale, offset, eyesPx)
  }
}

function isShared(into: ValueName): into is 'gazeXPx' | 'gazeYPx' | 'mouseXPx' | 'mouseYPx' {
  return into.startsWith('gaze') || into.startsWith('mouse')
}

/**
 * Finds the values of a table, and notes the unit of its pupils.
 *
 * @param lost matches the cells of validity that say lost; null without validity
 * @param find finds the column of a value, or of a validity by its name; -1 if missing
 */
export function findValues(
  columns: readonly ValueColumn[],
  { draft }: Pick<SampleTable, 'draft'>,
  lost: RegExp | null,
  find: (column: Pick<ValueColumn, 'name' | 'unit'> | { name: string; unit: null }) => number,
  screen?: Screen,
): ValueCell[] {
  const found = new Map<ValueName, ValueCell>()
  const verdicts = new Map<string, (rows: TableRows) => boolean>()
  const verdictOf = (name: string) => {
    const known = verdicts.get(name) ?? openVerdict(find({ name, unit: null }), lost)
    verdicts.set(name, known)
    return known
  }
  const pupilUnit = unitOfPupils(columns.filter((one) => find(one) >= 0))
  for (const { into, name, unit, valid = [] } of columns) {
    const cell = find({ name, unit })
    if (cell < 0 || found.has(into)) continue
    if (into.endsWith('Pupil') && pupilUnitOf(unit) !== pupilUnit) {
      const isReadElsewhere = columns.some(
        (one) => one.into === into && pupilUnitOf(one.unit) === pupilUnit && find(one) >= 0,
      )
      if (!isReadElsewhere) noteLeft(draft, `pupil sizes of one eye in another unit than those of the other: ${name}`)
      continue
    }
    const [first, second = null] = valid.map(verdictOf)
    const isLost = second !== null ? (rows: TableRows) => first(rows) && second(rows) : first
    const side = into.endsWith('XPx') ? screen?.widthPx : screen?.heightPx
    const scale = unit === 'screen' ? side : unit === 'm' ? 1000 : 1
    found.set(into, { into, cell, scale, ...(valid.length > 0 ? { isLost } : {}) })
    if (into.endsWith('Pupil')) noteRecording(draft, { pupilUnit })
  }
  return [...found.values()]
}

const pupilUnitOf = (unit: ValueColumn['unit']): 'px' | 'mm' => (unit === 'px' ? 'px' : 'mm')

/** Returns the unit in which most eyes have a pupil, mm rather than px: a study has one unit. */
function unitOfPupils(there: ValueColumn[]): 'px' | 'mm' {
  const pupils = there.filter(({ into }) => into.endsWith('Pupil'))
  const eyesIn = (wanted: 'px' | 'mm') =>
    new Set(pupils.filter(({ unit }) => pupilUnitOf(unit) === wanted).map(({ into }) => into)).size
  return eyesIn('px') > eyesIn('mm') ? 'px' : 'mm'
}

/** Opens the test whether cells of a column that rarely changes match a pattern; without the column, none does. */
export function openVerdict(cell: number, pattern: RegExp | null): (rows: TableRows) => boolean {
  if (cell < 0 || pattern === null) return () => false
  const text = repeatedText(cell)
  const isMatchingDigit = Array.from({ length: 256 }, (_, byte) => pattern.test(String.fromCharCode(byte)))
  let [last, isMatch] = ['', false]
  return (rows) => {
    const start = rows.starts[cell]
    if (rows.ends[cell] - start === 1) return isMatchingDigit[rows.bytes[start]]
    const now = text(rows)
    if (now === last) return isMatch
    last = now
    isMatch = pattern.test(now)
    return isMatch
  }
}
