import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory, syncFile } from '../files/durable.ts'
import { SHARED, sharedPath, temporaryPath } from '../files/layout.ts'
import type { Manifest, ParticipantColumns, SampleFile, Snapshot, StudyWrite, TableLayer } from '../model/study.ts'
import { PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE } from '../snapshot/table-columns.ts'
import { hashAndTrust } from '../snapshot/verify.ts'
import { publishSnapshot, sealSnapshot } from './publish.ts'
import { sampleFileName } from './samples/place-tests.ts'
import { linkShared, openShared, shareFile } from './shared-files.ts'

/** What a snapshot has besides its tables. */
type Contents = {
  /** Those of the snapshot before, and such as are shared already. */
  sampleFiles: SampleFile[]
  counts: Manifest['counts']
  columns: ParticipantColumns
  bundle: Manifest['bundle']
  writes: StudyWrite[]
  now: Date
}

const TABLES = [PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE]

/** Moves finished files into those that snapshots share. @returns their SHA-256, by the path */
export async function shareNew(studyDir: string, paths: string[]): Promise<Map<string, string>> {
  await Promise.all(paths.map(syncFile))
  const found = new Map(paths.map((path) => [path, hashAndTrust(path)]))
  for (const [path, sha256] of found) await rename(path, sharedPath(studyDir, sha256))
  await syncDirectory(join(studyDir, SHARED))
  return found
}

/**
 * Publishes a snapshot with one more layer of rows: it costs what is new, however much is there. The study's lock is held, and its
 * current snapshot is `snapshot`.
 */
export async function publishLayer(
  studyDir: string,
  snapshot: Snapshot,
  contents: Contents,
  layer: TableLayer,
): Promise<Snapshot> {
  const { files, layers, sampleFiles } = snapshot.manifest
  if (layers === undefined) {
    const own = [
      ...sampleFiles,
      ...TABLES.filter((name) => name in files).map((name) => ({ name, sha256: files[name] })),
    ]
    for (const { name, sha256 } of own) await shareFile(studyDir, join(snapshot.directory, name), sha256)
    await syncDirectory(join(studyDir, SHARED))
  }
  const validations = files[VALIDATIONS_FILE]
  const before = layers ?? [
    { participants: files[PARTICIPANTS_FILE], tests: files[TESTS_FILE], ...(validations ? { validations } : {}) },
  ]
  return publishBeside(studyDir, snapshot, contents, async () => ({
    sampleFiles: contents.sampleFiles.map((file) => ({ ...file, name: join('..', SHARED, file.sha256) })),
    files: {},
    layers: [...before, layer],
  }))
}

/**
 * Publishes a snapshot with tables that `write` writes, like those of an import. The study's lock is held, and its current snapshot
 * is `snapshot`.
 *
 * @param write writes the tables into a directory, and returns their names
 */
export async function publishTables(
  studyDir: string,
  snapshot: Snapshot,
  contents: Contents,
  write: (directory: string) => Promise<string[]>,
): Promise<Snapshot> {
  return publishBeside(studyDir, snapshot, contents, async (temporary) => {
    const own = new Map(snapshot.manifest.sampleFiles.map(({ name, sha256 }) => [sha256, name]))
    const sampleFiles = contents.sampleFiles.map((file, i) => ({ ...file, name: sampleFileName(i) }))
    for (const { name, sha256 } of sampleFiles) {
      const before = own.get(sha256)
      if (before !== undefined) await shareFile(studyDir, join(snapshot.directory, before), sha256)
      await linkShared(studyDir, temporary, name, sha256)
    }
    const names = await write(temporary)
    await Promise.all(names.map((name) => syncFile(join(temporary, name))))
    return { sampleFiles, files: Object.fromEntries(names.map((name) => [name, hashAndTrust(join(temporary, name))])) }
  })
}

async function publishBeside(
  studyDir: string,
  snapshot: Snapshot,
  { counts, columns, bundle, writes, now }: Contents,
  fill: (temporary: string) => Promise<Pick<Manifest, 'sampleFiles' | 'files' | 'layers'>>,
): Promise<Snapshot> {
  const temporary = temporaryPath(studyDir, 'import')
  await openShared(studyDir)
  await mkdir(temporary)
  try {
    const filled = await fill(temporary)
    const files = { ...filled.files, ...(await linkOthers(studyDir, snapshot, temporary)) }
    const manifest = await sealSnapshot(temporary, {
      ...filled,
      files,
      origin: { bundle, parentId: snapshot.id },
      studyId: snapshot.manifest.studyId,
      counts,
      participantColumns: columns.hasTags || columns.externalData.length > 0 ? columns : undefined,
      createdAt: now.toISOString(),
      writes,
    })
    await publishSnapshot(studyDir, temporary, manifest.snapshotId)
    return { ...snapshot, id: manifest.snapshotId, directory: join(studyDir, manifest.snapshotId), manifest }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Links to what a snapshot has besides tables and samples: pictures, study.json and recordings.json. @returns their SHA-256 by name */
async function linkOthers(
  studyDir: string,
  { directory, manifest }: Snapshot,
  temporary: string,
): Promise<Record<string, string>> {
  const others = Object.entries(manifest.files).filter(([name]) => !TABLES.includes(name))
  for (const [name, sha256] of others) {
    if (dirname(name) !== '.') await mkdir(join(temporary, dirname(name)), { recursive: true })
    await shareFile(studyDir, join(directory, name), sha256)
    await linkShared(studyDir, temporary, name, sha256)
  }
  return Object.fromEntries(others)
}
