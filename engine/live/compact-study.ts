import { createHash } from 'node:crypto'
import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isCode, syncDirectory } from '../files/durable.ts'
import { studyDirectory } from '../files/layout.ts'
import { takeLock, withStudyLock } from '../files/lock.ts'
import { loadParent, type Parent, storedSources } from '../import/parent-snapshot.ts'
import { type WrittenSamples, writeSamples } from '../import/samples/write-samples.ts'
import { COMPACTING, openShared, sharedPath } from '../import/shared-files.ts'
import { ServiceError } from '../model/errors.ts'
import type { Snapshot } from '../model/study.ts'
import { openDuckDb, readParquet } from '../snapshot/duckdb.ts'
import { queryRows } from '../snapshot/snapshot-reader.ts'
import { currentIdIn, openSnapshot } from '../snapshot/snapshots.ts'
import { type GivenTest, TESTS_FILE } from '../snapshot/table-columns.ts'
import { chooseFiles } from './choose-files.ts'
import { openLiveTables } from './live-tables.ts'
import { publishTables } from './publish-tables.ts'

export type Compacting = {
  dataDir: string
  studyId: string
  threads: number
  memoryMib: number
  now: Date
  signal: AbortSignal
}

/** So long without a change, and a study is quiet. */
const QUIET_MS = 5000
const LOCK_WAIT_MS = 60_000

/**
 * Merges the small sample files of a study that has grown, in the order of output, and publishes the same study over the larger ones.
 * Whoever adds to the study meanwhile does not wait, except for the moment of publishing.
 *
 * @returns how many files became how many; null where it was not worth it, another process is at it, or the study was changed so
 *   that it was in vain
 * @throws ServiceError corrupt, disk_full, busy
 */
export async function compactStudy(compacting: Compacting): Promise<{ from: number; to: number } | null> {
  const { dataDir, studyId } = compacting
  const studyDir = studyDirectory(dataDir, studyId)
  const id = studyDir && (await currentIdIn(studyDir))
  if (!studyDir || !id || (await choose(studyDir, join(studyDir, id))).length === 0) return null
  const lock = await takeLock(join(studyDir, 'compact.lock'))
  if (lock === null) return null
  try {
    return await compactLocked(studyDir, compacting)
  } catch (error) {
    // A participant or the study was removed meanwhile, and these files with them.
    if (isCode(error, 'ENOENT') || (error instanceof ServiceError && error.code === 'not_found')) return null
    throw error
  } finally {
    await rm(join(studyDir, COMPACTING), { recursive: true, force: true })
    await lock.release()
    // Where the study is gone.
    await rmdir(studyDir).catch(() => undefined)
  }
}

async function compactLocked(studyDir: string, compacting: Compacting): Promise<{ from: number; to: number } | null> {
  const snapshot = await openSnapshot(join(studyDir, (await currentIdIn(studyDir))!))
  const chosen = await choose(studyDir, snapshot.directory)
  if (chosen.length === 0) return null
  const parent = await loadParent(compacting.dataDir, studyDir, compacting.studyId)
  if (parent.snapshot.id !== snapshot.id) return null
  const directory = join(studyDir, COMPACTING)
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory)
  const tests = testsOf(parent, chosen)
  const written = await merge(studyDir, directory, parent, tests, compacting)
  const publish = () => publishMerged(studyDir, directory, { snapshot, chosen, tests, written }, compacting)
  return (await withStudyLock(studyDir, publish, LOCK_WAIT_MS))
    ? { from: chosen.length, to: written.sampleFiles.length }
    : null
}

async function choose(studyDir: string, directory: string): Promise<number[]> {
  const sql = `SELECT sample_file, sum(sample_count), count(DISTINCT item_index) FROM ${readParquet()}
    WHERE sample_count > 0 GROUP BY sample_file`
  const rows = await queryRows(dirname(studyDir), sql, { path: join(directory, TESTS_FILE) })
  const facts = rows
    .map((row) => row.map(Number))
    .map(([index, rowCount, itemCount]) => ({ index, rowCount, itemCount }))
  const { mtimeMs } = await stat(join(studyDir, 'current'))
  return chooseFiles(facts, Date.now() - mtimeMs > QUIET_MS)
}

/** Returns the tests in some sample files, in the order of output. */
function testsOf({ given }: Parent, files: number[]): GivenTest[] {
  const chosen = new Set(files)
  return given.tests.filter((_, i) => given.measured[i].sampleCount > 0 && chosen.has(given.places[i].file))
}

async function merge(
  studyDir: string,
  directory: string,
  parent: Parent,
  tests: GivenTest[],
  { threads, memoryMib, signal }: Compacting,
): Promise<WrittenSamples> {
  const sources = storedSources(parent)
  const spill = { temporaryDirectory: join(directory, 'spill'), temporaryMaxBytes: 2 ** 36 }
  const writer = await openDuckDb({ directories: [studyDir], threads, memoryMib, ...spill })
  try {
    return await writeSamples(
      { writer, lanes: 1, directory, firstOrdinal: freeOrdinals(parent, tests.length) },
      tests,
      tests.map(({ id }) => sources.get(id)!),
      signal,
      () => {},
    )
  } finally {
    writer.close()
  }
}

/** New tests get the numbers after the greatest; so many may come meanwhile. */
const COMING_MAX = 500_000

/** Returns the first of so many numbers that no test has, nor will get soon. */
function freeOrdinals({ given: { places } }: Parent, count: number): number {
  const taken = places.map(({ ordinal }) => ordinal).sort((a, b) => a - b)
  let free = 0
  for (const ordinal of taken) {
    if (ordinal - free >= count) return free
    free = ordinal + 1
  }
  return free + COMING_MAX
}

type Merged = { snapshot: Snapshot; chosen: number[]; tests: GivenTest[]; written: WrittenSamples }

/** Publishes the study over the merged files, the lock being held; false when what was merged is not as it was any more. */
async function publishMerged(
  studyDir: string,
  directory: string,
  { snapshot, chosen, tests, written }: Merged,
  { memoryMib, now }: Compacting,
): Promise<boolean> {
  const current = await openSnapshot(join(studyDir, (await currentIdIn(studyDir))!))
  const old = new Set(chosen.map((index) => snapshot.manifest.sampleFiles[index].sha256))
  const kept = current.manifest.sampleFiles.filter(({ sha256 }) => !old.has(sha256))
  if (current.manifest.sampleFiles.length - kept.length !== chosen.length) return false
  const tables = await openLiveTables(studyDir, current, memoryMib)
  try {
    const { connection } = tables.db
    // Where each file stands then: the kept ones move up, the merged ones come after them.
    await connection.run('CREATE TABLE moved (test_id VARCHAR, file INTEGER, ordinal INTEGER, first INTEGER)')
    const appender = await connection.createAppender('moved')
    for (const [i, { id }] of tests.entries()) {
      const { file, ordinal, firstSample } = written.places[i]
      appender.appendVarchar(id)
      for (const value of [kept.length + file, ordinal, firstSample]) appender.appendInteger(value)
      appender.endRow()
    }
    appender.closeSync()
    const count = `SELECT count(*) FROM tests JOIN moved USING (test_id)`
    if (Number((await connection.runAndReadAll(count)).getRows()[0][0]) !== tests.length) return false
    const places = current.manifest.sampleFiles.map(({ sha256 }) => kept.findIndex((file) => file.sha256 === sha256))
    const cases = places.flatMap((to, from) => (to < 0 || to === from ? [] : [`WHEN ${from} THEN ${to}`]))
    if (cases.length > 0)
      await connection.run(`UPDATE tests SET sample_file = CASE sample_file ${cases.join(' ')} ELSE sample_file END`)
    await connection.run(`UPDATE tests SET sample_file = file, test_ordinal = ordinal, first_sample = first
      FROM moved WHERE moved.test_id = tests.test_id`)
    await openShared(studyDir)
    for (const { name, sha256 } of written.sampleFiles)
      await rename(join(directory, name), sharedPath(studyDir, sha256))
    await syncDirectory(dirname(sharedPath(studyDir, '')))
    const merged = written.sampleFiles.map(({ sha256 }) => sha256).join('\n')
    const { bundle } = current.manifest
    await publishTables(studyDir, tables, {
      sampleFiles: [...kept, ...written.sampleFiles],
      counts: current.manifest.counts,
      bundle: {
        'study.json': bundle['study.json'],
        'merged samples': createHash('sha256').update(merged).digest('hex'),
      },
      writes: [],
      now,
    })
    return true
  } finally {
    tables.db.close()
  }
}
