import { join } from 'node:path'
import type { DuckDb } from '../../duckdb/duckdb.ts'
import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import type { Staged } from '../../study/samples/write-samples.ts'
import type { SampleLimits } from '../bundle/bundle-limits.ts'
import type { CsvDigest } from '../bundle/open-bundle-file.ts'
import { takeCsv } from './csv-samples.ts'
import { takeParquet } from './parquet-samples.ts'
import { SAMPLES_MAX } from './sample-columns.ts'
import { countStaged, declareTests, refuseTooMany, stagedEyes, stagedTests } from './staged-samples.ts'

/** Samples of a bundle. */
type Taking = {
  directory: string
  /** File in `directory`: samples.csv, samples.csv.gz or samples.parquet. */
  file: string
  /** Ids of all tests of the new snapshot, in order; only those in `news` may have samples here. */
  ids: string[]
  news: Set<string>
  /** Directory for temporary files. */
  scratch: string
  limits: SampleLimits
  /** The file, if it is CSV. */
  read: Promise<CsvDigest> | null
}

/**
 * Reads and validates a bundle's samples into the table `staged`.
 *
 * @param db may read the bundle's directory and `scratch`
 * @returns the range of each test's rows, and the columns of eyes with values; null, with problems, if anything is
 *   invalid
 */
export async function takeSamples(
  db: DuckDb,
  { directory, file, ids, news, scratch, limits, read }: Taking,
  problems: Problems,
  signal: AbortSignal,
): Promise<Staged | null> {
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
  return problems.count === 0 ? { tests, eyes: await stagedEyes(db) } : null
}
