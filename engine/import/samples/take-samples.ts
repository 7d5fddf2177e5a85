import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DuckDb } from '../../duckdb/duckdb.ts'
import { checkRatio } from '../../files/gzip-ratio.ts'
import { addProblem, noProblems, type Problems, refusal } from '../../model/bundle-problems.ts'
import type { StagedTest } from '../../study/samples/write-samples.ts'
import { throwGrave } from '../../study/workshop.ts'
import { type SampleLimits, STAGED_SAMPLE_BYTES, unpackedLimit } from '../bundle/bundle-limits.ts'
import { type CsvDigest, digestCsv } from '../bundle/open-bundle-file.ts'
import { readCsv } from '../bundle/read-csv.ts'
import { readHeader } from '../bundle/read-table.ts'
import { checkCsvSamples, checkParquetColumns, checkParquetSamples } from './check-samples.ts'
import { NEEDED_SAMPLE_COLUMNS, SAMPLE_COLUMNS } from './sample-columns.ts'
import { countStaged, declareTests, sizeOfParquet, stageCsv, stagedTests, stageParquet } from './stage-samples.ts'

export const SAMPLES_MAX = 4_000_000

/** A bundle's samples. */
type Taking = {
  directory: string
  /** samples.csv, samples.csv.gz or samples.parquet in `directory`. */
  file: string
  /** Of all tests that the snapshot will have, in its order; only those of `news` may have samples here. */
  ids: string[]
  news: Set<string>
  /** A directory for temporary files. */
  scratch: string
  limits: SampleLimits
  /** The file, if it is a CSV. */
  read: Promise<CsvDigest> | null
}

/**
 * Reads a bundle's samples into the table `staged`, and checks them on the way.
 *
 * @param db may read the bundle's directory and `scratch`
 * @returns where each test's rows are, by ordinal; null, with problems, when anything is wrong
 */
export async function takeSamples(
  db: DuckDb,
  { directory, file, ids, news, scratch, limits, read }: Taking,
  problems: Problems,
  signal: AbortSignal,
): Promise<Map<number, StagedTest> | null> {
  await declareTests(db, ids, news)
  const path = join(directory, file)
  const isStaged =
    read === null
      ? await takeParquet(db, path, file, limits, problems, signal)
      : await takeCsv(db, { path, file, news, scratch, limits, read }, problems, signal)
  if (!isStaged) return null
  refuseTooMany(file, await countStaged(db), limits)
  const tests = await stagedTests(db)
  for (const [ordinal, { rowCount }] of tests) {
    if (rowCount <= SAMPLES_MAX) continue
    const rule = `must have at most ${SAMPLES_MAX} samples, not ${rowCount}`
    addProblem(problems, { file, line: null, column: 'test_id', value: ids[ordinal], rule })
  }
  return problems.count === 0 ? tests : null
}

async function takeParquet(
  db: DuckDb,
  path: string,
  file: string,
  limits: SampleLimits,
  problems: Problems,
  signal: AbortSignal,
): Promise<boolean> {
  const names = await checkParquetColumns(db, path, file, problems)
  if (names === null) return false
  try {
    const { rows, bytes } = await sizeOfParquet(db, path)
    refuseTooMany(file, rows, limits)
    const unpackedBytes = Math.max(bytes, rows * STAGED_SAMPLE_BYTES)
    const { mostBytes, rule } = unpackedLimit(limits)
    if (unpackedBytes > mostBytes) throw refusal(file, rule)
    checkRatio(file, unpackedBytes, (await stat(path)).size)
    await stageParquet(db, path, names)
    if ((await countStaged(db)) === rows) return true
  } catch (error) {
    throwGrave(error, signal)
  }
  // Pages that no query can read have no rows to blame.
  await checkParquetSamples(db, path, file, names, problems).catch((error) => throwGrave(error, signal))
  if (problems.count === 0) addProblem(problems, unreadable(file, 'must be a whole Parquet file'))
  return false
}

/** @throws ServiceError invalid_bundle */
function refuseTooMany(file: string, samples: number, { samplesMax }: SampleLimits): void {
  if (samples > samplesMax)
    throw refusal(file, `must have at most ${samplesMax} samples (IMPORT_MAX_SAMPLES), not ${samples}`)
}

type TakingCsv = Pick<Taking, 'file' | 'news' | 'scratch' | 'limits'> & { path: string; read: Promise<CsvDigest> }

async function takeCsv(db: DuckDb, taking: TakingCsv, problems: Problems, signal: AbortSignal): Promise<boolean> {
  const { path, file, limits, read } = taking
  const { mostBytes, rule } = unpackedLimit(limits)
  // What a packed one holds is told as it is read.
  if ((await stat(path)).size > mostBytes) throw refusal(file, rule)
  const header = await readSampleHeader(path, file, problems)
  if (header === null) return false
  try {
    // Before DuckDB unpacks it: a bomb is refused here.
    if (path.endsWith('.gz')) await read
    const staging = stageCsv(db, path, header)
    // Waited for, also where reading is given up: DuckDB must not be closed over a query.
    const [digest] = await Promise.all([read, staging]).finally(() => staging.catch(() => undefined))
    if (await isStagedWhole(db, digest, header)) return true
  } catch (error) {
    throwGrave(error, signal)
  }
  return takeCsvSlowly(db, taking, header, problems, signal)
}

/**
 * Returns whether DuckDB read all there is. It may end early without a word, as where the rest of a file is zeros; and it drops cells
 * beyond the header's without a word if they are empty or NA, so that those before them may stand in the wrong columns.
 */
async function isStagedWhole(db: DuckDb, { records, commas }: CsvDigest, { length }: string[]): Promise<boolean> {
  return commas === (records + 1) * (length - 1) && (await countStaged(db)) === records
}

/** Says what is wrong with a file that DuckDB cannot read as it is; or reads it, rewritten, if nothing is. */
async function takeCsvSlowly(
  db: DuckDb,
  { path, file, news, scratch }: TakingCsv,
  header: string[],
  problems: Problems,
  signal: AbortSignal,
): Promise<boolean> {
  await checkCsvSamples(path, file, news, problems, signal)
  if (problems.count > 0) return false
  // By our rules it is right, so it is DuckDB that cannot read it, like a mix of LF and CRLF: rewritten, it can.
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
  addProblem(problems, unreadable(file, 'must hold numbers that fit a double'))
  return false
}

async function readSampleHeader(path: string, file: string, problems: Problems): Promise<string[] | null> {
  for await (const rows of readCsv(path, file, problems))
    return readHeader(rows[0], file, [...SAMPLE_COLUMNS], NEEDED_SAMPLE_COLUMNS, problems)
  if (problems.count === 0) addProblem(problems, unreadable(file, 'must have a header'))
  return null
}

async function rewriteCsv(path: string, file: string, plain: string, signal: AbortSignal): Promise<void> {
  async function* lines() {
    for await (const rows of readCsv(path, file, noProblems()))
      yield rows.map(({ cells }) => `${cells.join(',')}\n`).join('')
  }
  await pipeline(lines, createWriteStream(plain), { signal })
}

function unreadable(file: string, rule: string) {
  return { file, line: null, column: null, value: null, rule }
}
