import type { Jobs } from '../../jobs/open-jobs.ts'
import { removeWithJobs } from '../../jobs/withdraw-job.ts'
import { ServiceError } from '../../model/errors.ts'
import { UUID } from '../../model/parameters.ts'
import { openThrottle } from '../../storage/concurrency/intervals.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { DEAD_MS, type Lease, takeLease } from '../../storage/objects/lease.ts'
import { type Listed, type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { FORMER, formerIn } from '../former-snapshot.ts'
import type { Sweeping } from '../sweep-snapshots.ts'
import { filesThere, type SnapshotFile } from './snapshot-files.ts'
import { AT_ONCE, fileKey, leaseKey, namedBy, newestState, type State, snapshotKey, snapshotsIn } from './versions.ts'

export type SweepTimes = {
  /**
   * Lifetime of a replaced snapshot. Readers of a bucket take no leases of snapshots: an export that takes longer is a
   * job, whose plan keeps its snapshot.
   */
  replacedMs: number
  /** Age from which a file that no snapshot names is an orphan, left by a killed process. */
  orphanedMs: number
  /** Interval at which all files are listed to find orphans. */
  scanEveryMs: number
}
/** The jobs of the bucket, and the time of day. */
type SweepMeans = { jobs: () => Jobs; now: () => Date }

export const SWEEP_TIMES: SweepTimes = { replacedMs: 600_000, orphanedMs: 3_600_000, scanEveryMs: 3_600_000 }

/**
 * Returns a sweep of a bucket's studies. It deletes snapshots that were replaced a while ago and that no unfinished
 * plan names, the files that only they have, and leftovers of killed processes: files, unfinished removals, leases.
 */
export function sweepingBucket(store: ObjectStore, { jobs, now: clock }: SweepMeans, times: SweepTimes) {
  const scan = scanningForOrphans(store, times)
  return async ({ studies, inUse, onRemoved, onFault }: Sweeping): Promise<void> => {
    const listed = await snapshotsIn(store)
    const currents = await studies.currents()
    const due = new Set<string>()
    for (const [studyId, ids] of listed) if (ids.size > 1 || !ids.has(currents.get(studyId) ?? '')) due.add(studyId)
    const now = clock()
    for (const studyId of [...(await deadLeases(store, now)), ...(await scan(onFault, now))]) due.add(studyId)
    if (due.size === 0) return
    const used = await inUse()
    await forEach(due, AT_ONCE, async (studyId) => {
      try {
        const removed = await sweepStudy(store, studyId, used, { jobs, times, now })
        if (removed.length > 0) onRemoved(studyId, removed)
      } catch (error) {
        onFault(studyId, error)
      }
    })
  }
}

/** Lists the studies whose lease has expired, so its holder was probably killed. */
async function deadLeases(store: ObjectStore, now: Date): Promise<string[]> {
  const found: string[] = []
  for await (const { key, changedMs } of store.list(leaseKey(''))) {
    const studyId = key.slice(leaseKey('').length).split('.')[0]
    if (UUID.test(studyId) && now.getTime() - changedMs > DEAD_MS) found.push(studyId)
  }
  return found
}

/**
 * Returns a function that lists, at most every `scanEveryMs`, the studies with old files that no snapshot names: a
 * process was killed, or failed, before it published what it had sent. Skips studies whose files have not changed. It
 * also removes the temporary files of killed processes.
 */
function scanningForOrphans(store: ObjectStore, { orphanedMs, scanEveryMs }: SweepTimes) {
  const clean = new Map<string, string>()
  const scans = openThrottle()
  return async (onFault: Sweeping['onFault'], now: Date): Promise<string[]> => {
    if (!scans.isDue()) return []
    const orphansBefore = new Date(now.getTime() - orphanedMs)
    await store.tidy(orphansBefore)
    const found: string[] = []
    for await (const [studyId, files] of filesByStudy(store)) {
      const newestMs = files.reduce((newest, { changedMs }) => Math.max(newest, changedMs), 0)
      const state = `${files.length} ${newestMs}`
      const old = files.filter(({ changedMs }) => changedMs < orphansBefore.getTime())
      if (old.length === 0 || clean.get(studyId) === state) continue
      try {
        const ids = [...((await snapshotsIn(store, studyId)).get(studyId)?.keys() ?? [])]
        const needed = await keysOf(store, studyId, ids, await newestState(store, studyId))
        if (old.some(({ key }) => !needed.has(key))) found.push(studyId)
        else clean.set(studyId, state)
      } catch (error) {
        onFault(studyId, error)
      }
    }
    scans.putOff(scanEveryMs)
    return found
  }
}

async function* filesByStudy(store: ObjectStore): AsyncGenerator<[studyId: string, files: Listed[]]> {
  let files: Listed[] = []
  const studyOf = ({ key }: Listed) => key.split('/')[1]
  for await (const file of store.list('files/')) {
    if (files.length > 0 && studyOf(files[0]) !== studyOf(file)) {
      yield [studyOf(files[0]), files]
      files = []
    }
    if (UUID.test(studyOf(file))) files.push(file)
  }
  if (files.length > 0) yield [studyOf(files[0]), files]
}

/** Sweeps a study, unless another process changes it. @returns the ids of the snapshots that were deleted */
async function sweepStudy(
  store: ObjectStore,
  studyId: string,
  used: ReadonlySet<string>,
  { jobs, times, now }: { jobs: () => Jobs; times: SweepTimes; now: Date },
): Promise<string[]> {
  const lease = await takeLease(store, leaseKey(studyId))
  if (lease === null) return []
  try {
    // Of processes that took the lease over while it was released, and were killed then.
    for await (const { key } of store.list(`${leaseKey(studyId)}.`))
      if (!lease.chain.includes(key)) await remove(store, key, lease)
    const state = await newestState(store, studyId)
    if (state?.isRest) {
      await finishRemoval(store, studyId, state, lease, jobs())
      return []
    }
    const madeAt = (await snapshotsIn(store, studyId)).get(studyId) ?? new Map<string, number>()
    const former = await formerOf(store, studyId, state, now)
    const old = replacedIn(madeAt, state, times, now).filter((id) => !used.has(id) && id !== former)
    // The list may be late, and lack the newest.
    const named = [state?.snapshotId, former].filter((id) => id != null)
    const kept = [...new Set([...madeAt.keys(), ...named])].filter((id) => !old.includes(id))
    const gone = new Set((await filesOfAll(store, studyId, old)).map(({ sha256 }) => fileKey(studyId, sha256)))
    const keys = await keysOf(store, studyId, kept, state)
    for await (const { key, changedMs } of store.list(fileKey(studyId)))
      if (!keys.has(key) && (gone.has(key) || now.getTime() - changedMs > times.orphanedMs))
        await remove(store, key, lease)
    for (const id of old) await remove(store, snapshotKey(studyId, id), lease)
    return old
  } finally {
    await lease.release()
  }
}

/** Returns the snapshot that is kept for undoing the newest change; null for none. */
export async function formerOf(
  store: ObjectStore,
  studyId: string,
  state: State | null,
  now: Date,
): Promise<string | null> {
  const sha256 = state?.undo?.[FORMER]
  const text = sha256 === undefined ? null : await readObject(store, fileKey(studyId, sha256))
  return text && formerIn(text.toString(), now)
}

/** Returns the snapshots that were replaced a while ago: by the next one, or by an older one that is current again. */
function replacedIn(
  madeAt: ReadonlyMap<string, number>,
  state: (State & { at: string }) | null,
  { replacedMs, orphanedMs }: SweepTimes,
  now: Date,
): string[] {
  const currentAt = state === null ? Number.POSITIVE_INFINITY : Date.parse(state.at)
  return [...madeAt].flatMap(([id, at]) => {
    if (id === state?.snapshotId) return []
    // Without a version, it is what a killed process left.
    if (state === null) return now.getTime() - at > orphanedMs ? [id] : []
    const replacedAt = Math.min(currentAt, ...[...madeAt.values()].filter((other) => other > at))
    return now.getTime() - replacedAt > replacedMs ? [id] : []
  })
}

/**
 * Deletes every object of a study that neither its newest version nor a kept snapshot names, so nothing of a removed
 * participant stays.
 *
 * @param keptIds ids of the snapshots to keep: without more, the current one
 * @returns whether there was anything
 * @throws ServiceError busy once somebody else may have taken the lease: what is new is not to be deleted
 */
export async function dropOthers(
  store: ObjectStore,
  studyId: string,
  state: State,
  lease: Lease,
  keptIds = state.snapshotId === null ? [] : [state.snapshotId],
): Promise<boolean> {
  let isAny = false
  const kept = await keysOf(store, studyId, keptIds, state)
  // Manifests last: as long as there is one that is not current, whoever sweeps knows that something is left.
  for (const prefix of [fileKey(studyId), snapshotKey(studyId)])
    for await (const { key } of store.list(prefix)) {
      if (kept.has(key)) continue
      isAny = true
      await remove(store, key, lease)
    }
  return isAny
}

/**
 * Finishes a removal that was killed: deletes everything but the newest version, and the files of exports on it.
 *
 * @returns whether there was anything
 * @throws ServiceError busy as `dropOthers`
 */
export async function finishRemoval(
  store: ObjectStore,
  studyId: string,
  state: State,
  lease: Lease,
  jobs: Jobs,
): Promise<boolean> {
  return removeWithJobs(jobs, studyId, state.snapshotId, jobs.now(), () => dropOthers(store, studyId, state, lease))
}

async function remove(store: ObjectStore, key: string, lease: Lease): Promise<void> {
  if (!lease.isHeld()) throw new ServiceError('busy', 'another process may be changing this study')
  await store.delete(key)
}

/** Returns all keys that some snapshots and a version name. */
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
