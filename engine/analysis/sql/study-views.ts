import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { columnsOf } from '../../exports/columns/columns-of.ts'
import type { ExportEntry } from '../../exports/columns/export-entry.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { EXPORTS } from '../../exports/registry.ts'
import { loadFormat } from '../../formats/load.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { Snapshot } from '../../model/study.ts'
import { EVENTS_FILE, PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE } from '../../snapshot/table-columns.ts'
import { tablePath } from '../../snapshot/tables.ts'
import { verifyFile } from '../../snapshot/verify.ts'
import { makeDirectory } from '../../storage/files/durable.ts'
import type { ViewedFiles } from './create-views.ts'

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
export async function storedTables(snapshot: Snapshot): Promise<ViewedFiles> {
  const tables: ViewedFiles = new Map()
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

/** Exports that are not stored tables, too. */
export const COMPUTED = EXPORTS.filter(({ name }) => !STORED.includes(name))

/** Writes a file without rows for each export, so that a query can be validated before anything is computed. */
export async function writeEmptyExports(
  snapshot: Snapshot,
  exports: ExportEntry[],
  directory: string,
): Promise<ExportFiles> {
  await makeDirectory(directory)
  const { frame } = await loadFormat('parquet')
  const facts = studyFacts(snapshot)
  const files: ExportFiles = new Map()
  for (const entry of exports) {
    const { head, tail } = frame({ columns: columnsOf(entry, facts), about: {}, dictionaries: {} })
    const start = Buffer.concat(head)
    const path = join(directory, `${entry.name}.parquet`)
    await writeFile(path, Buffer.concat([start, tail([], start.length)]))
    files.set(entry.name, path)
  }
  return files
}
