import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { measureGaze } from '../compute/grade.ts'
import type { SampleFile } from '../study.ts'
import { type DuckDb, listValue } from './duckdb.ts'
import type { Place } from './fill.ts'
import { hashOpenFile } from './hash-file.ts'
import type { KeptTest } from './kept-rows.ts'
import { type KeptArrays, readSamples } from './read-samples.ts'
import { type StagedTest, sortStaged } from './stage-samples.ts'
import type { GivenTest, Measured } from './tables.ts'
import { verifySamples } from './verify-samples.ts'
import { writeKept } from './write-kept.ts'

/** About how many samples a file holds; a longer test has a file of its own. */
const FILE_SAMPLES = 256_000
/** As sample-pages.ts reads it: 27 bytes a sample, where lz4 takes 15 and zstd 10, but ten times as long to read. */
const FORMAT = '(FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE 32768)'
/**
 * When files would read more than so many times all rows, these are sorted first. Passing over another test's rows is cheap where
 * each test's stand together, since whole blocks are left out by their ordinal; where tests alternate, no block is.
 */
const PASSES_MAX = { together: 64, alternating: 3 }

/** A test's samples in a snapshot that is there already. */
export type StoredTest = { directory: string; file: string; sha256: string; ordinal: number; rowCount: number }
/** Where a test's samples come from; null when it has none. */
export type Source = { staged: StagedTest } | { kept: KeptTest } | { stored: StoredTest } | null

type FilePlan = { name: string; start: number; end: number; rowCount: number }

/** Cuts tests into files of whole consecutive tests; a test without samples belongs to the file that it stands in. */
export function placeTests(rowCounts: number[]): { places: Place[]; files: FilePlan[] } {
  const files: FilePlan[] = []
  const places = rowCounts.map((rowCount, ordinal): Place => {
    const last = files.at(-1)
    if (last && (last.rowCount === 0 || last.rowCount + rowCount <= FILE_SAMPLES)) {
      last.end = ordinal + 1
      last.rowCount += rowCount
    } else {
      const name = `samples-${String(files.length).padStart(5, '0')}.parquet`
      files.push({ name, start: ordinal, end: ordinal + 1, rowCount })
    }
    return { file: files.length - 1, ordinal }
  })
  return { places, files: files.filter(({ rowCount }) => rowCount > 0) }
}

/**
 * Writes the sample files of a snapshot and measures each test in them, by reading them back. DuckDB sorts and encodes a file on one
 * thread, so that several are written at once.
 *
 * @param writer has the table `staged`, when any source is there; may write `directory` and read the stored ones
 * @param lanes how many files are written at once
 * @param tests in the order of output, and their sources
 * @param onFile called after each file with the samples written so far
 * @throws ServiceError corrupt when a stored file is not what its manifest promises
 */
export async function writeSamples(
  { writer, lanes, directory }: { writer: DuckDb; lanes: number; directory: string },
  tests: GivenTest[],
  sources: Source[],
  signal: AbortSignal,
  onFile: (samples: number) => void,
): Promise<{ places: Place[]; sampleFiles: SampleFile[]; measured: Measured[] }> {
  const rowCounts = sources.map(rowCountOf)
  const { places, files } = placeTests(rowCounts)
  verifyStored(sources)
  const ready = await sortIfScattered(writer, files, sources)
  await declareMoves(writer, ready)
  const sampleFiles = new Array<SampleFile>(files.length)
  const measured = tests.map((test, i) => (rowCounts[i] === 0 ? measureNothing(test) : null)) as Measured[]
  let next = 0
  let samples = 0
  const lane = async () => {
    const connection = await writer.connect()
    let checking: Promise<void> = Promise.resolve()
    try {
      while (next < files.length) {
        signal.throwIfAborted()
        const index = next++
        const kept = keptTests(files[index], ready)
        const path = join(directory, files[index].name)
        if (kept.length > 0) await writeKept(connection, `kept_${index}`, path, kept, FORMAT)
        else await writeFile(connection, path, files[index], ready)
        // The next file is written while this one is read back.
        await checking
        checking = finishFile(index)
        checking.catch(() => {})
      }
      await checking
    } catch (error) {
      // The others begin no more files.
      next = files.length
      await checking.catch(() => {})
      throw error
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: Math.min(lanes, files.length) }, lane))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  verifyStored(sources)
  return { places, sampleFiles, measured }

  async function finishFile(index: number): Promise<void> {
    const file = files[index]
    const path = join(directory, file.name)
    const [sums, sha256, sizeBytes] = await Promise.all([
      measureFile(directory, file, tests, rowCounts),
      hashAndSync(path),
      stat(path).then(({ size }) => size),
    ])
    for (const [ordinal, sum] of sums) measured[ordinal] = sum
    sampleFiles[index] = { name: file.name, rowCount: file.rowCount, sizeBytes, sha256 }
    samples += file.rowCount
    onFile(samples)
  }
}

/** What is copied from a damaged snapshot would look whole in the new one. */
function verifyStored(sources: Source[]): void {
  const stored = sources.flatMap((source) => (source && 'stored' in source ? [source.stored] : []))
  for (const [path, sha256] of new Map(stored.map((test) => [storedPath(test), test.sha256])))
    verifySamples(path, sha256)
}

export function rowCountOf(source: Source): number {
  if (source === null) return 0
  if ('staged' in source) return source.staged.rowCount
  return 'kept' in source ? source.kept.rowCount : source.stored.rowCount
}

/** The tests of a file whose rows were kept; all that have any, or none. */
function keptTests({ start, end }: FilePlan, sources: Source[]): [ordinal: number, test: KeptTest][] {
  return sources
    .slice(start, end)
    .flatMap((source, i) => (source && 'kept' in source ? [[start + i, source.kept]] : []))
}

/** Rows of a test may stand anywhere in the bundle. They are sorted file by file, or, when too scattered for that, all at once. */
async function sortIfScattered(writer: DuckDb, files: FilePlan[], sources: Source[]): Promise<Source[]> {
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
    const { rowCount } = source.staged
    row += rowCount
    return { staged: { rowCount, firstRow: row - rowCount, lastRow: row - 1 } }
  })
}

/** The rows of `staged` among which a file's tests stand; null when it has none there. */
function stagedSpan({ start, end }: FilePlan, sources: Source[]): { first: number; last: number } | null {
  let first = Number.POSITIVE_INFINITY
  let last = -1
  for (let i = start; i < end; i++) {
    const source = sources[i]
    if (source === null || !('staged' in source)) continue
    first = Math.min(first, source.staged.firstRow)
    last = Math.max(last, source.staged.lastRow)
  }
  return last < 0 ? null : { first, last }
}

const COLUMNS = 't_us, gaze_x_px, gaze_y_px, scroll_y_px, mouse_x_px, mouse_y_px, is_click'
const STAGED = `SELECT ordinal, rowid AS place, ${COLUMNS} FROM staged
  WHERE rowid BETWEEN $firstRow AND $lastRow AND ordinal BETWEEN $start AND $last`
const STORED = `SELECT moved.ordinal, file_row_number AS place, ${COLUMNS}
  FROM read_parquet($paths, hive_partitioning = false, union_by_name = false, file_row_number = true, filename = true) AS stored
  JOIN moved ON moved.path = stored.filename AND moved.old = stored.test_ordinal
  WHERE moved.ordinal BETWEEN $start AND $last`

async function writeFile(connection: DuckDBConnection, path: string, file: FilePlan, sources: Source[]): Promise<void> {
  const span = stagedSpan(file, sources)
  const paths = storedPaths(sources.slice(file.start, file.end))
  const rows = [...(span ? [STAGED] : []), ...(paths.length > 0 ? [STORED] : [])].join('\nUNION ALL\n')
  const sql = `COPY (SELECT ordinal AS test_ordinal, ${COLUMNS} FROM (${rows}) ORDER BY ordinal, place)
    TO $path ${FORMAT}`
  await connection.run(sql, {
    path,
    start: file.start,
    last: file.end - 1,
    // As BIGINT, which rowid is, so that only the rows between are read.
    ...(span ? { firstRow: BigInt(span.first), lastRow: BigInt(span.last) } : {}),
    ...(paths.length > 0 ? { paths: listValue(paths) } : {}),
  })
}

function storedPath({ directory, file }: StoredTest): string {
  return join(directory, file)
}

function storedPaths(sources: Source[]): string[] {
  return [...new Set(sources.flatMap((source) => (source && 'stored' in source ? [storedPath(source.stored)] : [])))]
}

/** Tells DuckDB the new ordinals of tests that are stored already. */
async function declareMoves({ connection }: DuckDb, sources: Source[]): Promise<void> {
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

/** For one file after the other: fresh memory costs as much as reading. */
const kept: KeptArrays = new Map()

/** What is in each test of a file, by ordinal. Reading back also shows that the file is whole. */
async function measureFile(
  directory: string,
  { name, start, end, rowCount }: FilePlan,
  tests: GivenTest[],
  rowCounts: number[],
): Promise<Map<number, Measured>> {
  const place = { directory, file: { name, rowCount, sha256: null }, fromRow: 0, rowCount }
  const samples = readSamples(place, ['gazeXPx', 'gazeYPx', 'isClick'], kept)
  const measured = new Map<number, Measured>()
  let row = 0
  for (let ordinal = start; ordinal < end; ordinal++) {
    const sampleCount = rowCounts[ordinal]
    if (sampleCount === 0) continue
    const [from, to] = [row, row + sampleCount]
    const { tUs, gazeXPx, gazeYPx, isClick } = samples
    const { durationUs } = tests[ordinal]
    const sums = measureGaze(tUs, gazeXPx, gazeYPx, from, to, durationUs, windowOf(tests[ordinal]))
    measured.set(ordinal, { ...sums, sampleCount, clickCount: countTrue(isClick, from, to) })
    row = to
  }
  return measured
}

const NO_SAMPLES = new Float64Array(0)

function measureNothing(test: GivenTest): Measured {
  const sums = measureGaze(NO_SAMPLES, NO_SAMPLES, NO_SAMPLES, 0, 0, test.durationUs, windowOf(test))
  return { ...sums, sampleCount: 0, clickCount: 0 }
}

function windowOf({ browserWidthPx, browserHeightPx }: GivenTest): { widthPx: number; heightPx: number } | null {
  if (browserWidthPx === null || browserHeightPx === null) return null
  return { widthPx: browserWidthPx, heightPx: browserHeightPx }
}

function countTrue(flags: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let i = start; i < end; i++) count += flags[i]
  return count
}

async function hashAndSync(path: string): Promise<string> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
    return await hashOpenFile(file)
  } finally {
    await file.close()
  }
}
