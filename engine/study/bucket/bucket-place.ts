import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Jobs } from '../../jobs/open-jobs.ts'
import { ServiceError } from '../../model/errors.ts'
import { readAnalysisFiles } from '../../snapshot/analyses/copy-analyses.ts'
import { currentIdIn, manifestIn, manifestText, readManifest, snapshotIds } from '../../snapshot/snapshots.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { withStudyLock } from '../../storage/files/lock.ts'
import { readText } from '../../storage/files/optional-files.ts'
import { type Lease, takeLease } from '../../storage/objects/lease.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import type { RecordsAt } from '../../storage/records.ts'
import { notifyStudy, type StudyNow } from '../../webhooks/notify-study.ts'
import { isMerged } from '../changes/merge.ts'
import { FORMER } from '../former-snapshot.ts'
import { directoryOf, type HeldStudy, type StudyPlace } from '../place.ts'
import { removeSnapshots } from '../sweep-snapshots.ts'
import { bringSnapshot, bringTo, dateCurrent, emptied, fetchingInto, openMirrored } from './mirror.ts'
import { AT_ONCE, sendFile } from './send-files.ts'
import { readStudyFiles, sameHashes, sha256Of } from './send-study.ts'
import { allOf } from './snapshot-files.ts'
import { dropOthers, filesThere, finishRemoval, SWEEP_TIMES, type SweepTimes, sweepingBucket } from './sweep-bucket.ts'
import {
  addVersion,
  fileKey,
  leaseKey,
  type NumberedState,
  namedBy,
  newestState,
  newestVersion,
  type State,
  snapshotKey,
} from './versions.ts'

/** The jobs of the bucket, and where its webhooks are. */
type Means = { jobs: () => Jobs; webhooks: RecordsAt }

/** Lifetime of an unused mirror, and the times of the sweep. */
export type BucketTimes = SweepTimes & { idleMs: number }

const TIMES: BucketTimes = { ...SWEEP_TIMES, idleMs: 60_000 }
/** Longer than any merge takes. */
const MERGING_MS = 2 ** 31 - 1

/** Mirror of a study: a temporary directory, and the version that it has. */
type Mirror = {
  studyDir: string
  fetch: ReturnType<typeof fetchingInto>
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
  means: Means,
  times: Partial<BucketTimes> = {},
): StudyPlace {
  const { idleMs, ...sweepTimes } = { ...TIMES, ...times }
  const mirrors = openMirrors(store, scratch, idleMs)
  const place: StudyPlace = {
    look: (studyId, work) =>
      mirrors.use(studyId, LOOK_WAIT_MS, async (mirror) => {
        await refresh(store, mirror)
        return work(heldOf(store, mirror, null, means))
      }),
    change: (studyId, work, waitMs) =>
      mirrors.use(studyId, waitMs, async (mirror) => {
        const lease = await takeLease(store, leaseKey(studyId.toLowerCase()), waitMs)
        if (lease === null) throw new ServiceError('busy', 'another import or removal is at work on this study')
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
        } finally {
          await lease.release()
        }
      }),
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
      if (!(await mayBeCompacted(store, studyId.toLowerCase()))) return null
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
    tell: async (studyId, tell) => {
      const id = studyId.toLowerCase()
      const lease = await takeLease(store, leaseKey(id))
      if (lease === null) throw new ServiceError('busy', 'the study is being changed')
      try {
        await tell(nowOf(id, (await newestState(store, id)) as NumberedState | null))
      } finally {
        await lease.release()
      }
    },
    sweep: sweepingBucket(store, means.jobs, sweepTimes),
    close: mirrors.close,
  }
  return place
}

/** Returns the current state of a study from its version. */
function nowOf(studyId: string, state: NumberedState | null): StudyNow {
  return { studyId, snapshotId: state?.snapshotId ?? null, sinceMs: state === null ? Date.now() : Date.parse(state.at) }
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
      const mirror = known ?? { studyDir, fetch: fetchingInto(store, studyDir), state: null, users: 0, idle: null }
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

/** Updates a mirror to the newest version. After a failure, the next call starts with an empty mirror. */
async function refresh(store: ObjectStore, mirror: Mirror): Promise<void> {
  const { studyDir, fetch, state: before } = mirror
  const newest = await newestState(store, basename(studyDir), before)
  if (newest === null || newest.number === before?.number) return
  try {
    await bringTo(store, studyDir, fetch, newest, before)
    if (newest.snapshotId !== null) {
      await dateCurrent(studyDir, newest.at)
      await keepOnly(studyDir, newest.snapshotId)
    }
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

/** Returns whether a study has grown, or was merged. Any other need not be fetched to know that nothing is due. */
async function mayBeCompacted(store: ObjectStore, studyId: string): Promise<boolean> {
  const version = await newestVersion(store, studyId)
  const text = version && (await readObject(store, snapshotKey(studyId, version.snapshotId)))
  if (version === null || text === null) return false
  const manifest = manifestIn(text.toString(), version.snapshotId)
  return manifest.layers !== undefined || isMerged(manifest)
}

/** Timeout for dry runs while this process changes the study, since both use its one mirror. */
const LOOK_WAIT_MS = 60_000

/** Deletes all snapshots of a mirror but one; only changes of the study read a mirror. */
async function keepOnly(studyDir: string, snapshotId: string): Promise<void> {
  const others = (await snapshotIds(studyDir)).filter((id) => id !== snapshotId)
  if (others.length > 0) await removeSnapshots(studyDir, others)
}

function heldOf(store: ObjectStore, mirror: Mirror, lease: Lease | null, { jobs, webhooks }: Means): HeldStudy {
  const { studyDir } = mirror
  return {
    studyDir,
    isKnown: async () => mirror.state !== null && mirror.state.snapshotId !== null,
    isElsewhere: true,
    hadRest: false,
    open: async (snapshotId) => {
      await bringSnapshot(store, studyDir, mirror.fetch, snapshotId)
      return openMirrored(join(studyDir, snapshotId), mirror.fetch)
    },
    publish: async (isRest = false) => {
      if (lease !== null) mirror.state = await publishState(store, mirror, lease, isRest)
    },
    notify: () => notifyStudy(webhooks, async () => nowOf(basename(studyDir), mirror.state)),
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
  isRest: boolean,
): Promise<NumberedState | null> {
  const studyId = basename(studyDir)
  const { snapshotId, texts, ...rest } = await contentOf(studyDir)
  const next: State = { snapshotId, ...rest, ...(isRest || snapshotId === null ? { isRest: true } : {}) }
  if (last === null && snapshotId === null) return null
  if (last !== null && isSame(last, next)) return last
  if (snapshotId !== null && snapshotId !== last?.snapshotId)
    await sendSnapshot(store, studyDir, snapshotId, last?.snapshotId ?? null)
  const known = new Set(last === null ? [] : namedBy(last))
  await forEach(
    [...texts].filter(([sha256]) => !known.has(sha256)),
    AT_ONCE,
    ([sha256, bytes]) => store.put(fileKey(studyId, sha256), bytes),
  )
  const now = new Date()
  if (!lease.isHeld() || !(await addVersion(store, studyId, last, next, now)))
    throw new ServiceError('busy', 'another process has changed this study meanwhile')
  const number = (last?.number ?? 0) + 1
  return { ...next, number, at: now.toISOString() }
}

/** Returns the content of a mirror as a version names it, with the bytes by their SHA-256. */
async function contentOf(studyDir: string) {
  const snapshotId = await currentIdIn(studyDir)
  const texts = new Map<string, Buffer>()
  const named = (name: string, bytes: Buffer) => {
    const sha256 = sha256Of(bytes)
    texts.set(sha256, bytes)
    return [name, sha256] as const
  }
  const files = snapshotId === null ? [] : [...(await readStudyFiles(studyDir))]
  const former = snapshotId === null ? null : await readText(join(studyDir, FORMER))
  const analyses = snapshotId === null ? [] : Object.entries(await readAnalysisFiles(studyDir))
  return {
    snapshotId,
    studyFiles: Object.fromEntries(files.map(([name, bytes]) => named(name, bytes))),
    ...(former === null ? {} : { undo: Object.fromEntries([named(FORMER, Buffer.from(former))]) }),
    analyses: Object.fromEntries(analyses.map(([name, text]) => named(name, Buffer.from(text)))),
    texts,
  }
}

/** Returns true if a mirror has exactly the content of its version. */
async function isClean({ studyDir, state }: Mirror): Promise<boolean> {
  if (state === null) return false
  const { texts: _, ...content } = await contentOf(studyDir)
  return isSame(state, content)
}

function isSame(last: State, next: State): boolean {
  return (
    last.snapshotId === next.snapshotId &&
    sameHashes(last.studyFiles, next.studyFiles) &&
    sameHashes(last.analyses ?? {}, next.analyses ?? {}) &&
    sameHashes(last.undo ?? {}, next.undo ?? {})
  )
}

/** Sends the files of a snapshot that its predecessor lacks, and then its manifest. */
async function sendSnapshot(
  store: ObjectStore,
  studyDir: string,
  snapshotId: string,
  beforeId: string | null,
): Promise<void> {
  const studyId = basename(studyDir)
  const directory = join(studyDir, snapshotId)
  const manifest = await readManifest(directory)
  const known = new Set(
    beforeId === null ? [] : (await filesThere(store, studyId, beforeId)).map(({ sha256 }) => sha256),
  )
  const files = new Map(allOf(manifest).map(({ path, sha256 }) => [sha256, path]))
  await forEach(
    [...files].filter(([sha256]) => !known.has(sha256)),
    AT_ONCE,
    ([sha256, path]) =>
      sendFile(store, { path: join(directory, path), key: fileKey(studyId, sha256), sha256 }, false, {
        files: 0,
        bytes: 0,
        known: 0,
      }),
  )
  await store.put(snapshotKey(studyId, snapshotId), manifestText(manifest))
}
