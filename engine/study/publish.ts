import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { logged } from '../files/change-log.ts'
import { replaceDurably, syncDirectory } from '../files/durable.ts'
import { isThere } from '../files/optional-files.ts'
import type { Manifest } from '../model/study.ts'
import { currentIdIn, manifestText } from '../snapshot/snapshots.ts'
import { carryWrites } from './history.ts'

/** Writes the manifest of a snapshot whose other files are there and synced, and syncs the directory. */
export async function sealSnapshot(directory: string, manifest: Manifest): Promise<void> {
  await writeSynced(join(directory, 'manifest.json'), manifestText(manifest))
  const hasImages = Object.keys(manifest.files).some((name) => name.startsWith('images/'))
  if (hasImages) await syncDirectory(join(directory, 'images'))
  await syncDirectory(directory)
}

/** Gives a finished directory its name, unless that snapshot is there already, and makes it the study's current one. */
export async function publishSnapshot(studyDir: string, temporary: string, snapshotId: string): Promise<void> {
  const directory = join(studyDir, snapshotId)
  await carryWrites(studyDir, await currentIdIn(studyDir))
  if (await isThere(join(directory, 'manifest.json'))) await rm(temporary, { recursive: true, force: true })
  else {
    await rename(temporary, directory)
    await syncDirectory(studyDir)
  }
  await logged(dirname(studyDir), basename(studyDir), () =>
    replaceDurably(join(studyDir, 'current'), `${snapshotId}\n`),
  )
}

/** Writes a file that is not there yet, and waits until it is on the disk. */
export async function writeSynced(path: string, bytes: string | Buffer): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
