import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../files/durable.ts'
import { studyDirectory } from '../files/layout.ts'
import { withStudyLock } from '../files/lock.ts'
import { isThere } from '../files/optional-files.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import { dropStudyJobs } from '../jobs/withdraw-job.ts'
import { ServiceError } from '../model/errors.ts'
import { hasParticipant } from '../snapshot/read-given.ts'
import { recordingsWithout } from '../snapshot/recordings-file.ts'
import type { Origin } from '../snapshot/snapshot-id.ts'
import { currentId, snapshotIds } from '../snapshot/snapshots.ts'
import { SAMPLE_LIMITS } from './bundle/bundle-limits.ts'
import { makeSnapshot } from './make-snapshot.ts'
import { loadParent, mergeImages, type Parent, storedSources } from './parent-snapshot.ts'
import { inWorkshop } from './scratch-space.ts'

/**
 * Deletes a study: first it is no longer there to be read, then its exports' files go, then its data. Its jobs can still be
 * read. Doing it again finishes what a killed removal left.
 *
 * @throws ServiceError not_found, busy
 */
export async function removeStudy({
  dataDir,
  studyId,
  now,
}: {
  dataDir: string
  studyId: string
  now: Date
}): Promise<void> {
  const directory = await knownDirectory(dataDir, studyId)
  await withStudyLock(directory, async () => {
    await rm(join(directory, 'current'), { force: true })
    await syncDirectory(directory)
    await removeData(dataDir, directory, studyId.toLowerCase(), null, now)
  })
}

/**
 * Publishes a study without a participant, and deletes at once every older snapshot and every file that was made from one.
 * Doing it again finishes what a killed removal left.
 *
 * @throws ServiceError not_found, busy, disk_full, corrupt
 */
export async function removeParticipant({
  dataDir,
  studyId,
  participantId,
  now,
  threads,
  memoryMib,
  signal = new AbortController().signal,
}: {
  dataDir: string
  studyId: string
  participantId: string
  now: Date
  threads: number
  memoryMib: number
  signal?: AbortSignal
}): Promise<void> {
  const directory = await knownDirectory(dataDir, studyId)
  const id = participantId.toLowerCase()
  await withStudyLock(directory, async () => {
    const parent = await loadParent(dataDir, directory, studyId)
    if (parent.given.participants.some((participant) => participant.id === id))
      await publishWithout(directory, parent, id, { now, threads, memoryMib, signal })
    else if (!(await isInOlder(directory, parent.snapshot.id, id)))
      throw new ServiceError('not_found', `there is no participant ${id} in study ${parent.snapshot.study.id}`)
    const current = await currentId(dataDir, studyId)
    await removeData(dataDir, directory, parent.snapshot.study.id, current, now)
  })
}

/**
 * Deletes the snapshots of a study that are neither current nor kept; none while an import runs.
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
  if (directory === null) return []
  const isSwept = (id: string, current: string | null) => current !== null && id !== current && !keep.has(id)
  const before = await currentId(dataDir, studyId)
  if (!(await snapshotIds(directory)).some((id) => isSwept(id, before))) return []
  try {
    return await withStudyLock(directory, async () => {
      const current = await currentId(dataDir, studyId)
      if (current === null) return []
      return removeSnapshots(directory, new Set([...keep, current]))
    })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'busy') return []
    throw error
  }
}

/** Deletes the files of jobs on all snapshots but one, and those snapshots. */
async function removeData(
  dataDir: string,
  directory: string,
  studyId: string,
  keepSnapshotId: string | null,
  now: Date,
): Promise<void> {
  const jobs = openJobs(dataDir)
  await dropStudyJobs(jobs, studyId, keepSnapshotId, now)
  await removeSnapshots(directory, new Set(keepSnapshotId === null ? [] : [keepSnapshotId]))
  // Begun meanwhile, by a request that had still seen the snapshot.
  await dropStudyJobs(jobs, studyId, keepSnapshotId, now)
}

async function knownDirectory(dataDir: string, studyId: string): Promise<string> {
  const directory = studyDirectory(dataDir, studyId)
  if (directory === null || !(await isThere(directory)))
    throw new ServiceError('not_found', `there is no study ${studyId}`)
  return directory
}

async function publishWithout(
  studyDir: string,
  parent: Parent,
  participantId: string,
  { now, threads, memoryMib, signal }: { now: Date; threads: number; memoryMib: number; signal: AbortSignal },
): Promise<void> {
  const { snapshot, given } = parent
  const participants = given.participants.filter(({ id }) => id !== participantId)
  const tests = given.tests.filter((test) => test.participantId !== participantId)
  const stored = storedSources(parent)
  // Not the id itself, which the manifest would keep.
  const removed = createHash('sha256').update(participantId).digest('hex')
  const origin: Origin = {
    bundle: { 'study.json': snapshot.manifest.bundle['study.json'], 'removed participant': removed },
    parentId: snapshot.id,
  }
  const newSnapshot = {
    studyDir,
    study: snapshot.study,
    participants,
    tests,
    validations: given.validations.filter((validation) => validation.participantId !== participantId),
    participantColumns: snapshot.manifest.participantColumns,
    recordings: recordingsWithout(parent.recordings, participantId),
    origin,
    images: mergeImages(snapshot, { directory: '', images: [] }, snapshot.study),
    createdAt: now.toISOString(),
  }
  const sources = tests.map(({ id }) => stored.get(id) ?? null)
  await inWorkshop(
    { studyDir, reads: [snapshot.directory], threads, memoryMib, limits: SAMPLE_LIMITS, signal },
    (workshop) => makeSnapshot(newSnapshot, sources, workshop, signal, () => {}),
  )
}

/** Returns whether an older snapshot still holds a participant, as after a removal that was killed. */
async function isInOlder(directory: string, current: string, participantId: string): Promise<boolean> {
  for (const id of await snapshotIds(directory)) {
    if (id === current) continue
    if (await hasParticipant(join(directory, id), participantId)) return true
  }
  return false
}

async function removeSnapshots(directory: string, keep: Set<string>): Promise<string[]> {
  const gone = (await snapshotIds(directory)).filter((id) => !keep.has(id))
  for (const id of gone) await rm(join(directory, id), { recursive: true, force: true })
  await syncDirectory(directory)
  return gone
}
