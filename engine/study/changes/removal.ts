import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { forgetInAnalyses, removeAnalyses } from '../../analyses/stored-analyses.ts'
import { logged } from '../../files/change-log.ts'
import { syncDirectory } from '../../files/durable.ts'
import { studyDirectory } from '../../files/layout.ts'
import { withStudyLock } from '../../files/lock.ts'
import { isThere } from '../../files/optional-files.ts'
import { openJobs } from '../../jobs/open-jobs.ts'
import { dropStudyJobs } from '../../jobs/withdraw-job.ts'
import { ServiceError } from '../../model/errors.ts'
import { recordingsWithout } from '../../snapshot/recordings-file.ts'
import { hasParticipant } from '../../snapshot/rows/read-given.ts'
import { originAfter, sha256Of } from '../../snapshot/snapshot-id.ts'
import { currentIdIn, snapshotIds } from '../../snapshot/snapshots.ts'
import type { GivenParticipant } from '../../snapshot/table-columns.ts'
import { notifyStudy } from '../../webhooks/notify-study.ts'
import type { Change, Next, Present } from '../change-study.ts'
import { forgetParticipant, removeTraces } from '../history.ts'
import type { Parent } from '../parent-snapshot.ts'
import { rewritten, rowsOf, samplesKept } from '../rewrite-study.ts'
import { COMPACTING } from '../shared-files.ts'
import { removeSnapshots } from '../sweep-snapshots.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Deletes a study: first it is no longer there to be read, then its exports' files go, then its data. Its jobs can
 * still be read. Doing it again finishes what a killed removal left.
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
  /** Timeout, in ms, of the wait for another change of the study. */
  waitMs?: number
}): Promise<void> {
  const directory = await knownDirectory(dataDir, studyId)
  const remove = async () => {
    await notifyStudy(directory)
    await logged(dirname(directory), basename(directory), () => rm(join(directory, 'current'), { force: true }))
    await syncDirectory(directory)
    await notifyStudy(directory)
    await removeData(directory, null, now)
  }
  await withStudyLock(directory, remove, waitMs)
}

/**
 * Takes a participant out of a study, and deletes at once every older snapshot and every file that was made from one.
 * Made again, it finishes what a killed removal left.
 *
 * @throws ServiceError not_found
 */
export function removal(participantId: string): Change {
  const id = participantId.toLowerCase()
  let names = [id]
  return {
    did: 'participant removed',
    isTold: true,
    next: async (present, workspace) => {
      const parent = await present.parent()
      const rows = rowsOf(parent)
      const own = rows.participants.find((participant) => participant.id === id)
      if (own !== undefined) {
        names = [id, own.externalId ?? '', own.displayName ?? ''].filter((name) => name !== '')
        const others = rows.participants.filter((participant) => participant !== own)
        return without(parent, others, id, workspace)
      }
      if (await isInOlder(present.studyDir, parent.snapshot.id, id)) return null
      throw new ServiceError('not_found', `there is no participant ${id} in study ${rows.study.id}`)
    },
    // Before, since nobody knows the other names once the participant is gone; and killed, it is made again.
    before: ({ studyDir, now }) => forgetInAnalyses(studyDir, names, now),
    after: async (_, present) => {
      // Again, since an analysis may have been stored meanwhile.
      await forgetInAnalyses(present.studyDir, names, present.now)
      await forgetRemoved(present, id)
    },
  }
}

function without(parent: Parent, participants: GivenParticipant[], participantId: string, workspace: Workspace): Next {
  const isOther = (row: { participantId: string }) => row.participantId !== participantId
  const before = rowsOf(parent)
  const tests = before.tests.filter(isOther)
  const validations = before.validations.filter(isOther)
  const stays = new Set(tests.map(({ id }) => id))
  const events = before.events.filter(({ testId }) => stays.has(testId))
  const recordings = recordingsWithout(parent.recordings, participantId)
  const rows = { ...before, participants, tests, validations, events, recordings }
  // Not the id itself, which the manifest would keep.
  const origin = originAfter(parent.snapshot.manifest, 'removed participant', sha256Of(participantId))
  return rewritten(rows, samplesKept(parent, tests, workspace), origin, workspace)
}

/** Deletes what of a participant is left of a study that has been published without. */
export async function forgetRemoved(
  { studyDir, now }: Pick<Present, 'studyDir' | 'now'>,
  participantId: string,
): Promise<void> {
  await forgetParticipant(studyDir, participantId)
  await removeData(studyDir, await currentIdIn(studyDir), now)
}

/** Deletes the files of jobs on all snapshots but one, and those snapshots. */
async function removeData(directory: string, keepSnapshotId: string | null, now: Date): Promise<void> {
  const jobs = openJobs(dirname(dirname(directory)))
  const studyId = basename(directory)
  await dropStudyJobs(jobs, studyId, keepSnapshotId, now)
  await removeSnapshots(
    directory,
    (await snapshotIds(directory)).filter((id) => id !== keepSnapshotId),
  )
  // Sample files in the making hold what is to go, too: whoever makes them finds them gone, and begins anew.
  await rm(join(directory, COMPACTING), { recursive: true, force: true })
  if (keepSnapshotId === null) {
    await removeTraces(directory)
    await removeAnalyses(directory)
  }
  // Begun meanwhile, by a request that had still seen the snapshot.
  await dropStudyJobs(jobs, studyId, keepSnapshotId, now)
}

async function knownDirectory(dataDir: string, studyId: string): Promise<string> {
  const directory = studyDirectory(dataDir, studyId)
  if (directory === null || !(await isThere(directory)))
    throw new ServiceError('not_found', `there is no study ${studyId}`)
  return directory
}

/** Returns whether an older snapshot still holds a participant, as after a removal that was killed. */
async function isInOlder(directory: string, current: string, participantId: string): Promise<boolean> {
  for (const id of await snapshotIds(directory)) {
    if (id === current) continue
    if (await hasParticipant(join(directory, id), participantId)) return true
  }
  return false
}
