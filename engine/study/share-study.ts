import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Manifest, SampleFile, Snapshot, TableLayer } from '../model/study.ts'
import { EVENTS_FILE, PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE } from '../snapshot/table-columns.ts'
import { hashAndTrust } from '../snapshot/verify.ts'
import { makeDirectory, syncDirectory, syncFile } from '../storage/files/durable.ts'
import { SHARED, sharedPath } from '../storage/files/layout.ts'
import type { Filled } from './change-study.ts'
import { sampleFileName } from './samples/place-tests.ts'
import { linkShared, openShared, shareFile } from './shared-files.ts'

const TABLES = [PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE, EVENTS_FILE]

/** Moves finished files into the shared files of a study. @returns their SHA-256, by name */
export async function shareNew(studyDir: string, directory: string, names: string[]): Promise<Map<string, string>> {
  const pathOf = (name: string) => join(directory, name)
  await Promise.all(names.map((name) => syncFile(pathOf(name))))
  const found = new Map(names.map((name) => [name, hashAndTrust(pathOf(name))]))
  for (const [name, sha256] of found) await rename(pathOf(name), sharedPath(studyDir, sha256))
  await syncDirectory(join(studyDir, SHARED))
  return found
}

/** Returns a layer of tables from their SHA-256 by name; undefined for a missing table. */
export function layerOf(sha256Of: (name: string) => string | undefined): TableLayer {
  const [validations, events] = [sha256Of(VALIDATIONS_FILE), sha256Of(EVENTS_FILE)]
  return {
    participants: sha256Of(PARTICIPANTS_FILE)!,
    tests: sha256Of(TESTS_FILE)!,
    ...(validations ? { validations } : {}),
    ...(events ? { events } : {}),
  }
}

/**
 * Fills the directory of a snapshot that has one more layer of rows than the one before, and perhaps one more sample
 * file, which are shared already: it costs what is new, however much is there.
 */
export async function fillWithLayer(
  directory: string,
  before: Snapshot,
  added: SampleFile[],
  layer: TableLayer,
): Promise<Filled> {
  const studyDir = dirname(before.directory)
  const { files, layers, sampleFiles } = before.manifest
  if (layers === undefined) {
    const tables = TABLES.filter((name) => name in files).map((name) => ({ name, sha256: files[name] }))
    for (const { name, sha256 } of [...sampleFiles, ...tables])
      await shareFile(studyDir, join(before.directory, name), sha256)
    await syncDirectory(join(studyDir, SHARED))
  }
  const former = layers ?? [layerOf((name) => files[name])]
  return {
    sampleFiles: [...sampleFiles, ...added].map((file) => ({ ...file, name: join('..', SHARED, file.sha256) })),
    files: await linkOthers(directory, before),
    layers: [...former, layer],
  }
}

/**
 * Fills the directory of a snapshot that has the rows of the one before in tables of their own, like those of an
 * import.
 *
 * @param sampleFiles those of the one before, and such as are shared already
 * @param write writes the tables into a directory, and returns their names
 */
export async function fillWithTables(
  directory: string,
  before: Snapshot,
  sampleFiles: SampleFile[],
  write: (directory: string) => Promise<string[]>,
): Promise<Filled> {
  const studyDir = dirname(before.directory)
  await openShared(studyDir)
  const own = new Map(before.manifest.sampleFiles.map(({ name, sha256 }) => [sha256, name]))
  const numbered = sampleFiles.map((file, i) => ({ ...file, name: sampleFileName(i) }))
  for (const { name, sha256 } of numbered) {
    const former = own.get(sha256)
    if (former !== undefined) await shareFile(studyDir, join(before.directory, former), sha256)
    await linkShared(studyDir, directory, name, sha256)
  }
  const names = await write(directory)
  await Promise.all(names.map((name) => syncFile(join(directory, name))))
  const tables = Object.fromEntries(names.map((name) => [name, hashAndTrust(join(directory, name))]))
  return { sampleFiles: numbered, files: { ...tables, ...(await linkOthers(directory, before)) } }
}

/**
 * Links the files of a snapshot other than tables and samples: pictures, study.json and recordings.json.
 *
 * @returns their SHA-256 by name
 */
async function linkOthers(directory: string, before: Snapshot): Promise<Manifest['files']> {
  const studyDir = dirname(before.directory)
  const others = Object.entries(before.manifest.files).filter(([name]) => !TABLES.includes(name))
  for (const [name, sha256] of others) {
    if (dirname(name) !== '.') await makeDirectory(join(directory, dirname(name)))
    await shareFile(studyDir, join(before.directory, name), sha256)
    await linkShared(studyDir, directory, name, sha256)
  }
  return Object.fromEntries(others)
}
