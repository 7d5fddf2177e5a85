import { isMissing } from '../../../shared/missing-text.ts'
import { BATCH_ROWS, type Batch, keepLastRow, makeBatch } from '../bundle/batch.ts'
import { type Draft, noteLeft } from '../bundle/draft.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import { openTableBody } from '../text/table-body.ts'
import { cellNumber, cellText, type Rows, repeatedText } from '../text/table-rows.ts'
import { cellAsExample, measured, noneUnreadable, noteUnreadable } from '../text/unreadable.ts'
import { openKept } from './kept-columns.ts'
import { nameFiles } from './name-files.ts'
import type { ReadOptions } from './reader.ts'

/** A table of samples at hand, for the reader that knows what its columns mean. */
export type SampleTable = {
  file: SourceFile
  header: string[]
  /** The batch that samples are added to one by one; a reader may still change the last one. */
  batch: Batch
  draft: Draft
  /** Names whose recording it is, where nothing in the file does. */
  fileName: () => string
  /** Finds a column by any of its names, whatever their case; -1 if it is not there. */
  column: (...names: string[]) => number
  /** Reads a text column whose value seldom changes. */
  text: (column: number) => (rows: Rows) => string
  /** Reads a number, NaN where there is none. */
  number: (rows: Rows, cell: number) => number
  /** The same of a measured value: text that is no number is counted, and said at the end. */
  measured: (rows: Rows, cell: number) => number
  /**
   * Counts rows or values that are left out, less than 0 if they are not after all; `why` is said with the file's name
   * behind it.
   */
  leave: (why: string, count?: number) => void
  /** The same for a row whose time is missing, or no number. */
  leaveTimeless: (rows: Rows, time: number) => void
}

const WITHOUT_TIME = 'rows without a time'
export const WITHOUT_ITEM = 'rows without an item'
const OTHER_WIDTH = 'rows with more or fewer cells, between blanks, than the header has'
const UNREADABLE_TIME = 'rows whose time is no number'

/**
 * Reads the rows of tables below their headers, file by file, into batches.
 *
 * @param options of which the columns to keep are heeded here
 * @param open begins a file, and returns what is called with every row
 * @param nameOf a file's own name for whose recording it is
 */
export async function* readSampleTables(
  files: SourceFile[],
  draft: Draft,
  { kept }: ReadOptions,
  open: (table: SampleTable) => (rows: Rows) => void,
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
    const onRow = open({
      ...{ file, header, batch, draft },
      fileName: () => nameFile(file),
      column: (...names) => columnIn(header, ...names),
      text: repeatedText,
      number: (rows, cell) => cellNumber(rows, cell, decimalMark),
      measured: (rows, cell) => measured(rows, cell, decimalMark, unreadable),
      leave,
      leaveTimeless: (rows, time) => {
        if (isMissing(cellText(rows, time))) return leave(WITHOUT_TIME)
        if (!left.has(UNREADABLE_TIME)) firstTime = cellAsExample(rows, time)
        leave(UNREADABLE_TIME)
      },
    })
    const onKept = keep === null ? onRow : keeping(onRow, keep, batch, draft)
    // A blank within a cell would move the cells behind it.
    const onWhole = (rows: Rows) => (rows.cells === rows.width ? onKept(rows) : leave(OTHER_WIDTH))
    yield* readRows(file, draft, batch, separator === ' ' ? onWhole : onKept)
    for (const [why, count] of left)
      noteLeft(draft, why, count, { file: file.name, first: why === UNREADABLE_TIME ? firstTime : '' })
    noteUnreadable(draft, file.name, unreadable)
  }
  if (batch.n > 0) yield batch
}

/** Calls `keep` with the rows that are samples, and with whose they are. */
function keeping(
  onRow: (rows: Rows) => void,
  keep: (rows: Rows, participant: number) => void,
  batch: Batch,
  draft: Draft,
): (rows: Rows) => void {
  return (rows) => {
    const before = batch.n
    onRow(rows)
    if (batch.n > before) keep(rows, draft.tests[batch.test[batch.n - 1]].participant)
  }
}

/** Lets progress be shown, and the reading be stopped, where rows hold no samples. */
const NOTHING: Batch = { ...makeBatch(), n: 0 }

async function* readRows(
  file: SourceFile,
  draft: Draft,
  batch: Batch,
  onRow: (rows: Rows) => void,
): AsyncGenerator<Batch> {
  const rows = await openTableBody(file, draft)
  do {
    while (rows.next()) {
      onRow(rows)
      if (batch.n < BATCH_ROWS) continue
      batch.n--
      yield batch
      keepLastRow(batch)
    }
    yield NOTHING
  } while (await rows.more())
}
