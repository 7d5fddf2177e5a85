import { join } from 'node:path'
import { type DuckDb, openDuckDb } from '../../duckdb/duckdb.ts'
import { interruptible } from '../../duckdb/query.ts'
import { makePlan } from '../../exports/make-plan.ts'
import { ServiceError, stopReason } from '../../model/errors.ts'
import { EXPORT_NAMES, type ExportName } from '../../model/export-names.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { Snapshot } from '../../model/study.ts'
import { type RunOptions, runExport } from '../../run/run-export.ts'
import { createBlockFile } from '../../storage/files/block-file.ts'
import { isDiskFull, isShortage } from '../../storage/files/durable.ts'
import { checkSqlQuery, type Query } from './read-query.ts'
import { RESULT, RESULT_SCHEMA, readResult, type SqlResult } from './read-result.ts'
import {
  createViews,
  type ExportFiles,
  SAMPLES,
  storedTables,
  verifySamples,
  viewName,
  writeEmptyExports,
} from './study-views.ts'

export type SqlOptions = {
  /** Text of one query. */
  text: string
  snapshot: Snapshot
  /** Parameters of the exports that the query names. */
  parameters: Parameters
  pool: RunOptions['pool']
  /** Directory for temporary files, which the caller removes; it may not exist yet. */
  scratch: string
  threads: number
  /** Memory limit of DuckDB; beyond it, data is spilled. */
  memoryMib: number
  spillMaxBytes: number
  signal: AbortSignal
  onExport?: (name: ExportName, share: number) => void
}

/**
 * Runs one query over the tables and exports of a study. `runExport` first computes the exports that it names; then the
 * whole query runs into a table on disk; then `read` gets its rows.
 *
 * @throws ServiceError usage if the text is not a reading query, or fails; invalid_param, corrupt, disk_full; as
 *   `stopReason` if `signal` aborts; errors of `read`
 */
export async function runSql<T>(options: SqlOptions, read: (result: SqlResult) => Promise<T>): Promise<T> {
  const { snapshot, scratch, threads, memoryMib, spillMaxBytes, signal } = options
  const exports = await writeEmptyExports(snapshot, scratch)
  const stored = await storedTables(snapshot)
  const duckDb = await openDuckDb({
    directories: [scratch],
    files: [...stored.values()].flat(),
    threads,
    memoryMib,
    tablesFile: join(scratch, 'result.duckdb'),
    temporaryDirectory: scratch,
    temporaryMaxBytes: spillMaxBytes,
  })
  const held: (() => void)[] = []
  try {
    const tables = [...stored.keys(), 'items', 'aois', ...EXPORT_NAMES.map(viewName)]
    const query = await checkSqlQuery(duckDb.connection, options.text, tables)
    await holdSamples(snapshot, samplesNeeded(snapshot, query), held)
    const here = new Map(stored)
    if (here.has(SAMPLES)) here.set(SAMPLES, stored.get(SAMPLES)!.slice(0, samplesNeeded(snapshot, query)))
    await createViews(duckDb.connection, snapshot.study, here, exports)
    await computeResult(duckDb, query, exports, options)
    return await read(await readResult(duckDb.connection, signal))
  } catch (error) {
    throw signal.aborted ? stopReason(signal) : asRefusal(error, options)
  } finally {
    duckDb.close()
    held.forEach((release) => void release())
  }
}

/**
 * Returns the number of sample files that a query needs: without samples in its text, only the first one, for the
 * columns.
 */
function samplesNeeded({ manifest: { sampleFiles } }: Snapshot, { tables }: Query): number {
  return tables.has(SAMPLES) ? sampleFiles.length : Math.min(1, sampleFiles.length)
}

/**
 * Fetches the first sample files of a study from an object store.
 *
 * @param held collects the functions that release them
 */
async function holdSamples(snapshot: Snapshot, count: number, held: (() => void)[]): Promise<void> {
  if (snapshot.pin === undefined) return
  for (const file of snapshot.manifest.sampleFiles.slice(0, count)) held.push(await snapshot.pin(file))
}

async function computeResult(
  { connection }: DuckDb,
  query: Query,
  exports: ExportFiles,
  options: SqlOptions,
): Promise<void> {
  // Unknown names are reported before an export is computed.
  ;(await connection.prepare(query.text)).destroySync()
  const isRead = (name: ExportName) => query.tables.has(viewName(name))
  if (!query.isOfColumns) {
    for (const [name, path] of exports) if (isRead(name)) await computeExport(name, path, options)
    // Exports that were not computed have no rows, and samples may be incomplete: their views are dropped, lest they
    // seem empty.
    for (const name of exports.keys()) if (!isRead(name)) await connection.run(`DROP VIEW ${viewName(name)}`)
    if (!query.tables.has(SAMPLES)) await connection.run(`DROP VIEW IF EXISTS ${SAMPLES}`)
  }
  if (query.tables.has(SAMPLES)) verifySamples(options.snapshot)
  await connection.run(`CREATE SCHEMA ${RESULT_SCHEMA}`)
  const source = query.isDescription ? `FROM (${query.text.replace(/[\s;]+$/, '')}\n)` : query.text
  await interruptible(connection, () => connection.run(`CREATE TABLE ${RESULT} AS ${source}`), options.signal)
}

async function computeExport(
  name: ExportName,
  path: string,
  { snapshot, parameters, pool, signal, onExport }: SqlOptions,
): Promise<void> {
  const plan = makePlan({ snapshot, exportName: name, parameters, formulaGuard: false, format: 'parquet' })
  const onProgress: RunOptions['onProgress'] = ({ samplesDone, samplesTotal }) =>
    onExport?.(name, samplesTotal === 0 ? 1 : samplesDone / samplesTotal)
  const file = await createBlockFile(path, 'w')
  try {
    for await (const { bytes } of runExport({ plan, snapshot, pool, signal, gzip: false, onProgress }))
      await file.write(bytes)
    await file.finish()
  } finally {
    await file.abandon()
  }
}

/** Explains in a sentence why DuckDB cannot run a query. */
function asRefusal(error: unknown, { scratch, snapshot, memoryMib }: SqlOptions): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const [, kind, said] = /^([A-Z][\w ]+ Error): ([\s\S]*)$/.exec(error.message) ?? []
  if (isDiskFull(error) || /max_temp_directory_size|No space left/.test(error.message))
    return new ServiceError('disk_full', 'the disk is too full for the query', { cause: error })
  if (kind === 'Out of Memory Error')
    return new ServiceError('usage', `the query needs more memory than ENGINE_MEMORY_MIB allows, ${memoryMib} MiB`, {
      cause: error,
    })
  if (kind === undefined || isShortage(error)) return error
  if (kind === 'IO Error' || kind === 'Fatal Error' || kind === 'Internal Error')
    return new ServiceError('corrupt', 'a table of the study cannot be read', { cause: error })
  const [sentence, rest = ''] = said.split(/\n+LINE /)
  const [, line] = /^(\d+):/.exec(rest) ?? []
  const known = [scratch, snapshot.directory].reduce((text, path) => text.replaceAll(`${path}/`, ''), sentence)
  const words = known.replace(/\s*\n+\s*/g, ' ').trim()
  return new ServiceError('usage', `${words}${line === undefined ? '' : ` (line ${line})`}`, { cause: error })
}
