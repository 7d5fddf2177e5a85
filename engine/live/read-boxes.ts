import { isUtf8 } from 'node:buffer'
import { placeAois } from '../exports/columns/drawn-aois.ts'
import { AOIS_MAX } from '../import/bundle/bundle-limits.ts'
import { parseCsv } from '../import/bundle/read-csv.ts'
import { addProblem, noProblems, refusal, throwProblems } from '../model/bundle-problems.ts'
import { ServiceError } from '../model/errors.ts'
import type { Aoi, Item, Study } from '../model/study.ts'
import { nameUuid } from '../text/name-uuid.ts'
import { readDescription } from './read-description.ts'

/** Names of each column of a table of boxes; the first is the one that messages use. */
const COLUMNS = {
  item: ['item'],
  text: ['text', 'word', 'name'],
  line: ['line'],
  place: ['place'],
  left: ['left', 'x'],
  top: ['top', 'y'],
  right: ['right'],
  bottom: ['bottom'],
  width: ['width'],
  height: ['height'],
}
type ColumnName = keyof typeof COLUMNS
type Cell = (name: ColumnName) => string

/** A box as a row of the table gives it. @property line null for a box that is no word */
type Box = { row: number; item: Item; text: string; line: number | null; place: number | null; part: Aoi['parts'][0] }

/**
 * Returns a study with the AOIs of a table of boxes in place of those of the items that it names: CSV with a row per
 * word, line after line (docs/reading.md, "Files of boxes"). An AOI of the same name keeps its id and tags.
 *
 * @param bytes UTF-8, separated by commas or semicolons
 * @param what names the table in messages
 * @param itemId the only item, which rows need not name; null if they name their items
 * @throws ServiceError invalid_bundle, with the rows that are wrong
 */
export async function withBoxes(
  study: Study,
  bytes: Buffer,
  what: string,
  itemId: string | null = null,
): Promise<Study> {
  const problems = noProblems()
  const report: Report = (line, column, value, rule) => addProblem(problems, { file: what, line, column, value, rule })
  const boxes = await readBoxes(bytes, what, itemsOf(study, itemId), report)
  const changed = [...new Set(boxes.map(({ item }) => item))].reduce((before, item) => {
    const known = before.aois.filter((aoi) => aoi.itemId === item.id)
    const own = boxes.filter((box) => box.item === item)
    return placeAois(before, item.id, aoisOf(study.id, own, known, report))
  }, study)
  throwProblems(problems, what)
  return readDescription(Buffer.from(JSON.stringify(changed)), what)
}

/** Reports a cell. @param line of the table, from 1 for its header */
type Report = (line: number, column: ColumnName, value: string, rule: string) => void

/** Returns what finds the item of a row, or says what an item must be. @throws ServiceError not_found */
function itemsOf({ items }: Study, itemId: string | null): (wanted: string) => Item | string {
  if (itemId !== null) {
    const only = items.find(({ id }) => id === itemId)
    if (only === undefined) throw new ServiceError('not_found', `there is no item ${itemId}`)
    const isIt = (wanted: string) => wanted === '' || wanted === only.filename || wanted.toLowerCase() === only.id
    return (wanted) => (isIt(wanted) ? only : 'must be the item of the path, or be left out')
  }
  return (wanted) => {
    const found = items.filter(({ id, filename }) => filename === wanted || id === wanted.toLowerCase())
    if (found.length === 1) return found[0]
    return found.length === 0
      ? 'must be the file name or id of an item of the study'
      : `must be an id, since ${found.length} items have this file name`
  }
}

async function readBoxes(
  bytes: Buffer,
  what: string,
  itemOf: (wanted: string) => Item | string,
  report: Report,
): Promise<Box[]> {
  if (!isUtf8(bytes)) throw refusal(what, 'must be UTF-8')
  const separator = /^\s*[^\n,]*;/.test(bytes.toString('utf8', 0, HEADER_BYTES)) ? ';' : ','
  const problems = noProblems()
  const [header, ...rows] = await parseCsv(bytes, separator, what, problems)
  throwProblems(problems, what)
  if (rows.length === 0) throw refusal(what, 'must have a row below its header')
  if (rows.length > AOIS_MAX) throw refusal(what, `must have at most ${AOIS_MAX} rows, got ${rows.length}`)
  const columns = columnsOf(header.cells, what)
  return rows.flatMap(({ line, cells }) => {
    const cell: Cell = (name) => (cells[columns[name]] ?? '').trim()
    return boxOf(cell, line, itemOf, report) ?? []
  })
}

/** Returns where each column is; -1 for one that is not there. @throws ServiceError invalid_bundle */
function columnsOf(header: string[], what: string): Record<ColumnName, number> {
  const given = header.map((name) => name.trim().toLowerCase())
  const columns = Object.fromEntries(
    Object.entries(COLUMNS).map(([name, names]) => [name, given.findIndex((one) => names.includes(one))]),
  ) as Record<ColumnName, number>
  const has = (...names: ColumnName[]) => names.every((name) => columns[name] >= 0)
  if (!has('text', 'left', 'top') || !(has('right', 'bottom') || has('width', 'height')))
    throw refusal(what, 'must have the columns text, left, top, and right and bottom or width and height')
  return columns
}

function boxOf(cell: Cell, row: number, itemOf: (wanted: string) => Item | string, report: Report): Box | null {
  let isSound = true
  const refuse = (column: ColumnName, rule: string) => {
    isSound = false
    report(row, column, cell(column), rule)
  }
  const number = (column: ColumnName): number => {
    if (PLAIN_NUMBER.test(cell(column))) return Number(cell(column))
    refuse(column, 'must be a number of px')
    return Number.NaN
  }
  const order = (column: 'line' | 'place'): number | null => {
    if (cell(column) === '') return null
    if (ORDER.test(cell(column))) return Number(cell(column))
    refuse(column, 'must be a whole number, 0 to 999999')
    return null
  }
  const item = itemOf(cell('item'))
  if (typeof item === 'string') refuse('item', item)
  const [line, place] = [order('line'), order('place')]
  if (line === null && cell('text') === '') refuse('text', 'must not be empty in a row without line')
  const [xPx, yPx] = [number('left'), number('top')]
  const farther = (side: 'right' | 'bottom', size: 'width' | 'height', from: number): number => {
    const column = cell(side) !== '' ? side : size
    const to = column === side ? number(side) : from + number(size)
    if (to <= from) refuse(column, column === side ? 'must be beyond the opposite side' : 'must be greater than 0')
    return to
  }
  const bottomRight = { xPx: farther('right', 'width', xPx), yPx: farther('bottom', 'height', yPx) }
  if (!isSound || typeof item === 'string') return null
  return { row, item, text: cell('text'), line, place, part: { areaPoints: { topLeft: { xPx, yPx }, bottomRight } } }
}

/** Bytes that tell the separator: the header is shorter. */
const HEADER_BYTES = 4096
const PLAIN_NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i
const ORDER = /^\d{1,6}$/

/** Names the boxes of an item: words by line and place, which without a column are in the order of the rows. */
function aoisOf(studyId: string, boxes: Box[], known: Aoi[], report: Report): Aoi[] {
  const wordCounts = new Map<number, number>()
  const taken = new Set<string>()
  return boxes.map(({ row, item, text, line, place, part }) => {
    let name = text
    if (line !== null) {
      const nth = (wordCounts.get(line) ?? 0) + 1
      wordCounts.set(line, nth)
      const word = `${line}.${place ?? nth}`
      if (taken.has(word)) report(row, 'place', word, 'must not be the line and place of a second word of the item')
      taken.add(word)
      name = `${word} ${text}`.trimEnd()
    } else if (taken.has(name)) {
      report(row, 'text', name, 'must not be the text of a second row without line of the item')
    }
    taken.add(name)
    const same = known.filter((aoi) => aoi.name === name)
    const kept = same.length === 1 ? same[0] : { id: nameUuid(studyId, item.id, name), itemId: item.id, name }
    return { ...kept, parts: [part] }
  })
}
