import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { removeWithJobs } from '../../jobs/withdraw-job.ts'
import { ServiceError } from '../../model/errors.ts'
import { forgetInAnalyses, removeAnalyses } from '../../snapshot/analyses/stored-analyses.ts'
import { recordingsWithout } from '../../snapshot/recordings-file.ts'
import { hasParticipant } from '../../snapshot/rows/read-given.ts'
import { originAfter, sha256Of } from '../../snapshot/snapshot-id.ts'
import { currentIdIn, snapshotIds } from '../../snapshot/snapshots.ts'
import type { GivenParticipant } from '../../snapshot/table-columns.ts'
import { logged } from '../../storage/files/change-log.ts'
import { syncDirectory } from '../../storage/files/durable.ts'
import type { Change, Changing, Next, Present } from '../change-study.ts'
import { forgetParticipant, isInHistory, removeTraces } from '../history.ts'
import type { Parent } from '../parent-snapshot.ts'
import { directoryPlace, type HeldStudy } from '../place.ts'
import { rewritten, rowsOf, samplesKept } from '../rewrite-study.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Deletes a study: first it can no longer be read, then the files of its exports go, then its data. Its jobs can still
 * be read. Idempotent: a second call finishes what a killed one left.
 *
 * @throws ServiceError not_found, busy
 */
export async function removeStudy(
  given: Pick<Changing, 'dataDir' | 'place' | 'waitMs'> & { studyId: string; now: Date },
): Promise<void> {
  const { dataDir, place = directoryPlace(dataDir), studyId, now, waitMs } = given
  const remove = async (held: HeldStudy) => {
    const { studyDir } = held
    if (!(await held.isKnown())) throw new ServiceError('not_found', `there is no study ${studyId}`)
    await held.notify()
    await logged(dirname(studyDir), basename(studyDir), () => rm(join(studyDir, 'current'), { force: true }))
    await syncDirectory(studyDir)
    await held.publish(true)
    await held.notify()
    await removeData(held, null, now)
  }
  await place.change(studyId, remove, waitMs)
}

/**
 * Removes a participant from a study, and at once deletes every older snapshot and every file that was made from one.
 * Idempotent: a second call finishes what a killed one left.
 *
 * @throws ServiceError not_found
 */
export function removal(participantId: string): Change {
  const id = participantId.toLowerCase()
  let names = [id]
  return {
    did: 'participant removed',
    isTold: true,
    isRemoval: true,
    next: async (present, workspace) => {
      const parent = await present.parent()
      const rows = rowsOf(parent)
      const own = rows.participants.find((participant) => participant.id === id)
      if (own !== undefined) {
        names = [id, own.externalId ?? '', own.displayName ?? ''].filter((name) => name !== '')
        const others = rows.participants.filter((participant) => participant !== own)
        return without(parent, others, id, workspace)
      }
      if (await isHalfRemoved(present, id)) return null
      throw new ServiceError('not_found', `there is no participant ${id} in study ${rows.study.id}`)
    },
    // Before, since nobody knows the other names once the participant is gone; and killed, it is made again.
    before: ({ studyDir, now }) => forgetInAnalyses(studyDir, names, now),
    settle: async ({ studyDir, now }) => {
      // Again, since an analysis may have been stored meanwhile.
      await forgetInAnalyses(studyDir, names, now)
      await forgetParticipant(studyDir, id)
    },
    after: async (_, { held, studyDir, now }) => removeData(held!, await currentIdIn(studyDir), now),
  }
}

const CAUSE = 'removed participant'

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
  const origin = originAfter(parent.snapshot.manifest, CAUSE, sha256Of(participantId))
  return rewritten(rows, samplesKept(parent, tests, workspace), origin, workspace)
}

/** Deletes the files of jobs on all snapshots but one, and those snapshots. */
async function removeData(held: HeldStudy, keepSnapshotId: string | null, now: Date): Promise<void> {
  const { studyDir } = held
  await removeWithJobs(held.jobs(), basename(studyDir), keepSnapshotId, now, async () => {
    await held.removeOthers(keepSnapshotId)
    if (keepSnapshotId !== null) return
    await removeTraces(studyDir)
    await removeAnalyses(studyDir)
  })
}

/**
 * Returns true if a killed removal left something of a participant: in the history, in an older snapshot, or in the
 * bucket, where it is deleted by now, and the current snapshot tells whom it was made without.
 *
 * @param isIn tells whether a snapshot's directory holds a participant
 */
export async function isHalfRemoved(
  { studyDir, held, id: current, snapshot }: Present,
  participantId: string,
  isIn: (directory: string, participantId: string) => Promise<boolean> = hasParticipant,
): Promise<boolean> {
  if (held?.hadRest && (await snapshot()).manifest.bundle[CAUSE] === sha256Of(participantId)) return true
  if (await isInHistory(studyDir, participantId)) return true
  for (const id of await snapshotIds(studyDir))
    if (id !== current && (await isIn(join(studyDir, id), participantId))) return true
  return false
}
