import { isMissing } from '../../../isomorphic/missing-text.ts'
import { ServiceError } from '../../model/errors.ts'
import { BATCH_ROWS, type Batch, keepLastRow, makeBatch } from '../draft/batch.ts'
import { type Draft, noteAssumed, noteDoubt, noteLeft } from '../draft/draft.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import { openTableBody } from '../text/table-body.ts'
import { cellNumber, cellText, repeatedText, type TableRows } from '../text/table-rows.ts'
import { cellAsExample, keepIfOdd, measured, noneUnreadable, noteUnreadable } from '../text/unreadable.ts'
import { openKept } from './kept-columns.ts'
import { nameFiles } from './name-files.ts'
import type { ReadOptions } from './reader.ts'

/** An open table of samples, for the reader that knows the meanings of its columns. */
export type SampleTable = {
  file: SourceFile
  header: string[]
  /** Batch to which samples are added one by one; a reader may still change the last one. */
  batch: Batch
  draft: Draft
  /** Returns a name for the recording's participant, if the file contains none. */
  fileName: () => string
  /** Finds a column by any of its names, case-insensitive; -1 if missing. */
  column: (...names: string[]) => number
  /** Reads a text column whose value rarely changes. */
  text: (column: number) => (rows: TableRows) => string
  /** Parses a number; NaN for a missing one. */
  number: (rows: TableRows, cell: number) => number
  /** Parses a measured value like `number`; text that is not a number is counted and reported at the end. */
  measured: (rows: TableRows, cell: number) => number
  /**
   * Counts omitted rows or values; a negative count corrects an earlier one. The report appends the file's name to
   * `why`.
   */
  leave: (why: string, count?: number) => void
  /** Counts a row whose time is missing, or not a number. */
  leaveTimeless: (rows: TableRows, time: number) => void
}

const WITHOUT_TIME = 'rows without a time'
export const WITHOUT_ITEM = 'rows without an item'
const OTHER_WIDTH = 'rows with more or fewer cells, between blanks, than the header has'
const CUT_ROWS = 'rows with fewer cells than the header has names lack the last ones'
const UNREADABLE_TIME = 'rows whose time is not a number'
const HEADER_AGAIN = 'rows that are the header again, as where files were joined'

/**
 * Reads the rows of tables below their headers, file by file, into batches.
 *
 * @param options only the columns to keep are used here
 * @param open starts a file, and returns a function that is called with every row
 * @param nameOf returns a file's own name for its participant
 */
export async function* readSampleTables(
  files: SourceFile[],
  draft: Draft,
  { kept }: ReadOptions,
  open: (table: SampleTable) => ((rows: TableRows) => void) | Promise<(rows: TableRows) => void>,
  nameOf?: (file: SourceFile) => string,
): AsyncGenerator<Batch> {
  const batch = makeBatch()
  const nameFile = nameFiles(files, draft, nameOf)
  for (const file of files) {
    const { header, decimalMark, separator } = tableHead(file)!
    const unreadable = noneUnreadable()
    const left = new Map<string, number>()
    let firstTime = ''
    const leave = (why: string, count = 1) => void left.set(why, (left.get(why) ?? 0) + count)
    const keep = openKept(file.name, header, draft, kept)
    for (const values of Object.values(batch.eyes)) values.fill(Number.NaN, batch.n)
    const onRow = await open({
      ...{ file, header, batch, draft },
      fileName: () => nameFile(file),
      column: (...names) => columnIn(header, ...names),
      text: repeatedText,
      number: (rows, cell) => cellNumber(rows, cell, decimalMark),
      measured: (rows, cell) => measured(rows, cell, decimalMark, unreadable),
      leave,
      leaveTimeless: (rows, time) => {
        if (isMissing(cellText(rows, time))) return leave(WITHOUT_TIME)
        if (isHeaderAgain(rows, time, header)) return leave(HEADER_AGAIN)
        if (!left.has(UNREADABLE_TIME)) firstTime = cellAsExample(rows, time)
        keepIfOdd(unreadable, rows, time)
        leave(UNREADABLE_TIME)
      },
    })
    const onKept = keep === null ? onRow : keeping(onRow, keep, batch, draft)
    // A space within an unquoted cell would shift the cells after it.
    const onWhole = (rows: TableRows) => (rows.cells === rows.width ? onKept(rows) : leave(OTHER_WIDTH))
    const onAny = separator === ' ' ? onWhole : onKept
    const seen = { rows: 0, short: 0 }
    yield* readRows(file, draft, batch, onAny, seen)
    noteMostLeft(draft, file.name, left, seen.rows)
    if (seen.short > 0 && separator !== ' ') noteAssumed(draft, CUT_ROWS, file.name)
    for (const [why, count] of left)
      noteLeft(draft, why, count, { file: file.name, first: why === UNREADABLE_TIME ? firstTime : '' })
    noteUnreadable(draft, file.name, unreadable)
  }
  if (batch.n > 0) yield batch
}

/**
 * Returns whether a row that is no sample repeats the header.
 *
 * @throws ServiceError invalid_bundle if it has the columns in another order, or others: rows below it would be misread
 */
function isHeaderAgain(rows: TableRows, time: number, header: string[]): boolean {
  if (!header.includes(cellText(rows, time).trim())) return false
  const cells = header.map((_, cell) => cellText(rows, cell).trim())
  const known = cells.filter((name) => name !== '' && header.includes(name)).length
  if (2 * known <= header.filter((name) => name !== '').length) return false
  if (header.every((name, cell) => name === cells[cell])) return true
  throw new ServiceError(
    'invalid_bundle',
    `${rows.fileName}, line ${rows.line}: a second header has other columns, or another order of them, than the first (${cells
      .slice(0, 12)
      .map((name) => name.slice(0, 60))
      .join(', ')}): split the file there, and give both parts`,
  )
}

/** Reports a file most of whose rows lack a time or an item, since little of it is read. */
function noteMostLeft(draft: Draft, name: string, left: Map<string, number>, count: number): void {
  const most = (...whys: string[]) => whys.reduce((sum, why) => sum + (left.get(why) ?? 0), 0)
  const said = (n: number) => `${n.toLocaleString('en')} of ${count.toLocaleString('en')} rows of ${name}`
  const [timeless, itemless] = [most(WITHOUT_TIME, UNREADABLE_TIME), most(WITHOUT_ITEM)]
  if (2 * timeless > count)
    noteDoubt(draft, `${said(timeless)} have no time that is a number, and are left out: check the column of time`)
  if (2 * itemless > count)
    noteDoubt(
      draft,
      `${said(itemless)} have no item, and are left out: where only the first row of a trial names it, fill the name in below`,
    )
}

/** Calls `keep` with the rows that are samples, and with their participant. */
function keeping(
  onRow: (rows: TableRows) => void,
  keep: (rows: TableRows, participant: number) => void,
  batch: Batch,
  draft: Draft,
): (rows: TableRows) => void {
  return (rows) => {
    const before = batch.n
    onRow(rows)
    if (batch.n > before) keep(rows, draft.tests[batch.test[batch.n - 1]].participant)
  }
}

/** An empty batch: lets the caller report progress, or cancel, during rows without samples. */
const NOTHING: Batch = { ...makeBatch(), n: 0 }

async function* readRows(
  file: SourceFile,
  draft: Draft,
  batch: Batch,
  onRow: (rows: TableRows) => void,
  seen: { rows: number; short: number },
): AsyncGenerator<Batch> {
  const rows = await openTableBody(file, draft)
  do {
    while (rows.next()) {
      seen.rows++
      if (rows.cells < rows.width) seen.short++
      onRow(rows)
      if (batch.n < BATCH_ROWS) continue
      batch.n--
      yield batch
      keepLastRow(batch)
    }
    yield NOTHING
  } while (await rows.more())
}
