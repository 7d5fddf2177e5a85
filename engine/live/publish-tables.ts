import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFile } from '../files/durable.ts'
import { temporaryPath } from '../files/layout.ts'
import { publishSnapshot, sealSnapshot } from '../import/publish.ts'
import { sampleFileName } from '../import/samples/place-tests.ts'
import { linkShared, openShared, shareFile } from '../import/shared-files.ts'
import type { Manifest, SampleFile, StudyWrite } from '../model/study.ts'
import { hashAndTrust } from '../snapshot/verify.ts'
import { type LiveTables, writeTables } from './live-tables.ts'

/** What a snapshot has besides its tables. */
export type Contents = {
  /** Those of the snapshot before, and such as are shared already. */
  sampleFiles: SampleFile[]
  counts: Manifest['counts']
  bundle: Manifest['bundle']
  writes: StudyWrite[]
  now: Date
}

/**
 * Publishes tables as the next snapshot of their study; files that the one before has are linked to. The study's lock is held, and its
 * current snapshot is that of the tables, which are of the new one then.
 */
export async function publishTables(studyDir: string, tables: LiveTables, contents: Contents): Promise<Manifest> {
  const { snapshot } = tables
  const temporary = temporaryPath(studyDir, 'import')
  await openShared(studyDir)
  await mkdir(temporary)
  try {
    const share = new Map(snapshot.manifest.sampleFiles.map(({ name, sha256 }) => [sha256, name]))
    const sampleFiles = contents.sampleFiles.map((file, i) => ({ ...file, name: sampleFileName(i) }))
    for (const { name, sha256 } of sampleFiles) {
      const before = share.get(sha256)
      if (before !== undefined) await shareFile(studyDir, join(snapshot.directory, before), sha256)
      await linkShared(studyDir, temporary, name, sha256)
    }
    const files = { ...(await writeSynced(tables, temporary)) }
    for (const [name, sha256] of Object.entries(snapshot.manifest.files)) {
      if (name in files) continue
      if (name.startsWith('images/')) await mkdir(join(temporary, 'images'), { recursive: true })
      await shareFile(studyDir, join(snapshot.directory, name), sha256)
      await linkShared(studyDir, temporary, name, sha256)
      files[name] = sha256
    }
    const { columns } = tables
    const { counts, bundle, writes, now } = contents
    const manifest = await sealSnapshot(temporary, {
      origin: { bundle, parentId: snapshot.id },
      studyId: snapshot.manifest.studyId,
      counts,
      sampleFiles,
      files,
      participantColumns: columns.hasTags || columns.externalData.length > 0 ? columns : undefined,
      createdAt: now.toISOString(),
      writes,
    })
    await publishSnapshot(studyDir, temporary, manifest.snapshotId)
    const directory = join(studyDir, manifest.snapshotId)
    tables.snapshot = { id: manifest.snapshotId, directory, manifest, study: snapshot.study }
    return manifest
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function writeSynced(tables: LiveTables, directory: string): Promise<Record<string, string>> {
  const names = await writeTables(tables, directory)
  await Promise.all(names.map((name) => syncFile(join(directory, name))))
  return Object.fromEntries(names.map((name) => [name, hashAndTrust(join(directory, name))]))
}
