import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { columnsOf } from '../../exports/columns/columns-of.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { EXPORTS } from '../../exports/registry.ts'
import { loadFormat } from '../../formats/load.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { Snapshot, Study } from '../../model/study.ts'
import { EVENTS_FILE, PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE } from '../../snapshot/table-columns.ts'
import { tablePath } from '../../snapshot/tables.ts'
import { verifyFile } from '../../snapshot/verify.ts'

/** Stored tables of a study, by their names in queries, with their files. */
export type StoredTables = Map<string, string[]>

/** Table of samples, which may have many files. */
export const SAMPLES = 'samples'
/** Exports with the names and rows of stored tables. */
const STORED: ExportName[] = [SAMPLES, 'events']

/** Returns the name of an export in SQL, where `-` would need quotes. */
export function viewName(name: ExportName): string {
  return name.replaceAll('-', '_')
}

/**
 * Finds the files of a study's tables, with sample files in the order of output.
 *
 * @throws ServiceError as `tablePath`
 */
export async function storedTables(snapshot: Snapshot): Promise<StoredTables> {
  const tables: StoredTables = new Map()
  const names = {
    participants: PARTICIPANTS_FILE,
    tests: TESTS_FILE,
    validations: VALIDATIONS_FILE,
    events: EVENTS_FILE,
  }
  for (const [name, file] of Object.entries(names)) {
    const path = await tablePath(snapshot, file)
    if (path !== null) tables.set(name, [path])
  }
  const files = snapshot.manifest.sampleFiles.map(({ name }) => join(snapshot.directory, name))
  if (files.length > 0) tables.set(SAMPLES, files)
  return tables
}

/** Verifies the sample files by their hashes. @throws ServiceError corrupt */
export function verifySamples({ directory, manifest: { sampleFiles } }: Snapshot): void {
  for (const { name, sha256 } of sampleFiles) verifyFile(join(directory, name), sha256)
}

/** Files for the exports of a study, at first with columns but no rows. */
export type ExportFiles = Map<ExportName, string>

/** Writes a file without rows for each export, so that a query can be validated before anything is computed. */
export async function writeEmptyExports(snapshot: Snapshot, directory: string): Promise<ExportFiles> {
  await mkdir(directory, { recursive: true })
  const { frame } = await loadFormat('parquet')
  const facts = studyFacts(snapshot)
  const files: ExportFiles = new Map()
  for (const entry of EXPORTS.filter(({ name }) => !STORED.includes(name))) {
    const { head, tail } = frame({ columns: columnsOf(entry, facts), about: {}, dictionaries: {} })
    const start = Buffer.concat(head)
    const path = join(directory, `${entry.name}.parquet`)
    await writeFile(path, Buffer.concat([start, tail([], start.length)]))
    files.set(entry.name, path)
  }
  return files
}

/** Creates the views and tables that a query may name. */
export async function createViews(
  connection: DuckDBConnection,
  study: Study,
  stored: StoredTables,
  exports: ExportFiles,
): Promise<void> {
  for (const [name, paths] of stored) await connection.run(viewOf(name, paths))
  for (const [name, path] of exports) await connection.run(viewOf(viewName(name), [path]))
  await createTable(connection, 'items', ITEM_COLUMNS, study.items.map(itemRow))
  await createTable(connection, 'aois', AOI_COLUMNS, study.aois.map(aoiRow))
}

function viewOf(name: string, paths: string[]): string {
  // The type of t_us may differ from file to file.
  const options = `hive_partitioning = false, union_by_name = ${paths.length > 1}`
  return `CREATE VIEW ${name} AS FROM read_parquet([${paths.map(sqlText).join(', ')}], ${options})`
}

/** Quotes a text for SQL that cannot have bound values. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const ITEM_COLUMNS = {
  item_index: 'INTEGER',
  item_id: 'VARCHAR',
  item_filename: 'VARCHAR',
  item_cdn_url: 'VARCHAR',
  item_type: 'VARCHAR',
  stimuli_duration_ms: 'DOUBLE',
  width_px: 'DOUBLE',
  height_px: 'DOUBLE',
}

function itemRow(item: Study['items'][number], index: number): Record<keyof typeof ITEM_COLUMNS, unknown> {
  return {
    item_index: index,
    item_id: item.id,
    item_filename: item.filename,
    item_cdn_url: item.cdnUrl,
    item_type: item.type,
    stimuli_duration_ms: item.stimuliDurationMs,
    width_px: item.widthPx,
    height_px: item.heightPx,
  }
}

const AOI_COLUMNS = {
  aoi_index: 'INTEGER',
  aoi_id: 'VARCHAR',
  item_id: 'VARCHAR',
  aoi_name: 'VARCHAR',
  aoi_item_parts: 'JSON',
  aoi_tags: 'VARCHAR[]',
}

function aoiRow(aoi: Study['aois'][number], index: number): Record<keyof typeof AOI_COLUMNS, unknown> {
  const { id, itemId, name, parts, tags = [] } = aoi
  return { aoi_index: index, aoi_id: id, item_id: itemId, aoi_name: name, aoi_item_parts: parts, aoi_tags: tags }
}

async function createTable(
  connection: DuckDBConnection,
  name: string,
  columns: Record<string, string>,
  rows: object[],
): Promise<void> {
  const shape = sqlText(JSON.stringify([columns]))
  await connection.run(`CREATE TABLE ${name} AS SELECT unnest(from_json($rows::JSON, ${shape}), recursive := true)`, {
    rows: JSON.stringify(rows),
  })
}
