import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listValue, openDuckDb, readParquet } from '../../duckdb/duckdb.ts'
import { queryRows } from '../../duckdb/query.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Snapshot } from '../../model/study.ts'
import { isCode } from '../../model/system-errors.ts'
import { readGivenTests } from '../../snapshot/rows/read-given.ts'
import { currentIdIn } from '../../snapshot/snapshots.ts'
import { type GivenTest, TESTS_FILE } from '../../snapshot/table-columns.ts'
import { layerPaths, tablePath } from '../../snapshot/tables.ts'
import { closing } from '../../storage/concurrency/closing.ts'
import { fileAgeMs } from '../../storage/files/file-age.ts'
import { studiesDirectoryOf, studyDirectory } from '../../storage/files/layout.ts'
import { type Changing, changeStudy } from '../change-study.ts'
import { merge } from '../changes/merge.ts'
import { mayBeMerged } from '../merged-snapshot.ts'
import { storedSources } from '../parent-snapshot.ts'
import { directoryPlace, type MergedStudy } from '../place.ts'
import { type SampleSource, type WrittenSamples, writeSamples } from '../samples/write-samples.ts'
import { COMPACTING } from '../shared-files.ts'
import { chooseFiles, chooseScattered, type SampleFileSize, type Stretch } from './choose-files.ts'

type Compacting = Pick<Changing, 'dataDir' | 'place' | 'threads' | 'memoryMib'> & {
  studyId: string
  now: Date
  signal: AbortSignal
}

/** Time without a change after which a study is quiet. */
const QUIET_MS = 5000
const LOCK_WAIT_MS = 60_000
/**
 * Largest number of layers. The manifest lists every layer and is rewritten with each; beyond this number, tables are
 * merged even while others arrive.
 */
const LAYERS_MAX = 128

/**
 * Compacts a growing study: merges its small sample files in output order, and publishes the same study with the larger
 * files and merged tables. Concurrent writers wait only at the moment of publishing.
 *
 * @returns the number of files before and after; null if a merge was not worth it, another process is compacting, or a
 * concurrent change made the result obsolete
 * @throws ServiceError corrupt, disk_full, busy
 */
export async function compactStudy(compacting: Compacting): Promise<{ from: number; to: number } | null> {
  const { dataDir, place = directoryPlace(dataDir), studyId } = compacting
  if (studyDirectory(dataDir, studyId) === null) return null
  const isDue = async (study: MergedStudy) => {
    const snapshot = await currentOf(study)
    return mayBeMerged(snapshot.manifest) && (await choose(study.studyDir, snapshot)) !== null
  }
  try {
    return await place.compact(studyId, isDue, (study, through) => mergeFiles(study, { ...compacting, place: through }))
  } catch (error) {
    // A participant or the study was removed meanwhile, and these files with it.
    if (isCode(error, 'ENOENT') || (error instanceof ServiceError && error.code === 'not_found')) return null
    throw error
  }
}

async function currentOf({ studyDir, open }: MergedStudy): Promise<Snapshot> {
  return open((await currentIdIn(studyDir))!)
}

async function mergeFiles(study: MergedStudy, compacting: Compacting): Promise<{ from: number; to: number } | null> {
  const { studyDir } = study
  const snapshot = await currentOf(study)
  const chosen = await choose(studyDir, snapshot)
  if (chosen === null) return null
  const directory = join(studyDir, COMPACTING)
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory)
  const { tests, sources } = await testsIn(snapshot, chosen)
  const isWhole = chosen.length === snapshot.manifest.sampleFiles.length
  const written = await writeMerged(studyDir, { directory, snapshot, tests, sources, isWhole }, compacting)
  const change = merge(directory, { snapshot, chosen, tests, written })
  const { published } = await changeStudy({ ...compacting, waitMs: LOCK_WAIT_MS }, null, change)
  return published ? { from: chosen.length, to: written.sampleFiles.length } : null
}

const ROWS = 'read_parquet($paths, hive_partitioning = false, union_by_name = true)'

/** Runs a query over the tests of a snapshot, in any order. */
function queryTests(snapshot: Snapshot, what: string): Promise<number[][]> {
  const values = { paths: listValue(layerPaths(snapshot, 'tests')) }
  const rows = queryRows(studiesDirectoryOf(snapshot.directory), what.replace('$tests', ROWS), values)
  return rows.then((found) => found.map((row) => row.map(Number)))
}

/** Returns the indexes of the sample files to merge; [] if only tables are to be merged, null for neither. */
async function choose(studyDir: string, snapshot: Snapshot): Promise<number[] | null> {
  const sql = `SELECT sample_file, item_index, sum(sample_count) FROM $tests
    WHERE sample_count > 0 GROUP BY sample_file, item_index`
  const facts = new Map<number, SampleFileSize>()
  for (const [index, item, rowCount] of await queryTests(snapshot, sql)) {
    const known = facts.get(index) ?? { index, rowCount: 0, items: [] }
    facts.set(index, { index, rowCount: known.rowCount + rowCount, items: [...known.items, item] })
  }
  const { mtimeMs } = await stat(join(studyDir, 'current'))
  const isQuiet = fileAgeMs(mtimeMs) > QUIET_MS
  const small = chooseFiles([...facts.values()], isQuiet)
  const chosen = small.length === 0 && isQuiet ? chooseScattered(await stretchesOf(snapshot)) : small
  const layers = snapshot.manifest.layers?.length ?? 0
  return chosen.length > 0 || layers > (isQuiet ? 0 : LAYERS_MAX) ? chosen : null
}

async function stretchesOf(snapshot: Snapshot): Promise<Stretch[]> {
  const path = (await tablePath(snapshot, TESTS_FILE))!
  const sql = `SELECT sample_file, min(test_row), max(test_row), count(*) FILTER (before IS DISTINCT FROM sample_file)
    FROM (SELECT sample_file, test_row, item_index, lag(sample_file) OVER (PARTITION BY item_index ORDER BY test_row) AS before
      FROM ${readParquet()} WHERE sample_count > 0) GROUP BY sample_file, item_index`
  const rows = await queryRows(studiesDirectoryOf(snapshot.directory), sql, { path })
  return rows.map((row) => row.map(Number)).map(([file, start, end, runs]) => ({ file, start, end, runs }))
}

type Chosen = { tests: GivenTest[]; sources: SampleSource[] }

/** Returns the tests in some sample files, in output order, with the positions of their samples. */
async function testsIn(snapshot: Snapshot, files: number[]): Promise<Chosen> {
  const given = await readGivenTests(snapshot, files)
  const sources = storedSources({ snapshot, given })
  const tests = given.tests.filter((_, i) => given.measured[i].sampleCount > 0)
  return { tests, sources: tests.map(({ id }) => sources.get(id)!) }
}

/** @property isWhole whether all sample files are merged: then into such as an import of all makes */
type Merging = { directory: string; snapshot: Snapshot; isWhole: boolean }

async function writeMerged(
  studyDir: string,
  { directory, snapshot, tests, sources, isWhole }: Chosen & Merging,
  { threads, memoryMib, signal }: Compacting,
): Promise<WrittenSamples> {
  const spill = { temporaryDirectory: join(directory, 'spill'), temporaryMaxBytes: 2 ** 36 }
  return closing(
    await openDuckDb({ directories: [studyDir], threads, memoryMib, isShared: true, ...spill }),
    async (writer) => {
      const firstOrdinal = await freeOrdinals(snapshot, tests.length)
      return writeSamples(
        { writer, lanes: 1, directory, firstOrdinal, byItem: !isWhole },
        tests,
        sources,
        signal,
        () => {},
      )
    },
  )
}

/** New tests get the numbers after the greatest; this many may arrive meanwhile. */
const COMING_MAX = 500_000

/** Returns the first of a range of numbers that no test has, nor will get soon. */
async function freeOrdinals(snapshot: Snapshot, count: number): Promise<number> {
  const taken = `SELECT test_ordinal, lag(test_ordinal, 1, -1) OVER (ORDER BY test_ordinal) AS before FROM $tests`
  const [[gap, last]] = await queryTests(
    snapshot,
    `SELECT coalesce(min(before + 1) FILTER (test_ordinal - before > ${count}), -1), coalesce(max(test_ordinal), -1)
      FROM (${taken})`,
  )
  return gap >= 0 ? gap : last + 1 + COMING_MAX
}
