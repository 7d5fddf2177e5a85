import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../files/durable.ts'
import { studyDirectory, temporaryPath } from '../files/layout.ts'
import { withStudyLock } from '../files/lock.ts'
import { ServiceError } from '../model/errors.ts'
import { leasedSnapshots } from '../snapshot/leases.ts'
import { currentIdIn, snapshotIds } from '../snapshot/snapshots.ts'
import { sweepShared } from './shared-files.ts'

/** Whoever has just read which snapshot is current takes a lease of it within this time. */
const GRACE_MS = 5000

/**
 * Deletes the snapshots of a study that are neither current nor kept nor read by anyone, and the shared files that went with them;
 * none while an import runs.
 *
 * @param keep snapshots that unfinished plans name
 * @returns the ids of those deleted
 */
export async function sweepSnapshots({
  dataDir,
  studyId,
  keep,
}: {
  dataDir: string
  studyId: string
  keep: Set<string>
}): Promise<string[]> {
  const directory = studyDirectory(dataDir, studyId)
  if (directory === null || (await superseded(directory, keep)).length === 0) return []
  try {
    return await withStudyLock(directory, () => sweepLocked(directory, keep))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'busy') return []
    throw error
  }
}

/** The same for whoever holds the study's lock. */
export async function sweepLocked(studyDir: string, keep: Set<string>): Promise<string[]> {
  return removeSnapshots(studyDir, await superseded(studyDir, keep))
}

/** Deletes snapshots, and the shared files that no other has. */
export async function removeSnapshots(studyDir: string, ids: string[]): Promise<string[]> {
  for (const id of ids) {
    // At once, so that nobody sees half of it.
    const gone = temporaryPath(studyDir, 'gone')
    await rename(join(studyDir, id), gone)
    await rm(gone, { recursive: true, force: true })
  }
  await sweepShared(studyDir)
  await syncDirectory(studyDir)
  return ids
}

/** Returns the snapshots that nobody needs any more. */
async function superseded(studyDir: string, keep: Set<string>): Promise<string[]> {
  const current = await currentIdIn(studyDir)
  const ids = await snapshotIds(studyDir)
  if (current === null || ids.length < 2) return []
  const timeOf = async (path: string) => (await stat(path).catch(() => null))?.mtimeMs ?? Date.now()
  const madeAt = await Promise.all(ids.map((id) => timeOf(join(studyDir, id, 'manifest.json'))))
  const changedAt = await timeOf(join(studyDir, 'current'))
  const leased = await leasedSnapshots(studyDir)
  return ids.filter((id, i) => {
    if (id === current || keep.has(id) || leased.has(id)) return false
    // It was replaced when the next one was made, or by an older one that became current again.
    const replacedAt = Math.min(changedAt, ...madeAt.filter((at) => at > madeAt[i]))
    return Date.now() - replacedAt >= GRACE_MS
  })
}
