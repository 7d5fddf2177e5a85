import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DuckDb } from '../../duckdb/duckdb.ts'
import { addFileProblem, addProblem, noProblems, type Problems, refusal } from '../../model/bundle-problems.ts'
import { throwGrave } from '../../study/workspace.ts'
import { type SampleLimits, unpackedLimit } from '../bundle/bundle-limits.ts'
import { type CsvDigest, digestCsv } from '../bundle/open-bundle-file.ts'
import { readCsv } from '../bundle/read-csv.ts'
import { readHeader, readTable } from '../bundle/read-table.ts'
import { NEEDED_SAMPLE_COLUMNS, SAMPLE_CELLS, SAMPLE_COLUMNS, UNKNOWN_TEST } from './sample-columns.ts'
import { countStaged, MISSING_TEXTS, stage, TEXT_COLUMNS } from './staged-samples.ts'

/**
 * Buffer size of a CSV reader: each thread has a few, and DuckDB's default of 32 MB would exceed the lowest memory
 * setting.
 */
const BUFFER_BYTES = 16 * 1024 * 1024

/** A samples.csv. @property news ids of the tests that it may name @property scratch directory for temporary files */
type TakingCsv = {
  path: string
  file: string
  news: Set<string>
  scratch: string
  limits: SampleLimits
  read: Promise<CsvDigest>
}

/** Stages a samples.csv or samples.csv.gz. @returns false, with problems, if it is invalid */
export async function takeCsv(
  db: DuckDb,
  taking: TakingCsv,
  problems: Problems,
  signal: AbortSignal,
): Promise<boolean> {
  const { path, file, limits, read } = taking
  const { mostBytes, rule } = unpackedLimit(limits)
  // The uncompressed size is known only after reading.
  if ((await stat(path)).size > mostBytes) throw refusal(file, rule)
  const header = await readSampleHeader(path, file, problems)
  if (header === null) return false
  try {
    // A bomb is refused here, before DuckDB decompresses it.
    if (path.endsWith('.gz')) await read
    const staging = stageCsv(db, path, header)
    // Awaited even if reading is given up: DuckDB must not be closed while a query runs.
    const [digest] = await Promise.all([read, staging]).finally(() => staging.catch(() => undefined))
    if (await isStagedWhole(db, digest, header)) return true
  } catch (error) {
    throwGrave(error, signal)
  }
  return takeCsvSlowly(db, taking, header, problems, signal)
}

/**
 * Checks that DuckDB has read the whole file. It may end early without an error, for example if the rest of a file is
 * zeros. It also silently drops cells beyond those of the header if they are empty or NA, in which case the other cells
 * may be in wrong columns.
 */
async function isStagedWhole(db: DuckDb, { records, commas }: CsvDigest, { length }: string[]): Promise<boolean> {
  return commas === (records + 1) * (length - 1) && (await countStaged(db)) === records
}

/** Reports the problems of a file that DuckDB cannot read; if there are none, rewrites the file and reads that. */
async function takeCsvSlowly(
  db: DuckDb,
  { path, file, news, scratch }: TakingCsv,
  header: string[],
  problems: Problems,
  signal: AbortSignal,
): Promise<boolean> {
  await checkCsvSamples(path, file, news, problems, signal)
  if (problems.count > 0) return false
  // The file is valid by our rules, but DuckDB cannot read it, such as one that mixes LF and CRLF. Once rewritten, it
  // can.
  const plain = join(scratch, 'samples.csv')
  await rewriteCsv(path, file, plain, signal)
  return stageRewritten(db, plain, header, file, problems, signal)
}

async function stageRewritten(
  db: DuckDb,
  plain: string,
  header: string[],
  file: string,
  problems: Problems,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await stageCsv(db, plain, header)
    if (await isStagedWhole(db, await digestCsv(plain, null, signal), header)) return true
  } catch (error) {
    throwGrave(error, signal)
  }
  addFileProblem(problems, file, 'must hold numbers that fit a double')
  return false
}

function stageCsv(db: DuckDb, path: string, header: string[]): Promise<void> {
  const types = header.map((name) => `'${name}': '${TEXT_COLUMNS.has(name) ? 'VARCHAR' : 'DOUBLE'}'`)
  const compression = path.endsWith('.gz') ? 'gzip' : 'none'
  const csv = `read_csv($path, auto_detect = false, hive_partitioning = false, union_by_name = false, header = true, delim = ',', quote = '"', escape = '"',
    compression = '${compression}', buffer_size = ${BUFFER_BYTES}, nullstr = [${MISSING_TEXTS}], columns = {${types.join(', ')}})`
  return stage(db, path, csv, header)
}

async function readSampleHeader(path: string, file: string, problems: Problems): Promise<string[] | null> {
  for await (const rows of readCsv(path, file, problems))
    return readHeader(rows[0], file, [...SAMPLE_COLUMNS], NEEDED_SAMPLE_COLUMNS, problems)
  if (problems.count === 0) addFileProblem(problems, file, 'must have a header')
  return null
}

/** Reports every problem in a file that could not be staged. @param known ids of the tests that samples may name */
async function checkCsvSamples(
  path: string,
  file: string,
  known: Set<string>,
  problems: Problems,
  signal: AbortSignal,
): Promise<void> {
  await readTable({ path, file }, SAMPLE_CELLS, problems, ({ test_id: id }, line) => {
    signal.throwIfAborted()
    if (id !== undefined && !known.has(id))
      addProblem(problems, { file, line, column: 'test_id', value: id, rule: UNKNOWN_TEST })
  })
}

async function rewriteCsv(path: string, file: string, plain: string, signal: AbortSignal): Promise<void> {
  async function* lines() {
    for await (const rows of readCsv(path, file, noProblems()))
      yield rows.map(({ cells }) => `${cells.join(',')}\n`).join('')
  }
  await pipeline(lines, createWriteStream(plain), { signal })
}
