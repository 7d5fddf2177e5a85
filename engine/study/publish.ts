import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { currentIdIn } from '../snapshot/snapshots.ts'
import { logged } from '../storage/files/change-log.ts'
import { replaceDurably, syncDirectory } from '../storage/files/durable.ts'
import { isThere } from '../storage/files/optional-files.ts'
import { carryWrites } from './history.ts'

/** Renames a finished directory to its snapshot's name, unless that exists, and makes the snapshot current. */
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
