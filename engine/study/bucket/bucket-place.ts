import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Jobs } from '../../jobs/open-jobs.ts'
import { ServiceError } from '../../model/errors.ts'
import { readManifest, snapshotIds } from '../../snapshot/snapshots.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { withStudyLock } from '../../storage/files/lock.ts'
import { type Lease, takeLease } from '../../storage/objects/lease.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import type { RecordsAt } from '../../storage/records.ts'
import { notifyStudy, type StudyNow } from '../../webhooks/notify-study.ts'
import { mayBeMerged } from '../merged-snapshot.ts'
import { directoryOf, type HeldStudy, type StudyPlace } from '../place.ts'
import { removeSnapshots } from '../sweep-snapshots.ts'
import { bringTo, emptied, openMirrored } from './mirror.ts'
import { type Fetch, fetchingInto, fetchSnapshot } from './receive-files.ts'
import { newSum, sendSnapshot } from './send-files.ts'
import { allOf, filesThere, manifestThere, type SnapshotFile } from './snapshot-files.ts'
import { contentOf, isSame, publishContent, sendTexts } from './study-content.ts'
import { dropOthers, finishRemoval, SWEEP_TIMES, type SweepTimes, sweepingBucket } from './sweep-bucket.ts'
import { leaseKey, type NumberedState, newestState, newestVersion } from './versions.ts'

/** The jobs of the bucket, where its webhooks are, and the time of day: without it, that of this machine. */
type Means = { jobs: () => Jobs; webhooks: RecordsAt; now?: () => Date }

/** Lifetime of an unused mirror, and the times of the sweep. */
type BucketTimes = SweepTimes & { idleMs: number }

const TIMES: BucketTimes = { ...SWEEP_TIMES, idleMs: 60_000 }
/** Longer than any merge takes. */
const MERGING_MS = 2 ** 31 - 1

/** Mirror of a study: a temporary directory, and the version that it has. */
type Mirror = {
  studyDir: string
  fetch: Fetch
  state: NumberedState | null
  /** Number of calls that use it or wait for it. */
  users: number
  idle: NodeJS.Timeout | null
}

/** Opens a folder for temporary files of this process. */
type Scratch = () => Promise<{ directory: string; close: () => Promise<void> }>

/**
 * Opens the studies of a bucket for changes. A change is made in a mirror on this machine, under a lease of the study.
 * Then its files are sent, then its manifest, and last the version with the next number, which must not exist yet. A
 * process killed before that has changed nothing; a sweep or a removal deletes what it sent.
 *
 * @param scratch opened once a study is changed
 */
export function bucketPlace(
  store: ObjectStore,
  scratch: Scratch,
  { now = () => new Date(), ...given }: Means,
  times: Partial<BucketTimes> = {},
): StudyPlace {
  const means = { ...given, now }
  const { idleMs, ...sweepTimes } = { ...TIMES, ...times }
  const mirrors = openMirrors(store, scratch, idleMs)
  const place: StudyPlace = {
    now,
    look: (studyId, work) =>
      mirrors.use(studyId, LOOK_WAIT_MS, async (mirror) => {
        await refresh(store, mirror)
        return work(heldOf(store, mirror, null, means))
      }),
    change: (studyId, work, waitMs) =>
      mirrors.use(studyId, waitMs, (mirror) =>
        withLease(store, studyId, waitMs, (lease) => changeHeld(store, mirror, lease, means, work)),
      ),
    decide: (studyId, work) =>
      place.change(
        studyId,
        async ({ studyDir, publish }) => {
          const done = await work(studyDir)
          await publish()
          return done
        },
        DECIDE_WAIT_MS,
      ),
    compact: async (studyId, isDue, work) => {
      if (!(await isMergeDue(store, studyId.toLowerCase()))) return null
      const lease = await takeLease(store, `leases/compact/${studyId.toLowerCase()}`)
      if (lease === null) return null
      // A mirror of its own: others of this process may change the study meanwhile.
      const beside = bucketPlace(store, scratch, means, { idleMs: MERGING_MS })
      try {
        const study = await beside.look(studyId, async ({ studyDir, open }) => ({ studyDir, open }))
        return (await isDue(study)) ? await work(study, beside) : null
      } finally {
        await beside.close()
        await lease.release()
      }
    },
    tell: (studyId, tell) =>
      withLease(store, studyId, undefined, async () => {
        const id = studyId.toLowerCase()
        await tell(nowOf(id, (await newestState(store, id)) as NumberedState | null, now()))
      }),
    sweep: sweepingBucket(store, means, sweepTimes),
    close: mirrors.close,
  }
  return place
}

/** @throws ServiceError busy if another process has the study's lease for longer than `waitMs` */
async function withLease<T>(
  store: ObjectStore,
  studyId: string,
  waitMs: number | undefined,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await takeLease(store, leaseKey(studyId.toLowerCase()), waitMs)
  if (lease === null) throw new ServiceError('busy', 'another import or removal is at work on this study')
  try {
    return await work(lease)
  } finally {
    await lease.release()
  }
}

/** Makes a change in a mirror that has the newest version; after a fault, the mirror is emptied unless it still has. */
async function changeHeld<T>(
  store: ObjectStore,
  mirror: Mirror,
  lease: Lease,
  means: Required<Means>,
  work: (held: HeldStudy) => Promise<T>,
): Promise<T> {
  try {
    await refresh(store, mirror)
    const { studyDir, state } = mirror
    const hadRest = state?.isRest && (await finishRemoval(store, basename(studyDir), state, lease, means.jobs()))
    const done = await work({ ...heldOf(store, mirror, lease, means), hadRest: hadRest === true })
    if (mirror.state?.snapshotId) await keepOnly(mirror.studyDir, mirror.state.snapshotId)
    return done
  } catch (error) {
    // What it has may be more, or other, than what is published.
    if (!(await isClean(mirror).catch(() => false))) await begunAnew(mirror)
    throw error
  }
}

async function isMergeDue(store: ObjectStore, studyId: string): Promise<boolean> {
  const version = await newestVersion(store, studyId)
  const manifest = version && (await manifestThere(store, studyId, version.snapshotId))
  return manifest !== null && mayBeMerged(manifest)
}

/** Returns the current state of a study from its version. */
function nowOf(studyId: string, state: NumberedState | null, now: Date): StudyNow {
  const sinceMs = state === null ? now.getTime() : Date.parse(state.at)
  return { studyId, snapshotId: state?.snapshotId ?? null, sinceMs }
}

/** Timeout for changes of analyses while another process changes the study. */
const DECIDE_WAIT_MS = 20_000

/** Opens the mirrors of this process, which are deleted when they have been unused for a while. */
function openMirrors(store: ObjectStore, scratch: Scratch, idleMs: number) {
  const mirrors = new Map<string, Mirror>()
  let opening: ReturnType<Scratch> | null = null

  const openedScratch = () => {
    opening ??= scratch().catch((error) => {
      opening = null
      throw error
    })
    return opening
  }
  async function forget(mirror: Mirror): Promise<void> {
    if (mirror.users > 0) return
    mirrors.delete(mirror.studyDir)
    await rm(mirror.studyDir, { recursive: true, force: true }).catch(() => undefined)
  }
  return {
    /** Runs `work` with exclusive use of a study's mirror. */
    use: async <T>(studyId: string, waitMs: number | undefined, work: (mirror: Mirror) => Promise<T>): Promise<T> => {
      const studyDir = directoryOf((await openedScratch()).directory, studyId)
      const known = mirrors.get(studyDir)
      const mirror = known ?? openMirror(store, studyDir)
      mirrors.set(studyDir, mirror)
      mirror.users++
      if (mirror.idle) clearTimeout(mirror.idle)
      try {
        return await withStudyLock(studyDir, () => work(mirror), waitMs)
      } finally {
        mirror.users--
        if (mirror.users === 0) mirror.idle = setTimeout(() => void forget(mirror), idleMs).unref()
      }
    },
    close: async () => {
      for (const mirror of mirrors.values()) {
        if (mirror.idle) clearTimeout(mirror.idle)
        await forget(mirror)
      }
      await opening?.then(({ close }) => close())
      opening = null
    },
  }
}

function openMirror(store: ObjectStore, studyDir: string): Mirror {
  return { studyDir, fetch: fetchingInto(store, studyDir, newSum()), state: null, users: 0, idle: null }
}

/** Updates a mirror to the newest version. After a failure, the next call starts with an empty mirror. */
async function refresh(store: ObjectStore, mirror: Mirror): Promise<void> {
  const { studyDir, fetch, state: before } = mirror
  const newest = await newestState(store, basename(studyDir), before)
  if (newest === null || newest.number === before?.number) return
  try {
    await bringTo(store, studyDir, fetch, newest, before)
    if (newest.snapshotId !== null) await keepOnly(studyDir, newest.snapshotId)
    mirror.state = newest
  } catch (error) {
    await begunAnew(mirror)
    throw error
  }
}

async function begunAnew(mirror: Mirror): Promise<void> {
  mirror.state = null
  await emptied(mirror.studyDir)
}

/** Timeout for dry runs while this process changes the study, since both use its one mirror. */
const LOOK_WAIT_MS = 60_000

/** Deletes all snapshots of a mirror but one; only changes of the study read a mirror. */
async function keepOnly(studyDir: string, snapshotId: string): Promise<void> {
  const others = (await snapshotIds(studyDir)).filter((id) => id !== snapshotId)
  if (others.length > 0) await removeSnapshots(studyDir, others)
}

function heldOf(store: ObjectStore, mirror: Mirror, lease: Lease | null, means: Required<Means>): HeldStudy {
  const { studyDir } = mirror
  const { jobs, webhooks, now } = means
  return {
    studyDir,
    isKnown: async () => mirror.state !== null && mirror.state.snapshotId !== null,
    isElsewhere: true,
    hadRest: false,
    open: async (snapshotId) => {
      await fetchSnapshot(store, studyDir, snapshotId, mirror.fetch, true)
      return openMirrored(join(studyDir, snapshotId), mirror.fetch)
    },
    publish: async (isRest = false) => {
      if (lease !== null) mirror.state = await publishState(store, mirror, lease, { isRest, now: now() })
    },
    notify: () => notifyStudy(webhooks, async () => nowOf(basename(studyDir), mirror.state, now())),
    jobs,
    removeOthers: async (keepId) => {
      if (lease !== null && mirror.state !== null) await dropOthers(store, basename(studyDir), mirror.state, lease)
      const ids = await snapshotIds(studyDir)
      await removeSnapshots(
        studyDir,
        ids.filter((id) => id !== keepId),
      )
    },
  }
}

/**
 * Publishes the content of a mirror as the next version of its study, unless the newest one has the same.
 *
 * @returns the newest version
 * @throws ServiceError busy where somebody else made one meanwhile
 */
async function publishState(
  store: ObjectStore,
  { studyDir, state: last }: Mirror,
  lease: Lease,
  { isRest, now }: { isRest: boolean; now: Date },
): Promise<NumberedState | null> {
  const studyId = basename(studyDir)
  const { texts, ...content } = await contentOf(studyDir, last)
  const { snapshotId } = content
  if (last === null && snapshotId === null) return null
  const sendNew = async () => {
    if (snapshotId === null || snapshotId === last?.snapshotId) return
    const former = last?.snapshotId ? await filesOfFormer(store, studyDir, last.snapshotId) : []
    const there = { known: new Set(former.map(({ sha256 }) => sha256)), listed: new Set<string>() }
    await sendSnapshot(store, studyDir, snapshotId, there, newSum())
  }
  // Both have ended when one fails: nothing is sent without the lease.
  await forEach([sendNew, () => sendTexts(store, studyId, { texts, ...content })], 2, (send) => send())
  const next = { ...content, ...(isRest || snapshotId === null ? { isRest: true } : {}) }
  const published = await publishContent(store, studyId, last, next, lease, now)
  if (published === null) throw new ServiceError('busy', 'another process has changed this study meanwhile')
  return published
}

/** Lists the files of the snapshot before a change; its manifest is in the mirror, unless a sweep has deleted it. */
async function filesOfFormer(store: ObjectStore, studyDir: string, snapshotId: string): Promise<SnapshotFile[]> {
  const manifest = await readManifest(join(studyDir, snapshotId)).catch(() => null)
  return manifest === null ? filesThere(store, basename(studyDir), snapshotId) : allOf(manifest)
}

/** Returns true if a mirror has exactly the content of its version. */
async function isClean({ studyDir, state }: Mirror): Promise<boolean> {
  return state !== null && isSame(state, await contentOf(studyDir, state))
}
