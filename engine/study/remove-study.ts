import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { logged } from '../files/change-log.ts'
import { syncDirectory } from '../files/durable.ts'
import { studyDirectory } from '../files/layout.ts'
import { withStudyLock } from '../files/lock.ts'
import { isThere } from '../files/optional-files.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import { dropStudyJobs } from '../jobs/withdraw-job.ts'
import { ServiceError } from '../model/errors.ts'
import type { StudyWrite } from '../model/study.ts'
import { recordingsWithout } from '../snapshot/recordings-file.ts'
import { hasParticipant } from '../snapshot/rows/read-given.ts'
import type { Origin } from '../snapshot/snapshot-id.ts'
import { currentId, snapshotIds } from '../snapshot/snapshots.ts'
import { tellStudy } from '../webhooks/tell-study.ts'
import { forgetParticipant, removeTraces } from './history.ts'
import { publishFewer } from './make-snapshot.ts'
import { loadParent, mergeImages, type Parent } from './parent-snapshot.ts'
import { inWorkshop } from './scratch-space.ts'
import { COMPACTING } from './shared-files.ts'
import { removeSnapshots } from './sweep-snapshots.ts'

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
  waitMs,
}: {
  dataDir: string
  studyId: string
  now: Date
  /** How long to wait for whoever changes the study. */
  waitMs?: number
}): Promise<void> {
  const directory = await knownDirectory(dataDir, studyId)
  const remove = async () => {
    await tellStudy(directory)
    await logged(dirname(directory), basename(directory), () => rm(join(directory, 'current'), { force: true }))
    await syncDirectory(directory)
    await tellStudy(directory)
    await removeData(dataDir, directory, studyId.toLowerCase(), null, now)
  }
  await withStudyLock(directory, remove, waitMs)
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
  write,
  waitMs,
}: {
  dataDir: string
  studyId: string
  participantId: string
  /** What the history tells of it. */
  write?: StudyWrite
  /** How long to wait for whoever changes the study. */
  waitMs?: number
  now: Date
  threads: number
  memoryMib: number
  signal?: AbortSignal
}): Promise<void> {
  const directory = await knownDirectory(dataDir, studyId)
  const id = participantId.toLowerCase()
  const remove = async () => {
    const parent = await loadParent(dataDir, directory, studyId)
    if (parent.given.participants.some((participant) => participant.id === id))
      await publishWithout(directory, parent, id, { now, threads, memoryMib, signal, write })
    else if (!(await isInOlder(directory, parent.snapshot.id, id)))
      throw new ServiceError('not_found', `there is no participant ${id} in study ${parent.snapshot.study.id}`)
    await forgetRemoved(dataDir, studyId, id, now)
  }
  await withStudyLock(directory, remove, waitMs)
}

/** Deletes what of a participant is left of a study that has been published without; the study's lock is held. */
export async function forgetRemoved(dataDir: string, studyId: string, participantId: string, now: Date): Promise<void> {
  const directory = studyDirectory(dataDir, studyId)!
  await forgetParticipant(directory, participantId)
  await removeData(dataDir, directory, basename(directory), await currentId(dataDir, studyId), now)
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
  await removeSnapshots(
    directory,
    (await snapshotIds(directory)).filter((id) => id !== keepSnapshotId),
  )
  // Sample files in the making hold what is to go, too: whoever makes them finds them gone, and begins anew.
  await rm(join(directory, COMPACTING), { recursive: true, force: true })
  if (keepSnapshotId === null) await removeTraces(directory)
  // Begun meanwhile, by a request that had still seen the snapshot.
  await dropStudyJobs(jobs, studyId, keepSnapshotId, now)
}

async function knownDirectory(dataDir: string, studyId: string): Promise<string> {
  const directory = studyDirectory(dataDir, studyId)
  if (directory === null || !(await isThere(directory)))
    throw new ServiceError('not_found', `there is no study ${studyId}`)
  return directory
}

type Removing = { now: Date; threads: number; memoryMib: number; signal: AbortSignal; write?: StudyWrite }

async function publishWithout(
  studyDir: string,
  parent: Parent,
  participantId: string,
  { now, threads, memoryMib, signal, write }: Removing,
): Promise<void> {
  const { snapshot, given } = parent
  const participants = given.participants.filter(({ id }) => id !== participantId)
  const tests = given.tests.filter((test) => test.participantId !== participantId)
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
    writes: write ? [write] : [],
  }
  await inWorkshop({ studyDir, reads: [studyDir], threads, memoryMib, signal }, (workshop) =>
    publishFewer(newSnapshot, parent, workshop, signal),
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
