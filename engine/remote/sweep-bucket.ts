import { forEach } from '../concurrency/side-by-side.ts'
import { isSnapshotId } from '../files/layout.ts'
import { ServiceError } from '../model/errors.ts'
import { UUID } from '../model/parameters.ts'
import { manifestIn } from '../snapshot/snapshots.ts'
import { type Lease, takeLease } from '../store/lease.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'
import { FORMER, formerIn } from '../study/former-snapshot.ts'
import type { Sweeping } from '../study/sweep-snapshots.ts'
import { allOf, type SnapshotFile } from './snapshot-files.ts'
import { fileKey, leaseKey, namedBy, newestState, type State, snapshotKey } from './versions.ts'

export type SweepTimes = {
  /**
   * How long a snapshot stays after it was replaced. Readers of a bucket take no lease of a snapshot: an export that
   * takes longer than this is a job, whose plan keeps its snapshot.
   */
  replacedMs: number
  /** Age from which a file that no snapshot names is an orphan, left by a killed process. */
  orphanedMs: number
}
export const SWEEP_TIMES: SweepTimes = { replacedMs: 600_000, orphanedMs: 3_600_000 }
const AT_ONCE = 6

/**
 * Deletes the snapshots that were replaced a while ago and that no unfinished plan names, with the files that only they
 * have, and what killed processes left of those studies.
 */
export async function sweepBucket(
  store: ObjectStore,
  { studies, inUse, onRemoved, onFault }: Sweeping,
  times: SweepTimes,
): Promise<void> {
  const listed = new Map<string, string[]>()
  for await (const { key } of store.list('snapshots/')) {
    const [, studyId, name = ''] = key.split('/')
    const id = name.replace(/\.json$/, '')
    if (UUID.test(studyId) && isSnapshotId(id)) listed.set(studyId, [...(listed.get(studyId) ?? []), id])
  }
  const currents = await studies.currents()
  const isAtRest = (studyId: string, ids: string[]) => ids.length === 1 && currents.get(studyId) === ids[0]
  const due = [...listed].filter(([studyId, ids]) => !isAtRest(studyId, ids)).map(([studyId]) => studyId)
  if (due.length === 0) return
  const used = await inUse()
  await forEach(due, AT_ONCE, async (studyId) => {
    try {
      const removed = await sweepStudy(store, studyId, used, times)
      if (removed.length > 0) onRemoved(studyId, removed)
    } catch (error) {
      onFault(studyId, error)
    }
  })
}

/** Does so for a study, unless somebody is changing it. @returns the ids of the snapshots that were deleted */
async function sweepStudy(
  store: ObjectStore,
  studyId: string,
  used: ReadonlySet<string>,
  times: SweepTimes,
): Promise<string[]> {
  const lease = await takeLease(store, leaseKey(studyId))
  if (lease === null) return []
  try {
    const state = await newestState(store, studyId)
    if (state?.isRest) {
      await dropOthers(store, studyId, state, lease)
      return []
    }
    const madeAt = new Map<string, number>()
    for await (const { key, changedMs } of store.list(snapshotKey(studyId)))
      madeAt.set(key.slice(snapshotKey(studyId).length).replace(/\.json$/, ''), changedMs)
    const former = await formerOf(store, studyId, state)
    const old = replacedIn(madeAt, state, times).filter((id) => !used.has(id) && id !== former)
    const kept = [...madeAt.keys()].filter((id) => !old.includes(id))
    const gone = new Set((await filesOfAll(store, studyId, old)).map(({ sha256 }) => fileKey(studyId, sha256)))
    const keys = await keysOf(store, studyId, kept, state)
    for await (const { key, changedMs } of store.list(fileKey(studyId)))
      if (!keys.has(key) && (gone.has(key) || Date.now() - changedMs > times.orphanedMs))
        await remove(store, key, lease)
    for (const id of old) await remove(store, snapshotKey(studyId, id), lease)
    return old
  } finally {
    await lease.release()
  }
}

/** Returns the snapshot that is kept so that the newest change can be undone; null for none. */
async function formerOf(store: ObjectStore, studyId: string, state: State | null): Promise<string | null> {
  const sha256 = state?.undo?.[FORMER]
  const text = sha256 === undefined ? null : await readObject(store, fileKey(studyId, sha256))
  return text && formerIn(text.toString())
}

/** Returns the snapshots that were replaced a while ago: by the next one, or by an older one that is current again. */
function replacedIn(
  madeAt: ReadonlyMap<string, number>,
  state: (State & { at: string }) | null,
  { replacedMs, orphanedMs }: SweepTimes,
): string[] {
  const currentAt = state === null ? Number.POSITIVE_INFINITY : Date.parse(state.at)
  return [...madeAt].flatMap(([id, at]) => {
    if (id === state?.snapshotId) return []
    // Without a version, it is what a killed process left.
    if (state === null) return Date.now() - at > orphanedMs ? [id] : []
    const replacedAt = Math.min(currentAt, ...[...madeAt.values()].filter((other) => other > at))
    return Date.now() - replacedAt > replacedMs ? [id] : []
  })
}

/**
 * Deletes everything that a bucket has of a study and that its newest version does not name: of a participant who was
 * removed nothing stays behind.
 *
 * @throws ServiceError busy once somebody else may have taken the lease: what is new is not to be deleted
 */
export async function dropOthers(store: ObjectStore, studyId: string, state: State, lease: Lease): Promise<void> {
  const kept = await keysOf(store, studyId, state.snapshotId === null ? [] : [state.snapshotId], state)
  // Manifests last: as long as there is one that is not current, whoever sweeps knows that something is left.
  for (const prefix of [fileKey(studyId), snapshotKey(studyId)])
    for await (const { key } of store.list(prefix)) if (!kept.has(key)) await remove(store, key, lease)
}

async function remove(store: ObjectStore, key: string, lease: Lease): Promise<void> {
  if (!lease.isHeld()) throw new ServiceError('busy', 'another process may be changing this study')
  await store.delete(key)
}

/** Returns the keys of everything that some snapshots and a version name. */
async function keysOf(
  store: ObjectStore,
  studyId: string,
  snapshotIds: string[],
  state: State | null,
): Promise<Set<string>> {
  const files = (await filesOfAll(store, studyId, snapshotIds)).map(({ sha256 }) => sha256)
  const others = state === null ? [] : namedBy(state)
  return new Set([
    ...snapshotIds.map((id) => snapshotKey(studyId, id)),
    ...[...files, ...others].map((sha256) => fileKey(studyId, sha256)),
  ])
}

async function filesOfAll(store: ObjectStore, studyId: string, snapshotIds: string[]): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = []
  await forEach(snapshotIds, AT_ONCE, async (id) => {
    files.push(...(await filesThere(store, studyId, id)))
  })
  return files
}

/**
 * Lists the files of a snapshot that the bucket has; none where it has no such snapshot. @throws ServiceError corrupt
 */
export async function filesThere(store: ObjectStore, studyId: string, snapshotId: string): Promise<SnapshotFile[]> {
  const text = await readObject(store, snapshotKey(studyId, snapshotId))
  return text === null ? [] : allOf(manifestIn(text.toString(), snapshotId))
}
