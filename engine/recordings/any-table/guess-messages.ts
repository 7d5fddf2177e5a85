import { isMissing } from '../../../isomorphic/missing-text.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { TableHead } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import { plainName } from './column-names.ts'
import type { GuessedColumns } from './guess-columns.ts'

export const EVENTS_SAID = 'its messages that --event-message matches become events'

const MESSAGES = /^(event|message|msg|marker|trigger|annotation|comment|log|content)s?(_?(text|name|value|label))?$/

/** Events that a tracker derives from samples and writes beside them. */
const EYE_EVENT = /^(blink|sacc|fix|lost|unknown|unclassified|eyes? ?not)/i

/** Messages in rows of their own: the rows that are samples, if a column tells, and the pattern that names items. */
export type OwnMessages = { rows: Mapping['rows']; column: string; itemMessage: string | null; doubts: string[] }

/**
 * Finds the column of messages in rows of their own, as in OpenSesame's logs: such rows have no gaze, but it is not
 * lost. Samples are identified by a column that is filled in all their rows and in no row of a message.
 */
export function findMessages(table: TableHead, columns: GuessedColumns, known: Mapping['rows']): OwnMessages | null {
  const { header, rows } = table
  const named = header.findIndex((name) => MESSAGES.test(plainName(name)))
  const kind = known === null || known.values === null ? -1 : header.indexOf(known.column)
  const messageIn = (cells: string[]) => ownMessageIn(cells, { table, columns, named, kind, known })
  const own = rows.filter((cells) => messageIn(cells) !== undefined)
  const samples = rows.filter((cells) => messageIn(cells) === undefined)
  if (columns.eyes.length === 0 || samples.length === 0) return null
  if (own.length === 0) {
    if (kind < 0 || named < 0) return null
    const doubt = `${header[named]} may hold messages in rows of their own: ${EVENTS_SAID}`
    return { rows: null, column: header[named], itemMessage: null, doubts: [doubt] }
  }
  const at = tellingColumn(own, messageIn(own[0])!, table)
  const tells = columnOfSamples(own, samples, at, header, columns)
  const texts = own.map((cells) => cellOf(cells, at))
  const pattern = itemPattern(texts)
  const example = `${header[at]} holds messages in rows of their own, such as ${JSON.stringify(texts[0].slice(0, 60))}`
  const rest =
    tells !== undefined || known !== null
      ? 'those rows are not samples'
      : 'no column tells them from samples, so that they would be read as lost gaze: take them out first'
  return {
    rows: tells === undefined ? null : { column: header[tells], values: null },
    column: header[at],
    itemMessage: (known ?? tells) === undefined ? null : repeatedPattern(texts),
    doubts: [`${example}: ${rest}; ${EVENTS_SAID}; ${itemsSaid(pattern)}`],
  }
}

const cellOf = (cells: string[], at: number) => (cells[at] ?? '').trim()

const isNumber = (text: string, { decimalMark }: TableHead) => !Number.isNaN(numberIn(text, decimalMark))

const isText = (text: string, table: TableHead) => !isMissing(text) && !isNumber(text, table)

/** Columns by which rows of messages are known: `named` like one of messages, `kind` of the rows; -1 for none. */
type Signs = {
  table: TableHead
  columns: GuessedColumns
  named: number
  kind: number
  known: Mapping['rows']
}

/**
 * Returns the column of a row's message; undefined if the row has none, or is a sample. A row with nothing else but a
 * time has it in whichever column comes next.
 */
function ownMessageIn(cells: string[], { table, columns, named, kind, known }: Signs): number | undefined {
  const { header } = table
  const isOther = kind >= 0 && !known!.values!.includes(cellOf(cells, kind))
  const isGaze = (at: number) => isNumber(cellOf(cells, at), table)
  if (!isOther && columns.eyes.some(({ x, y }) => isGaze(x) || isGaze(y))) return undefined
  const isShort = cells.length < header.length
  const tried = isShort ? [named, ...cells.keys()] : [named]
  return tried.find((i) => {
    if (i < 0 || i === columns.time || header[i] === known?.column) return false
    const text = cellOf(cells, i)
    return isText(text, table) && !EYE_EVENT.test(text)
  })
}

/** Finds a column that is filled in all samples and in no row of messages, whose texts are in the column `at`. */
function columnOfSamples(
  own: string[][],
  samples: string[][],
  at: number,
  header: string[],
  { time, eyes, validity }: GuessedColumns,
): number | undefined {
  // A cell of gaze may be empty in a sample, too.
  const rank = (i: number) => (validity.includes(i) ? 0 : eyes.some(({ x, y }) => x === i || y === i) ? 2 : 1)
  return [...header.keys()]
    .sort((a, b) => rank(a) - rank(b))
    .find(
      (i) =>
        ![at, time].includes(i) &&
        samples.every((cells) => cellOf(cells, i) !== '') &&
        own.every((cells) => cellOf(cells, i) === ''),
    )
}

/**
 * Returns the column whose texts differ most between rows of messages, the first one unless another differs more: a
 * word such as MSG, or a date, may stand in front.
 */
function tellingColumn(own: string[][], first: number, table: TableHead): number {
  const isMessage = (text: string) => isText(text, table) && /\p{L}/u.test(text) && !DATE.test(text)
  const counts = table.header.map((_, at) => {
    const texts = own.map((cells) => cellOf(cells, at))
    return texts.every(isMessage) ? new Set(texts).size : 0
  })
  const most = Math.max(...counts)
  return most > counts[first] ? counts.indexOf(most) : first
}

const DATE = /^\d{4}-\d\d-\d\d[T ]/

/** Returns the pattern by which messages name items, if several match it, with different names; else null. */
export function repeatedPattern(texts: string[]): string | null {
  const pattern = itemPattern(texts)
  const expression = pattern === null ? null : new RegExp(pattern)
  return new Set(texts.flatMap((text) => expression?.exec(text)?.[1] ?? [])).size > 1 ? pattern : null
}
/** Finds a column of markers in rows of samples: texts or numbers between empty cells. */
export function findMarkers({ header, rows }: TableHead, { time, eyes, validity }: GuessedColumns): string | null {
  const used = [time, ...validity, ...eyes.flatMap(({ x, y }) => [x, y])]
  const at = header.findIndex((name, i) => {
    if (used.includes(i) || !MESSAGES.test(plainName(name))) return false
    const cells = rows.map((row) => (row[i] ?? '').trim())
    const filled = cells.filter((cell) => !isMissing(cell))
    return filled.length > 0 && 2 * filled.length < cells.length && !filled.every((cell) => EYE_EVENT.test(cell))
  })
  return at < 0 ? null : header[at]
}

/** Guesses the pattern by which messages name items: by pictures, as in SMI's Experiment Center; null for none. */
function itemPattern(messages: string[]): string | null {
  const found = messages.map((text) => PICTURE_MESSAGE.exec(text)).find((match) => match !== null)
  const before = found?.[1].replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+/g, '\\d+')
  return found ? `^${before}(.+)$` : null
}

function itemsSaid(pattern: string | null): string {
  const shown = pattern === null ? '' : `: ${JSON.stringify(pattern)}`
  return `messages that name items do so with "item": null and "itemMessage"${shown}`
}
const PICTURE_MESSAGE = /^(.*?)[^\s\\/:"]+\.(?:png|jpe?g|bmp|gif|webp|avif|svg|tiff?|mp4|avi|mov|wmv)$/i
