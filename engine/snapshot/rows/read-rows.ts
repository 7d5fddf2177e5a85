import type { DuckDBDataChunk, DuckDBListValue, DuckDBValue } from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { readParquet } from '../../duckdb/duckdb.ts'
import { collectGarbage } from '../../duckdb/garbage.ts'
import { query } from '../../duckdb/query.ts'
import { ServiceError } from '../../model/errors.ts'
import type { DisplayRectangle, Participant, ParticipantColumns, Test } from '../../model/study.ts'
import { studiesDirectoryOf } from '../../storage/files/layout.ts'
import { externalDataColumnName, NO_COLUMNS, PARTICIPANTS_FILE, TESTS_FILE } from '../table-columns.ts'
import { type TableFiles, tablePath } from '../tables.ts'

/** Tests and participants of a snapshot, for rows that were loaded. */
type LoadedRows = { testAt: (row: number) => Test; participantAt: (row: number) => Participant }

const participantSql = (
  more: string,
) => `SELECT participant_id, external_id, created_at, display_name, age, gender, display_gender, quality_grade,
    is_completed, notes${more}
  FROM ${readParquet()} WHERE participant_row BETWEEN $from AND $to ORDER BY participant_row`
const TEST = `SELECT test_id, item_index, participant_row, created_at, display_order, duration_us, finished_on_key,
    has_finished_on_click, click_count, quality_grade_item, browser_width_px, browser_height_px, item_display_left_px,
    item_display_top_px, item_display_width_px, item_display_height_px, notes, sample_count
  FROM ${readParquet()} WHERE test_row BETWEEN $from AND $to ORDER BY test_row`

/** `chunks` own the memory that rows are read from. */
type Block<Row> = { at: (i: number) => Row; rowCount: number; chunks: DuckDBDataChunk[] }

/** Memory of a text, in numbers of the same size. */
const VALUES_PER_CELL = 16

/**
 * Rows in a block: a vector of DuckDB. A whole row group, four times as many, takes 70 MiB more with two threads, and
 * no less time.
 */
const BLOCK_ROWS = 2048

/** LRU cache of blocks of any snapshot, since consecutive tests are mostly in one. */
const blocks = new LRUCache<string, Promise<Block<unknown>>>({ max: 6 })

/**
 * Loads the rows of tests and their participants from a snapshot's tables, a block at a time.
 *
 * @param testRows, participantRows the rows that will be asked for
 * @throws ServiceError corrupt when a table has no such row
 */
export async function loadRows(
  files: TableFiles,
  testRows: Int32Array,
  participantRows: Int32Array,
): Promise<LoadedRows> {
  const more = files.manifest.participantColumns
  const [tests, participants] = await Promise.all([
    loadBlocks(files, TESTS_FILE, TEST, testRows, testOf),
    loadBlocks(
      files,
      PARTICIPANTS_FILE,
      participantSql(selectedColumns(more)),
      participantRows,
      participantReader(more),
      keepMade,
    ),
  ])
  return { testAt: tests, participantAt: participants }
}

async function loadBlocks<Row>(
  files: TableFiles,
  file: string,
  sql: string,
  rows: Int32Array,
  rowOf: (cells: DuckDBValue[]) => Row,
  read = (block: Block<Row>) => block,
): Promise<(row: number) => Row> {
  const numbers = new Set<number>()
  for (let i = 0; i < rows.length; i++) numbers.add(Math.floor(rows[i] / BLOCK_ROWS))
  const path = (await tablePath(files, file))!
  const loaded = new Map<number, Block<Row>>()
  for (const number of numbers) loaded.set(number, await loadBlock(files.directory, path, sql, number, rowOf, read))
  return (row) => {
    const block = loaded.get(Math.floor(row / BLOCK_ROWS))
    const i = row % BLOCK_ROWS
    if (block === undefined || i >= block.rowCount) throw new ServiceError('corrupt', `${file} has no row ${row}`)
    return block.at(i)
  }
}

function loadBlock<Row>(
  directory: string,
  path: string,
  sql: string,
  number: number,
  rowOf: (cells: DuckDBValue[]) => Row,
  read: (block: Block<Row>) => Block<Row>,
): Promise<Block<Row>> {
  const key = JSON.stringify([path, number])
  const known = blocks.get(key) as Promise<Block<Row>> | undefined
  if (known) return known
  const [from, to] = [number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS - 1]
  const loading = query(studiesDirectoryOf(directory), sql, { path, from, to }, (result) => {
    collectGarbage(VALUES_PER_CELL * result.rowCount * result.columnCount)
    const chunks = Array.from({ length: result.chunkCount }, (_, c) => result.getChunk(c))
    return read(blockOf(chunks, result.rowCount, rowOf))
  })
  blocks.set(key, loading)
  loading.catch(() => blocks.delete(key))
  return loading
}

/** Returns a block that builds a row on each request. All chunks of DuckDB but the last have the same length. */
function blockOf<Row>(chunks: DuckDBDataChunk[], rowCount: number, rowOf: (cells: DuckDBValue[]) => Row): Block<Row> {
  const size = chunks[0]?.rowCount ?? 1
  const vectors = chunks.map((chunk) =>
    Array.from({ length: chunk.columnCount }, (_, column) => chunk.getColumnVector(column)),
  )
  const at = (i: number) => rowOf(vectors[Math.floor(i / size)].map((vector) => vector.getItem(i % size)))
  return { at, rowCount, chunks }
}

/** Returns a block that builds each row once, since a participant is requested with each of their tests. */
function keepMade<Row>(block: Block<Row>): Block<Row> {
  const made = new Map<number, Row>()
  const at = (i: number) => {
    const row = made.get(i) ?? block.at(i)
    made.set(i, row)
    return row
  }
  return { ...block, at }
}

export const textAt = (value: DuckDBValue) => (value === null ? '' : String(value))
export const numberOrNull = (value: DuckDBValue) => (value === null ? null : Number(value))

/** Returns the SQL of optional columns of a table, to follow others. Their names have only letters, digits and `_`. */
export function selectedColumns({ hasTags, externalData }: ParticipantColumns = NO_COLUMNS): string {
  return [...(hasTags ? ['tags'] : []), ...externalData.map(externalDataColumnName)].map((name) => `, ${name}`).join('')
}

/** Returns a function that builds a participant from ten cells and those of `selectedColumns`. */
export function participantReader({ hasTags, externalData }: ParticipantColumns = NO_COLUMNS) {
  return (cells: DuckDBValue[]): Participant => {
    const further = cells.slice(10)
    const tags = hasTags ? (further.shift() as DuckDBListValue | null) : null
    const known = externalData.flatMap((name, i) => (further[i] === null ? [] : [[name, textAt(further[i])] as const]))
    return { ...participantOf(cells), tags: tags?.items.map(textAt) ?? [], externalData: Object.fromEntries(known) }
  }
}

function participantOf([
  id,
  externalId,
  createdAt,
  displayName,
  age,
  gender,
  displayGender,
  grade,
  isCompleted,
  notes,
]: DuckDBValue[]): Omit<Participant, 'tags' | 'externalData'> {
  return {
    id: textAt(id),
    externalId: textAt(externalId),
    createdAt: textAt(createdAt),
    displayName: textAt(displayName),
    age: numberOrNull(age),
    gender: numberOrNull(gender) as Participant['gender'],
    displayGender: textAt(displayGender),
    qualityGrade: Number(grade),
    isCompleted: isCompleted === true,
    notes: textAt(notes),
  }
}

function testOf(cells: DuckDBValue[]): Test {
  const [id, itemIndex, participantIndex, createdAt, displayOrder, durationUs, key, hasFinishedOnClick, clickCount] =
    cells
  const [grade, browserWidthPx, browserHeightPx, left, top, width, height, notes, sampleCount] = cells.slice(9)
  return {
    id: textAt(id),
    itemIndex: Number(itemIndex),
    participantIndex: Number(participantIndex),
    createdAt: textAt(createdAt),
    displayOrder: numberOrNull(displayOrder),
    durationUs: numberOrNull(durationUs),
    finishedOnKey: textAt(key),
    hasFinishedOnClick: hasFinishedOnClick === true,
    clickCount: Number(clickCount),
    qualityGradeItem: Number(grade),
    browserWidthPx: numberOrNull(browserWidthPx),
    browserHeightPx: numberOrNull(browserHeightPx),
    display: displayOf(left, top, width, height),
    notes: textAt(notes),
    sampleCount: Number(sampleCount),
  }
}

export function displayOf(...sides: DuckDBValue[]): DisplayRectangle | null {
  if (sides[0] === null) return null
  const [leftPx, topPx, widthPx, heightPx] = sides.map(Number)
  return { leftPx, topPx, widthPx, heightPx }
}
