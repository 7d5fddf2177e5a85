import { join } from 'node:path'
import { openRemoteJobs } from '../../jobs/bucket/remote-jobs.ts'
import { ServiceError } from '../../model/errors.ts'
import { currentIn, mergeAnalyses } from '../../snapshot/analyses/copy-analyses.ts'
import { leaseSnapshot } from '../../snapshot/leases.ts'
import { snapshotIds } from '../../snapshot/snapshots.ts'
import { studyDirectory } from '../../storage/files/layout.ts'
import { withStudyLock } from '../../storage/files/lock.ts'
import { takeLease } from '../../storage/objects/lease.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { type Copied, sendSnapshot, type There } from './send-files.ts'
import { type Content, contentOf, publishContent, sendTexts } from './study-content.ts'
import { dropOthers, finishRemoval, formerOf } from './sweep-bucket.ts'
import { fileKey, leaseKey, type NumberedState, newestState } from './versions.ts'

const LOCK_WAIT_MS = 10_000

/** A study at one moment: its snapshots and its other files. */
type Held = { content: Content; ids: string[]; release: () => void }

/**
 * Copies a study with all of its snapshots to a store. Existing objects are not sent again. Each file is read back, and
 * a snapshot's manifest is written last.
 *
 * @param replace whether a study that the store has in another version becomes this one; what that alone had is deleted
 * then
 * @returns whether anything was sent; null when the study is gone
 * @throws ServiceError exists, corrupt, busy, overloaded
 */
export async function sendStudy(
  { dataDir, store, replace, now }: { dataDir: string; store: ObjectStore; replace: boolean; now: Date },
  studyId: string,
  copied: Copied,
): Promise<boolean | null> {
  const studyDir = studyDirectory(dataDir, studyId) as string
  const study = await withStudyLock(studyDir, () => holdStudy(studyDir), LOCK_WAIT_MS)
  if (study === null) return null
  // Nobody else changes it in the store meanwhile, nor deletes what is sent before it is named.
  const lease = await takeLease(store, leaseKey(studyId), LOCK_WAIT_MS)
  try {
    if (lease === null) throw new ServiceError('busy', `study ${studyId} is being changed in ${store.name}: try again`)
    const last = await newestState(store, studyId)
    if (last?.snapshotId && last.snapshotId !== study.content.snapshotId && !replace)
      throw new ServiceError(
        'exists',
        `${store.name} has another version of study ${studyId}: add --replace to replace it`,
      )
    // The version that follows no longer tells that something of somebody who was removed must go.
    if (last?.isRest) await finishRemoval(store, studyId, last, lease, openRemoteJobs(store))
    const { texts, ...content } = await mergedWith(last, store, studyId, study.content, replace)
    const there: There = { known: new Set(), listed: await keysIn(store, fileKey(studyId)) }
    const before = copied.files
    for (const id of study.ids) await sendSnapshot(store, studyDir, id, there, copied)
    await sendTexts(store, studyId, { texts, ...content })
    const published = await publishContent(store, studyId, last, content, lease, now)
    if (published === null)
      throw new ServiceError(
        'busy',
        `somebody else changes study ${studyId} in ${store.name}: try again when it is done`,
      )
    // Also when nothing is new: a copy that was killed may have left what has gone from here since.
    const former = await formerOf(store, studyId, published, now)
    await dropOthers(store, studyId, published, lease, former === null ? study.ids : [...study.ids, former])
    return published !== last || copied.files > before
  } finally {
    await lease?.release()
    study.release()
  }
}

/**
 * Takes leases of a study's snapshots and reads its other files; null if there is no study. The caller holds its lock.
 */
async function holdStudy(studyDir: string): Promise<Held | null> {
  const content = await contentOf(studyDir)
  if (content.snapshotId === null) return null
  const ids = await snapshotIds(studyDir)
  const releases = await Promise.all(ids.map((id) => leaseSnapshot(join(studyDir, id))))
  return { content, ids, release: () => releases.forEach((each) => void each()) }
}

/**
 * Returns the content that the store is to have. If it has the same snapshot, the analyses of both sides are kept,
 * unless these replace them, and a change can still be undone there; what can be undone here is not copied.
 */
async function mergedWith(
  last: NumberedState | null,
  store: ObjectStore,
  studyId: string,
  { undo: _, ...own }: Content,
  replace: boolean,
): Promise<Content> {
  if (last?.snapshotId !== own.snapshotId) return own
  const { undo, analyses = {} } = last
  const theirs = replace ? {} : analyses
  const merged = await mergeAnalyses(theirs, own.analyses ?? {}, async (side, file) => {
    const sha256 = (side === 'ours' ? theirs : own.analyses)?.[file] as string
    return currentIn(file, String(own.texts.get(sha256) ?? (await readObject(store, fileKey(studyId, sha256)))))
  })
  return { ...own, ...(undo === undefined ? {} : { undo }), analyses: merged }
}

async function keysIn(store: ObjectStore, prefix: string): Promise<Set<string>> {
  const keys = new Set<string>()
  for await (const { key } of store.list(prefix)) keys.add(key)
  return keys
}
