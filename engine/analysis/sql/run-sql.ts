import { join } from 'node:path'
import { makePlan } from '../../exports/make-plan.ts'
import type { Rows } from '../../model/columns.ts'
import { EXPORT_NAMES, type ExportName } from '../../model/export-names.ts'
import type { FormatName } from '../../model/format-names.ts'
import type { Parameters as ExportParameters } from '../../model/parameters.ts'
import type { Snapshot } from '../../model/study.ts'
import { type Block, type RunOptions, runExport } from '../../run/run-export.ts'
import { createBlockFile } from '../../storage/files/block-file.ts'
import { makeDirectory } from '../../storage/files/durable.ts'
import { DESCRIBED_TABLES, type StudyTables, type ViewedFiles } from './create-views.ts'
import type { Steps } from './query-child.ts'
import { type QueryProcess, startQueryProcess } from './query-process.ts'
import type { Query } from './read-query.ts'
import type { ResultShape, RowLimits } from './read-result.ts'
import {
  COMPUTED,
  type ExportFiles,
  SAMPLES,
  storedTables,
  verifySamples,
  viewName,
  writeEmptyExports,
} from './study-views.ts'

/** A study of a query. @property parameters of the exports that the query names */
export type AskedStudy = { snapshot: Snapshot; parameters: ExportParameters }

export type SqlOptions = {
  /** Text of one query. */
  text: string
  /** One study, or several as one. */
  studies: AskedStudy[]
  pool: RunOptions['pool']
  /** Directory for temporary files, which the caller removes; it may not exist yet. */
  scratch: string
  threads: number
  /** Memory limit of DuckDB; beyond it, data is spilled, and its process may take a constant more. */
  memoryMib: number
  spillMaxBytes: number
  signal: AbortSignal
  onExport?: (name: ExportName, share: number) => void
}

/** Result of a query: its columns, and the number of its rows. */
export type SqlResult = ResultShape & {
  /** Returns the first rows, with texts of limited length. */
  firstRows: (limits: RowLimits) => Promise<Rows[]>
  /** Yields the bytes of a file with all rows; call it last. @throws as `runSql` */
  file: (format: FormatName, formulaGuard: boolean) => AsyncGenerator<Block>
}

/**
 * Runs one query over the tables and exports of one study or of several, in a process of its own. `runExport` first
 * computes the exports that it names; then the whole query runs into a table on disk; then `read` gets its rows.
 *
 * @throws ServiceError usage if the text is not a reading query, fails, or needs too much memory; invalid_param,
 *   corrupt, disk_full; as `stopReason` if `signal` aborts; errors of `read`
 */
export async function runSql<T>(options: SqlOptions, read: (result: SqlResult) => Promise<T>): Promise<T> {
  const { text, scratch, threads, memoryMib, spillMaxBytes, signal } = options
  await makeDirectory(scratch)
  const running = startQueryProcess({ memoryMib, threads, signal })
  const held: (() => void)[] = []
  try {
    const given: Given[] = []
    for (const each of options.studies) given.push({ ...each, stored: await storedTables(each.snapshot) })
    const stored = given.flatMap((each) => [...each.stored])
    const query = await running.ask('check', {
      text,
      known: [...new Set(stored.map(([name]) => name)), ...DESCRIBED_TABLES, ...EXPORT_NAMES.map(viewName)],
      ...{ scratch, folders: given.map(({ snapshot }) => snapshot.directory) },
      ...{ files: stored.flatMap(([, files]) => files), threads, memoryMib, spillMaxBytes },
    })
    const studies = await withExports(given, query, scratch)
    for (const { snapshot } of studies) await holdSamples(snapshot, samplesNeeded(snapshot, query), held)
    // Unknown names are reported before an export is computed.
    await running.ask('bind', { studies: studies.map((each) => tablesFor(each, query)) })
    await computeTables(query, studies, options)
    const shape = await running.ask('run', null)
    return await read({
      ...shape,
      firstRows: (limits) => running.ask('firstRows', limits),
      file: (format, formulaGuard) => fileOf(running, { format, formulaGuard }),
    })
  } finally {
    await running.end()
    held.forEach((release) => void release())
  }
}

/** A study of a query, with the files of its tables. */
type Given = AskedStudy & { stored: ViewedFiles }
/** With files of the exports that the query names, at first without rows, or of all if it only asks for columns. */
type Opened = Given & { exports: ExportFiles }

async function withExports(given: Given[], { tables, isOfColumns }: Query, scratch: string): Promise<Opened[]> {
  const named = COMPUTED.filter(({ name }) => isOfColumns || tables.has(viewName(name)))
  const opened: Opened[] = []
  for (const [i, study] of given.entries())
    opened.push({ ...study, exports: await writeEmptyExports(study.snapshot, named, join(scratch, `study-${i + 1}`)) })
  return opened
}

function tablesFor({ snapshot, stored, exports }: Opened, query: Query): StudyTables {
  const tables = new Map(stored)
  // Samples that nothing reads may be incomplete: there is no such table then, lest they seem whole.
  const samples = stored.get(SAMPLES)?.slice(0, samplesNeeded(snapshot, query)) ?? []
  if (samples.length > 0) tables.set(SAMPLES, samples)
  else tables.delete(SAMPLES)
  for (const [name, path] of exports) tables.set(viewName(name), [path])
  const { id, name, project, items, aois } = snapshot.study
  return { id, name, project, items, aois, tables }
}

const NOTHING = new Uint8Array(0)

async function* fileOf(running: QueryProcess, given: Parameters<Steps['write']>[0]): AsyncGenerator<Block> {
  const writing = running.ask('write', given)
  // It fails before or after the output ends; then nobody waits for it yet.
  writing.catch(() => undefined)
  let bytesRead = 0
  for await (const bytes of running.output) {
    bytesRead += bytes.length
    yield { bytes, gzip: NOTHING }
  }
  if (bytesRead !== (await writing)) throw new Error('a part of the result of a query was lost')
}

/** Returns the number of sample files that a query needs: only the first one, if it asks for columns alone. */
function samplesNeeded({ manifest: { sampleFiles } }: Snapshot, { tables, isOfColumns }: Query): number {
  if (tables.has(SAMPLES)) return sampleFiles.length
  return isOfColumns ? Math.min(1, sampleFiles.length) : 0
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

/** Computes the exports that a query reads, and verifies its samples. */
async function computeTables({ tables, isOfColumns }: Query, studies: Opened[], options: SqlOptions): Promise<void> {
  if (tables.has(SAMPLES)) for (const { snapshot } of studies) verifySamples(snapshot)
  if (isOfColumns) return
  for (const name of studies[0].exports.keys())
    for (const [i, study] of studies.entries()) await computeExport(name, study, i, options)
}

/** Computes an export of a study. @param at number of the study among all, from 0 */
async function computeExport(
  name: ExportName,
  { snapshot, parameters, exports }: Opened,
  at: number,
  { studies, pool, signal, onExport }: SqlOptions,
): Promise<void> {
  const plan = makePlan({ snapshot, exportName: name, parameters, formulaGuard: false, format: 'parquet' })
  const onProgress: RunOptions['onProgress'] = ({ samplesDone, samplesTotal }) =>
    onExport?.(name, (at + (samplesTotal === 0 ? 1 : samplesDone / samplesTotal)) / studies.length)
  const file = await createBlockFile(exports.get(name)!, 'w')
  try {
    for await (const { bytes } of runExport({ plan, snapshot, pool, signal, gzip: false, onProgress }))
      await file.write(bytes)
    await file.finish()
  } finally {
    await file.abandon()
  }
}
