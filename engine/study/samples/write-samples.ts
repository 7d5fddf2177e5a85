import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DuckDb } from '../../duckdb/duckdb.ts'
import { EYE_COLUMN_NAMES, EYE_COLUMNS, type EyeColumn } from '../../model/eye-columns.ts'
import type { SampleFile } from '../../model/study.ts'
import type { KeptArrays } from '../../snapshot/read-samples.ts'
import type { GivenTest, SampleMeasures, SamplePlace } from '../../snapshot/table-columns.ts'
import { hashAndTrust, verifyFile } from '../../snapshot/verify.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { syncFile } from '../../storage/files/durable.ts'
import { measureFile, measureNothing } from './measure-samples.ts'
import { placeTests, type SampleFilePlan } from './place-tests.ts'

/**
 * Uses lz4, which reads twice as fast as zstd and is half as large again. Row groups are small, so that a few tests can
 * be read quickly.
 */
export const SAMPLE_FORMAT = '(FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE 40960)'
/**
 * Largest number of passes over all rows for writing the files; beyond that, rows are sorted first. A pass is cheap if
 * the rows of each test are contiguous, since whole blocks are skipped by ordinal; if tests alternate, no block can be
 * skipped.
 */
const PASSES_MAX = { together: 64, alternating: 3 }

/**
 * Position of a test's rows in `staged`: `rowCount` rows between two rowids, both inclusive; and the test's largest
 * time from onset.
 */
export type StagedTest = { rowCount: number; firstRow: number; lastRow: number; farthestUs: number }
/** Index of `staged`: its tests by ordinal, and its eye columns with any value. */
export type Staged = { tests: Map<number, StagedTest>; eyes: EyeColumn[] }
export const NOTHING_STAGED: Staged = { tests: new Map(), eyes: [] }
/** A test's samples in an existing snapshot. @property hold pins the snapshot, whose files may be fetched on demand */
type StoredTest = {
  directory: string
  file: string
  sha256: string
  ordinal: number
  rowCount: number
  eyes: EyeColumn[]
  hold?: () => Promise<() => void>
}
/** Source of a test's samples; null if it has none. */
export type SampleSource = { staged: StagedTest } | { stored: StoredTest } | null

/** Sample files written, and the measures of each test. */
export type WrittenSamples = { places: SamplePlace[]; sampleFiles: SampleFile[]; measured: SampleMeasures[] }

/**
 * Destination of samples.
 *
 * @property firstOrdinal number of the first test in the files; 0 by default
 * @property byItem whether a file should hold one item only
 * @property eyes eye columns in `staged`
 */
type SamplesWriter = {
  writer: DuckDb
  lanes: number
  directory: string
  firstOrdinal?: number
  byItem?: boolean
  eyes?: EyeColumn[]
}

/**
 * Writes the sample files of a snapshot and measures each test in them, by reading them back. DuckDB sorts and encodes
 * a file on one thread, so several files are written in parallel.
 *
 * @param to its `writer` has the table `staged` if any source is there, may write `directory` and read the stored
 * files; `lanes` is the number of files written in parallel
 * @param tests in output order, and their sources
 * @param onFile called after each file with the samples written so far
 * @throws ServiceError corrupt if a stored file does not match its manifest
 */
export async function writeSamples(
  to: SamplesWriter,
  tests: GivenTest[],
  sources: SampleSource[],
  signal: AbortSignal,
  onFile: (samples: number) => void,
): Promise<WrittenSamples> {
  const release = await holdStored(sources)
  try {
    return await writeHeld(to, tests, sources, signal, onFile)
  } finally {
    release()
  }
}

/** Largest number of stored files fetched in parallel. */
const FETCHED_AT_ONCE = 4

/** Pins all stored source files in their directories until the returned function is called. */
async function holdStored(sources: SampleSource[]): Promise<() => void> {
  const stored = sources.flatMap((source) =>
    source && 'stored' in source && source.stored.hold ? [source.stored] : [],
  )
  const files = new Map(stored.map((test) => [storedPath(test), test.hold!]))
  const releases: (() => void)[] = []
  const release = () => {
    for (const each of releases) each()
  }
  try {
    await forEach(files.values(), FETCHED_AT_ONCE, async (hold) => void releases.push(await hold()))
    return release
  } catch (error) {
    release()
    throw error
  }
}

async function writeHeld(
  { writer, lanes, directory, firstOrdinal = 0, byItem = false, eyes = [] }: SamplesWriter,
  tests: GivenTest[],
  sources: SampleSource[],
  signal: AbortSignal,
  onFile: (samples: number) => void,
): Promise<WrittenSamples> {
  const rowCounts = sources.map(rowCountOf)
  const { places, files } = placeTests(rowCounts, byItem ? tests.map(({ itemId }) => itemId) : [])
  verifyStored(sources)
  const ready = await sortIfScattered(writer, files, sources)
  await declareMoves(writer, ready)
  const lanesUsed = Math.min(lanes, files.length)
  await writer.shareThreads(Math.max(1, lanesUsed))
  const sampleFiles = new Array<SampleFile>(files.length)
  const measured = tests.map((test, i) => (rowCounts[i] === 0 ? measureNothing(test) : null)) as SampleMeasures[]
  let next = 0
  let samples = 0
  const lane = async () => {
    const connection = await writer.connect()
    const kept: KeptArrays = new Map()
    while (next < files.length) {
      signal.throwIfAborted()
      const index = next++
      const path = join(directory, files[index].name)
      const written = await writeFile(connection, path, files[index], { sources: ready, eyes, firstOrdinal })
      sampleFiles[index] = await finishFile(directory, files[index], written, tests, rowCounts, measured, kept)
      samples += files[index].rowCount
      onFile(samples)
    }
  }
  const stopOthers = (error: unknown) => {
    next = files.length
    throw error
  }
  const lanesRun = Array.from({ length: lanesUsed }, () => lane().catch(stopOthers))
  const ends = await Promise.allSettled(lanesRun)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  verifyStored(sources)
  const numbered = places.map((place) => ({ ...place, ordinal: place.ordinal + firstOrdinal }))
  return { places: numbered, sampleFiles, measured }
}

/** Syncs, hashes and reads back a file; puts the measures of its tests into `measured`. */
async function finishFile(
  directory: string,
  plan: SampleFilePlan,
  eyes: EyeColumn[],
  tests: GivenTest[],
  rowCounts: number[],
  measured: SampleMeasures[],
  kept: KeptArrays,
): Promise<SampleFile> {
  const path = join(directory, plan.name)
  await syncFile(path)
  const facts = {
    name: plan.name,
    rowCount: plan.rowCount,
    sizeBytes: (await stat(path)).size,
    sha256: hashAndTrust(path),
  }
  const { found, ...contents } = await measureFile(directory, facts, plan, eyes, tests, rowCounts, kept)
  for (const [ordinal, sum] of found) measured[ordinal] = sum
  return { ...facts, ...contents }
}

/** Verifies the stored source files: a copy of damaged data would look valid in the new snapshot. */
function verifyStored(sources: SampleSource[]): void {
  const stored = sources.flatMap((source) => (source && 'stored' in source ? [source.stored] : []))
  for (const [path, sha256] of new Map(stored.map((test) => [storedPath(test), test.sha256]))) verifyFile(path, sha256)
}

export function rowCountOf(source: SampleSource): number {
  if (source === null) return 0
  return 'staged' in source ? source.staged.rowCount : source.stored.rowCount
}

/**
 * Sorts all staged rows if they are too scattered to be sorted file by file, since a bundle may list a test's rows
 * anywhere.
 *
 * @returns the positions of each test's rows
 */
async function sortIfScattered(
  writer: DuckDb,
  files: SampleFilePlan[],
  sources: SampleSource[],
): Promise<SampleSource[]> {
  const spans = files.map((file) => stagedSpan(file, sources)).filter((span) => span !== null)
  const read = spans.reduce((total, { first, last }) => total + last - first + 1, 0)
  const staged = sources.flatMap((source) => (source && 'staged' in source ? [source.staged] : []))
  const all = staged.reduce((total, { rowCount }) => total + rowCount, 0)
  const isTogether = staged.every(({ rowCount, firstRow, lastRow }) => lastRow - firstRow + 1 === rowCount)
  if (read <= all * (isTogether ? PASSES_MAX.together : PASSES_MAX.alternating)) return sources
  await sortStaged(writer)
  let row = 0
  return sources.map((source) => {
    if (source === null || !('staged' in source)) return source
    const { rowCount, farthestUs } = source.staged
    row += rowCount
    return { staged: { rowCount, firstRow: row - rowCount, lastRow: row - 1, farthestUs } }
  })
}

/** Sorts `staged` into output order, so that every test's rows are contiguous. */
async function sortStaged({ connection }: DuckDb): Promise<void> {
  await connection.run('CREATE TABLE sorted AS SELECT * FROM staged ORDER BY ordinal, rowid')
  await connection.run('DROP TABLE staged')
  await connection.run('ALTER TABLE sorted RENAME TO staged')
}

type StagedSpan = { first: number; last: number; farthestUs: number }

/** Returns the range of `staged` that contains the rows of a file's tests; null if there are none. */
function stagedSpan({ start, end }: SampleFilePlan, sources: SampleSource[]): StagedSpan | null {
  let first = Number.POSITIVE_INFINITY
  let last = -1
  let farthestUs = 0
  for (let i = start; i < end; i++) {
    const source = sources[i]
    if (source === null || !('staged' in source)) continue
    first = Math.min(first, source.staged.firstRow)
    last = Math.max(last, source.staged.lastRow)
    farthestUs = Math.max(farthestUs, source.staged.farthestUs)
  }
  return last < 0 ? null : { first, last, farthestUs }
}

/** Half an hour in µs fits 32 bits, which are read twice as fast; a file with a longer test uses 64 bits. */
export const SHORT_US_MAX = 2 ** 31 - 1
const VALUES = 'gaze_x_px, gaze_y_px, scroll_y_px, mouse_x_px, mouse_y_px, is_click'

/** Returns SQL for all eye columns of a file, each preceded by a comma. @param own columns of a source of rows */
function eyesOf(all: EyeColumn[], own: EyeColumn[]): string {
  const cell = (column: EyeColumn) =>
    own.includes(column) ? EYE_COLUMNS[column] : `NULL::DOUBLE AS ${EYE_COLUMNS[column]}`
  return all.map((column) => `, ${cell(column)}`).join('')
}

const staged = (
  timeType: 'INTEGER' | 'BIGINT',
  eyes: string,
) => `SELECT ordinal, rowid AS place, t_us::${timeType} AS t_us, ${VALUES}${eyes}
  FROM staged WHERE rowid BETWEEN $firstRow AND $lastRow AND ordinal BETWEEN $start AND $last`
/**
 * Selects some tests of one file, so that blocks of other tests are skipped. Mixed times of 32 and 64 bits become 64
 * bits.
 */
const storedRows = (
  path: string,
  first: string,
  last: string,
  eyes: string,
) => `SELECT moved.ordinal, file_row_number AS place, t_us, ${VALUES}${eyes}
  FROM read_parquet($${path}, hive_partitioning = false, file_row_number = true) AS stored
  JOIN moved ON moved.path = $${path} AND moved.old = stored.test_ordinal
  WHERE stored.test_ordinal BETWEEN $${first} AND $${last} AND moved.ordinal BETWEEN $start AND $last`

/** Writes a sample file. @returns its eye columns: those of its sources */
async function writeFile(
  connection: DuckDBConnection,
  path: string,
  file: SampleFilePlan,
  { sources, eyes: stagedEyes, firstOrdinal }: { sources: SampleSource[]; eyes: EyeColumn[]; firstOrdinal: number },
): Promise<EyeColumn[]> {
  const span = stagedSpan(file, sources)
  const kept = storedSpans(sources.slice(file.start, file.end)).map((each, i) => ({ ...each, i }))
  const found = new Set([...(span ? stagedEyes : []), ...kept.flatMap(({ eyes }) => eyes)])
  const all = EYE_COLUMN_NAMES.filter((column) => found.has(column))
  const fresh = span ? [staged(span.farthestUs <= SHORT_US_MAX ? 'INTEGER' : 'BIGINT', eyesOf(all, stagedEyes))] : []
  const old = kept.map(({ i, eyes }) => storedRows(`path${i}`, `first${i}`, `last${i}`, eyesOf(all, eyes)))
  const rows = [...fresh, ...old].join('\nUNION ALL\n')
  const columns = `t_us, ${VALUES}${eyesOf(all, all)}`
  const sql = `COPY (SELECT ordinal + ${firstOrdinal} AS test_ordinal, ${columns} FROM (${rows}) ORDER BY ordinal, place)
    TO $path ${SAMPLE_FORMAT}`
  await connection.run(sql, {
    path,
    start: file.start,
    last: file.end - 1,
    // Bind as BIGINT, the type of rowid, so that only the rows in the range are read.
    ...(span ? { firstRow: BigInt(span.first), lastRow: BigInt(span.last) } : {}),
    ...Object.fromEntries(
      kept.flatMap(({ path: from, first, last, i }) => [
        [`path${i}`, from],
        [`first${i}`, first],
        [`last${i}`, last],
      ]),
    ),
  })
  return all
}

function storedPath({ directory, file }: StoredTest): string {
  return join(directory, file)
}

type StoredSpan = { path: string; first: number; last: number; eyes: EyeColumn[] }

/** Returns the stored source files, and the range of ordinals of their tests, both ends inclusive. */
function storedSpans(sources: SampleSource[]): StoredSpan[] {
  const spans = new Map<string, StoredSpan>()
  for (const source of sources) {
    if (source === null || !('stored' in source)) continue
    const path = storedPath(source.stored)
    const { ordinal, eyes } = source.stored
    const { first, last } = spans.get(path) ?? { first: ordinal, last: ordinal }
    spans.set(path, { path, eyes, first: Math.min(first, ordinal), last: Math.max(last, ordinal) })
  }
  return [...spans.values()]
}

/** Registers in DuckDB the new ordinals of stored tests. */
async function declareMoves({ connection }: DuckDb, sources: SampleSource[]): Promise<void> {
  await connection.run('CREATE TABLE moved (path VARCHAR, old INTEGER, ordinal INTEGER)')
  const appender = await connection.createAppender('moved')
  for (const [ordinal, source] of sources.entries()) {
    if (source === null || !('stored' in source)) continue
    appender.appendVarchar(storedPath(source.stored))
    appender.appendInteger(source.stored.ordinal)
    appender.appendInteger(ordinal)
    appender.endRow()
  }
  appender.closeSync()
}
