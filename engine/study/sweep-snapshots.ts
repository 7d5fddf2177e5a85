import { rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Jobs, openJobs } from '../jobs/open-jobs.ts'
import { removeWithJobs } from '../jobs/withdraw-job.ts'
import { ServiceError } from '../model/errors.ts'
import type { Catalog } from '../snapshot/catalog.ts'
import { leasedSnapshots } from '../snapshot/leases.ts'
import type { Cause } from '../snapshot/snapshot-id.ts'
import { currentIdIn, readManifest, snapshotIds } from '../snapshot/snapshots.ts'
import { openThrottle } from '../storage/concurrency/intervals.ts'
import { shortenChangeLog } from '../storage/files/change-log.ts'
import { syncDirectory } from '../storage/files/durable.ts'
import { studiesDirectory, studyDirectory, temporaryPath } from '../storage/files/layout.ts'
import { isLeftover, withStudyLock } from '../storage/files/lock.ts'
import { namesIn } from '../storage/files/optional-files.ts'
import { keptFormer } from './former-snapshot.ts'
import { COMPACTING, sweepShared, unusedShared } from './shared-files.ts'

/** Grace period of a replaced snapshot, within which a reader of `current` takes its lease. */
const GRACE_MS = 5000

/** Lists the snapshots that unfinished plans name. */
type InUse = () => Promise<Set<string>>

/** Input of a sweep of all studies, and its callbacks. */
export type Sweeping = {
  studies: Catalog
  inUse: InUse
  onRemoved: (studyId: string, snapshotIds: string[]) => void
  onFault: (studyId: string, error: unknown) => void
}

/** Maximum time until a study with one snapshot is checked again. */
const AT_REST_MS = 3_600_000

/**
 * Returns a sweep that removes snapshots that are neither current, nor read, nor named by an unfinished plan. It checks
 * only studies that may have one.
 */
export function sweepingDirectory(dataDir: string, now: () => Date): (sweeping: Sweeping) => Promise<void> {
  /** Snapshot of each study that had only this one, and no leftovers. */
  let atRest = new Map<string, string>()
  const forgets = openThrottle()
  return async ({ studies, inUse, onRemoved, onFault }) => {
    const trying = (studyId: string, remove: () => Promise<void>) => remove().catch((error) => onFault(studyId, error))
    await shortenChangeLog(studiesDirectory(dataDir))
    if (forgets.isDue()) {
      atRest = new Map()
      forgets.putOff(AT_REST_MS)
    }
    const replaced: { studyId: string; ids: string[] }[] = []
    for (const [studyId, current] of await studies.currents()) {
      if (atRest.get(studyId) === current) continue
      await trying(studyId, async () => {
        const ids = await replacedSnapshots(dataDir, studyId, now())
        if (ids.length > 0) replaced.push({ studyId, ids })
        else if (await isAtRest(studyDirectory(dataDir, studyId)!, now())) atRest.set(studyId, current)
      })
    }
    // Listed after the leases were read: who has none any more has put a plan on disk.
    const used = replaced.length === 0 ? new Set<string>() : await inUse()
    for (const { studyId, ids } of replaced) {
      await trying(studyId, async () => {
        const removed = await removeReplaced(dataDir, studyId, without(ids, used), now())
        if (removed.length > 0) onRemoved(studyId, removed)
      })
    }
  }
}

/**
 * Deletes the snapshots of a study that are neither current, nor in use, nor read, with their shared files; none while
 * an import runs.
 *
 * @returns the ids of those deleted
 */
export async function sweepSnapshots(dataDir: string, studyId: string, inUse: InUse, now: Date): Promise<string[]> {
  const old = await replacedSnapshots(dataDir, studyId, now)
  return old.length === 0 ? [] : removeReplaced(dataDir, studyId, without(old, await inUse()), now)
}

/**
 * Returns the snapshots of a study that were replaced a while ago and are not read. A process that planned on one has
 * its plan on disk by now, so call this before you list the snapshots in use.
 */
async function replacedSnapshots(dataDir: string, studyId: string, now: Date): Promise<string[]> {
  const directory = studyDirectory(dataDir, studyId)
  return directory === null ? [] : replacedIn(directory, now)
}

/** Deletes replaced snapshots that are still not in use; none while an import runs. @returns their ids */
async function removeReplaced(dataDir: string, studyId: string, ids: string[], now: Date): Promise<string[]> {
  const directory = studyDirectory(dataDir, studyId)
  if (directory === null || ids.length === 0) return []
  const remove = async () => {
    const finished = await finishRemoval(
      directory,
      openJobs(dataDir, () => now),
    )
    if (finished !== null) return finished
    const still = new Set(await replacedIn(directory, now))
    return removeSnapshots(
      directory,
      ids.filter((id) => still.has(id)),
    )
  }
  try {
    return await withStudyLock(directory, remove)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'busy') return []
    throw error
  }
}

/**
 * Removes leftovers of killed processes in a study. Returns true if it has one snapshot and no process is at work on
 * it.
 */
export async function isAtRest(studyDir: string, now: Date): Promise<boolean> {
  const isLeft = (await namesIn(studyDir)).some(isLeftover) || (await unusedShared(studyDir)).length > 0
  try {
    // Whoever takes the lock removes the rest of it.
    if (isLeft) await withStudyLock(studyDir, () => sweepShared(studyDir))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'busy') return false
    throw error
  }
  // Looks also where no old snapshot waits: the lease of a killed reader runs out, and goes.
  const leased = await leasedSnapshots(studyDir)
  const kept = await keptFormer(studyDir, now)
  return leased.size === 0 && (await snapshotIds(studyDir)).filter((id) => id !== kept).length === 1
}

/** Sweeps a study whose lock the caller holds. */
export async function sweepLocked(studyDir: string, inUse: InUse, jobs: Jobs): Promise<string[]> {
  const old = await replacedIn(studyDir, jobs.now())
  if (old.length === 0) return []
  return (await finishRemoval(studyDir, jobs)) ?? removeSnapshots(studyDir, without(old, await inUse()))
}

/**
 * Finishes the removal of a participant that was killed before it deleted all snapshots from before it, and the files
 * of their jobs: once a sweep had deleted those snapshots alone, nothing would tell which files these are.
 *
 * @returns the ids of the deleted snapshots, all but the current one; null where no removal is to be finished
 */
async function finishRemoval(studyDir: string, jobs: Jobs): Promise<string[] | null> {
  const current = await currentIdIn(studyDir)
  if (current === null || !(await isHalfDone(studyDir))) return null
  const others = (await snapshotIds(studyDir)).filter((id) => id !== current)
  await removeWithJobs(jobs, basename(studyDir), current, jobs.now(), () => removeAllBut(studyDir, current))
  return others
}

const REMOVED: Cause = 'removed participant'

/** Returns true if a study has a snapshot made by the removal of a participant, and one from before it. */
async function isHalfDone(studyDir: string): Promise<boolean> {
  const found = await Promise.all(
    (await snapshotIds(studyDir)).map(async (id) => {
      const directory = join(studyDir, id)
      // gazette check reports a damaged one; here it is as old as its file.
      const manifest = await readManifest(directory, { allowsOlder: true }).catch(() => null)
      const madeMs =
        (await stat(join(directory, 'manifest.json')).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY
      return { id, parentId: manifest?.parentId ?? null, isRemoval: REMOVED in (manifest?.bundle ?? {}), madeMs }
    }),
  )
  const byId = new Map(found.map((each) => [each.id, each]))
  const descends = (id: string | null, from: string): boolean =>
    id !== null && (id === from || descends(byId.get(id)?.parentId ?? null, from))
  return found.some(
    (removed) =>
      removed.isRemoval && found.some(({ id, madeMs }) => madeMs < removed.madeMs && !descends(id, removed.id)),
  )
}

/** Deletes all snapshots of a study but one (null for all), with shared files that are only theirs. */
export async function removeAllBut(studyDir: string, keepId: string | null): Promise<void> {
  const ids = await snapshotIds(studyDir)
  await removeSnapshots(
    studyDir,
    ids.filter((id) => id !== keepId),
  )
  // Sample files in the making hold what is to go, too: whoever makes them finds them gone, and begins anew.
  await rm(join(studyDir, COMPACTING), { recursive: true, force: true })
}

function without(ids: string[], some: Set<string>): string[] {
  return ids.filter((id) => !some.has(id))
}

/** Deletes snapshots, and the shared files that only they use. */
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

async function replacedIn(studyDir: string, now: Date): Promise<string[]> {
  const current = await currentIdIn(studyDir)
  const ids = await snapshotIds(studyDir)
  if (current === null || ids.length < 2) return []
  const timeOf = async (path: string) => (await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY
  const madeAt = await Promise.all(ids.map((id) => timeOf(join(studyDir, id, 'manifest.json'))))
  const changedAt = await timeOf(join(studyDir, 'current'))
  const leased = await leasedSnapshots(studyDir)
  const kept = await keptFormer(studyDir, now)
  return ids.filter((id, i) => {
    if (id === current || id === kept || leased.has(id)) return false
    // It was replaced when the next one was made, or by an older one that became current again.
    const replacedAt = Math.min(changedAt, ...madeAt.filter((at) => at > madeAt[i]))
    return now.getTime() - replacedAt >= GRACE_MS
  })
}
