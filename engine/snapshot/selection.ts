import type { DuckDBMaterializedResult } from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { duckDbBindings, listValue, readParquet } from '../duckdb/duckdb.ts'
import { type QueryValues, query, queryRows } from '../duckdb/query.ts'
import { filterColumns } from '../filter/columns.ts'
import { JOINED, readFilter } from '../filter/read-filter.ts'
import { filterSql } from '../filter/to-sql.ts'
import { refusedParameter, ServiceError } from '../model/errors.ts'
import type { Snapshot } from '../model/study.ts'
import { studiesDirectoryOf } from '../storage/files/layout.ts'
import { earlyValues } from './early-samples.ts'
import { openPlaces } from './places.ts'
import { OF_TESTS, selectionSql } from './select-sql.ts'
import { type SharedCall, startShared } from './shared-call.ts'
import { PARTICIPANTS_FILE, TESTS_FILE } from './table-columns.ts'
import { tablePath } from './tables.ts'

/** Tests in the order of output, as columns of length n, with what is needed to find and count their samples. */
export type Selection = {
  n: number
  /** Rows of the tests in the snapshot's table. */
  testRows: Int32Array
  itemIndexes: Int32Array
  participantRows: Int32Array
  /**
   * Index into the manifest's sample files, the number that the file's rows carry, where they begin in it, and how many
   * they are.
   */
  files: Int32Array
  ordinals: Int32Array
  firstSamples: Int32Array
  sampleCounts: Int32Array
}

/**
 * A condition that selects tests of a snapshot: null and 1 for all.
 *
 * @property ignored participants whose tests are left out
 */
export type TestCondition = { itemId: string | null; gradeMin: number; filter?: string | null; ignored?: string[] }

const COLUMNS: [Exclude<keyof Selection, 'n'>, string][] = [
  ['testRows', 'test_row'],
  ['itemIndexes', 'item_index'],
  ['participantRows', 'participant_row'],
  ['files', 'sample_file'],
  ['ordinals', 'test_ordinal'],
  ['firstSamples', 'first_sample'],
  ['sampleCounts', 'sample_count'],
]

const NAMES = COLUMNS.map(([, name]) => name).join(', ')
const SELECT = `SELECT ${NAMES} FROM ${readParquet()} WHERE ${OF_TESTS} ORDER BY test_row`

/** LRU cache of selections, which never change: 32 bytes a test. */
const selections = new LRUCache<string, SharedCall<Selection>>({ max: 64 })
const KEPT_TESTS_MAX = 50_000

/**
 * Returns the SQL and bound values of a condition.
 *
 * @throws ServiceError invalid_param when the filter is no condition on such tests
 */
async function selectSql(
  snapshot: Snapshot,
  { itemId, gradeMin, filter = null, ignored = [] }: TestCondition,
  stop: AbortSignal,
): Promise<{ sql: string; values: QueryValues }> {
  const { manifest, study } = snapshot
  const path = (await tablePath(snapshot, TESTS_FILE))!
  const ofTests = { path, itemId, gradeMin, ignored: listValue(ignored) }
  if (filter === null) return { sql: SELECT, values: ofTests }
  const { hasTags = false, externalData = [] } = manifest.participantColumns ?? {}
  const { condition, fault } = readFilter(filter, filterColumns(externalData), JOINED)
  if (condition === null) throw refusedParameter(fault)
  const made = filterSql(condition, hasTags)
  const values: QueryValues = { ...ofTests, ...made.values }
  if (made.columns.some(({ name }) => name === 'item_filename'))
    values.filenames = listValue(study.items.map(({ filename }) => filename))
  if (made.needsTags || made.columns.some(({ of }) => of === 'participant'))
    values.participants = await tablePath(snapshot, PARTICIPANTS_FILE)
  if (made.columns.some(({ needsEarly }) => needsEarly)) {
    Object.assign(values, await earlyValues(snapshot, stop))
  }
  return { sql: selectionSql(NAMES, made), values }
}

/**
 * Semaphore for filters. They may take long, and each running query holds a libuv thread: so few run at once that there
 * are threads for files and for other queries, and each for a bounded time.
 */
const filtering = openPlaces(4)
const FILTER_MAX_MS = 20_000

/**
 * Selects tests of a snapshot by SQL. The result is cached and shared, so it must not be changed.
 *
 * @param signal of a caller that may leave: when the last has left, the query is interrupted
 * @throws ServiceError overloaded when a filter takes more than 20 s; as `stopReason` when the signal aborts
 */
export async function selectTests(
  snapshot: Snapshot,
  condition: TestCondition,
  signal?: AbortSignal,
): Promise<Selection> {
  const { directory, manifest } = snapshot
  const { itemId, gradeMin, filter = null, ignored = [] } = condition
  const key = JSON.stringify([directory, itemId, gradeMin, filter, ignored])
  const known = selections.get(key)
  if (known && !known.isStopped()) return known.join(signal)
  const selecting = startShared((stop) =>
    filter === null ? select(snapshot, condition, stop) : selectFiltered(snapshot, condition, stop),
  )
  const selected = selecting.join(signal)
  if (manifest.counts.tests <= KEPT_TESTS_MAX) {
    selections.set(key, selecting)
    selected.catch(() => {
      if (selections.get(key) === selecting) selections.delete(key)
    })
  }
  return selected
}

async function select(snapshot: Snapshot, condition: TestCondition, stop: AbortSignal): Promise<Selection> {
  const { sql, values } = await selectSql(snapshot, condition, stop)
  return query(studiesDirectoryOf(snapshot.directory), sql, values, selectionOf, stop)
}

async function selectFiltered(snapshot: Snapshot, condition: TestCondition, left: AbortSignal): Promise<Selection> {
  const leavePlace = await filtering.take(left)
  const late = new AbortController()
  const error = new ServiceError('overloaded', `the filter took more than ${FILTER_MAX_MS / 1000} s`)
  const timer = setTimeout(() => late.abort(error), FILTER_MAX_MS)
  try {
    return await select(snapshot, condition, AbortSignal.any([left, late.signal]))
  } finally {
    clearTimeout(timer)
    leavePlace()
  }
}

function selectionOf(result: DuckDBMaterializedResult): Selection {
  const duckdb = duckDbBindings()
  const selection = emptySelection(result.rowCount)
  for (let c = 0, at = 0; c < result.chunkCount; c++) {
    const { chunk, rowCount } = result.getChunk(c)
    for (const [i, [name]] of COLUMNS.entries()) {
      const bytes = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, i), 4 * rowCount)
      selection[name].set(new Int32Array(bytes.buffer, bytes.byteOffset, rowCount), at)
    }
    at += rowCount
  }
  return selection
}

function emptySelection(n: number): Selection {
  const column = () => new Int32Array(n)
  return {
    n,
    testRows: column(),
    itemIndexes: column(),
    participantRows: column(),
    files: column(),
    ordinals: column(),
    firstSamples: column(),
    sampleCounts: column(),
  }
}

/** Returns the tests of a selection, by their place in it, for which a condition holds. */
export function pickTests(selection: Selection, isWanted: (i: number) => boolean): Selection {
  const places = Array.from({ length: selection.n }, (_, i) => i).filter(isWanted)
  const picked = emptySelection(places.length)
  for (const [name] of COLUMNS) for (let i = 0; i < places.length; i++) picked[name][i] = selection[name][places[i]]
  return picked
}

/** Returns the tests of a range of a selection, `start` to `end`, as views of its columns. */
export function sliceTests(selection: Selection, start: number, end: number): Selection {
  const columns = COLUMNS.map(([name]) => [name, selection[name].subarray(start, end)])
  return { n: end - start, ...Object.fromEntries(columns) }
}

export function countSamples({ sampleCounts }: Pick<Selection, 'sampleCounts'>): number {
  let sum = 0
  for (let i = 0; i < sampleCounts.length; i++) sum += sampleCounts[i]
  return sum
}

/** Returns the first tests that have at most `samples` samples together, but at least one test. */
export function firstTests(tests: Selection, samples: number): Selection {
  let left = samples
  const beyond = tests.sampleCounts.findIndex((count, i) => {
    left -= count + 1
    return left < 0 && i > 0
  })
  return beyond < 0 ? tests : pickTests(tests, (i) => i < beyond)
}

/** Returns the duration of the longest of these tests, as given in the bundle, in whole µs; null if none is known. */
export async function longestTestUs(snapshot: Snapshot, { testRows, n }: Selection): Promise<number | null> {
  if (n === 0) return null
  const sql = `SELECT max(duration_us) FROM ${readParquet()} WHERE test_row BETWEEN $from AND $to`
  const values = { path: (await tablePath(snapshot, TESTS_FILE))!, from: testRows[0], to: testRows[n - 1] }
  const [[longest]] = await queryRows(studiesDirectoryOf(snapshot.directory), sql, values)
  return longest === null ? null : Number(longest)
}

const checked = new WeakSet<Snapshot>()

/**
 * Compares, once for a snapshot, how many samples its tests have in each file with what the manifest promises of the
 * file.
 *
 * @throws ServiceError corrupt
 */
export async function checkSampleCounts(snapshot: Snapshot): Promise<void> {
  if (checked.has(snapshot)) return
  const { directory, manifest } = snapshot
  const sql = `SELECT sample_file, sum(sample_count) FROM ${readParquet()} WHERE sample_count > 0 GROUP BY sample_file`
  const sums = await queryRows(studiesDirectoryOf(directory), sql, { path: (await tablePath(snapshot, TESTS_FILE))! })
  const counts = new Map(sums.map(([file, count]) => [Number(file), Number(count)]))
  for (const [file, count] of counts)
    if (!(file in manifest.sampleFiles))
      throw new ServiceError('corrupt', `${count} samples are in file ${file}, and there is none`)
  for (const [file, { name, rowCount }] of manifest.sampleFiles.entries())
    if (counts.get(file) !== rowCount)
      throw new ServiceError(
        'corrupt',
        `the tests in ${name} have ${counts.get(file) ?? 0} samples, the file ${rowCount}`,
      )
  checked.add(snapshot)
}
