import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { currentIn, mergeAnalyses, readAnalysisFiles } from '../../snapshot/analyses/copy-analyses.ts'
import { leaseSnapshot } from '../../snapshot/leases.ts'
import { currentIdIn, manifestText, readManifest, snapshotIds } from '../../snapshot/snapshots.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { isCode } from '../../storage/files/durable.ts'
import { studyDirectory } from '../../storage/files/layout.ts'
import { withStudyLock } from '../../storage/files/lock.ts'
import { namesIn } from '../../storage/files/optional-files.ts'
import { takeLease } from '../../storage/objects/lease.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { HISTORY_FILE } from '../history.ts'
import { PAST_AOIS } from '../past-aois.ts'
import { AT_ONCE, type Copied, sendFile } from './send-files.ts'
import { filesOf } from './snapshot-files.ts'
import { addVersion, fileKey, leaseKey, newestState, snapshotKey } from './versions.ts'

const LOCK_WAIT_MS = 10_000

/** A study at one moment: its snapshots and its other files. */
type Held = {
  currentId: string
  ids: string[]
  studyFiles: Map<string, Buffer>
  analyses: Record<string, string>
  release: () => void
}

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
    const { currentId, ids, studyFiles, analyses: own } = study
    const state = await newestState(store, studyId)
    const last = state?.snapshotId ? state : null
    if (last !== null && last.snapshotId !== currentId && !replace)
      throw new ServiceError(
        'exists',
        `${store.name} has another version of study ${studyId}: add --replace to replace it`,
      )
    const hashes = Object.fromEntries([...studyFiles].map(([name, bytes]) => [name, sha256Of(bytes)]))
    const ownHashes = Object.fromEntries(Object.entries(own).map(([name, text]) => [name, sha256Of(text)]))
    const there = last?.snapshotId === currentId && !replace ? (last.analyses ?? {}) : {}
    const analyses = await mergeAnalyses(there, ownHashes, async (side, file) =>
      currentIn(file, side === 'theirs' ? own[file] : String(await readObject(store, fileKey(studyId, there[file])))),
    )
    const isSame =
      last?.snapshotId === currentId && sameHashes(last.studyFiles, hashes) && sameHashes(last.analyses ?? {}, analyses)
    const sizes = await sizesIn(store, fileKey(studyId))
    const proved = new Set<string>()
    const before = copied.files
    for (const id of ids) await sendSnapshot(store, join(studyDir, id), studyId, { there: sizes, proved }, copied)
    for (const [name, bytes] of studyFiles) await store.put(fileKey(studyId, hashes[name]), bytes)
    for (const [name, text] of Object.entries(own))
      await store.put(fileKey(studyId, ownHashes[name]), Buffer.from(text))
    if (
      !isSame &&
      !(await addVersion(store, studyId, state, { snapshotId: currentId, studyFiles: hashes, analyses }, now))
    )
      throw new ServiceError(
        'busy',
        `somebody else changes study ${studyId} in ${store.name}: try again when it is done`,
      )
    // Also when nothing is new: a copy that was killed may have left what has gone from here since.
    await dropOthers(store, studyDir, studyId, study, Object.values(analyses))
    return !isSame || copied.files > before
  } finally {
    await lease?.release()
    study.release()
  }
}

/**
 * Takes leases of a study's snapshots and reads its other files; null if there is no study. The caller holds its lock.
 */
async function holdStudy(studyDir: string): Promise<Held | null> {
  const currentId = await currentIdIn(studyDir)
  if (currentId === null) return null
  const ids = await snapshotIds(studyDir)
  const releases = await Promise.all(ids.map((id) => leaseSnapshot(join(studyDir, id))))
  const release = () => releases.forEach((each) => void each())
  try {
    const analyses = await readAnalysisFiles(studyDir)
    return { currentId, ids, studyFiles: await readStudyFiles(studyDir), analyses, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Reads the files of a study besides its snapshots and analyses, by name. */
export async function readStudyFiles(studyDir: string): Promise<Map<string, Buffer>> {
  const names = [HISTORY_FILE, ...(await namesIn(join(studyDir, PAST_AOIS))).map((name) => `${PAST_AOIS}/${name}`)]
  const studyFiles = new Map<string, Buffer>()
  for (const name of names) {
    const bytes = await readFile(join(studyDir, name)).catch(nullIfAbsent)
    if (bytes !== null) studyFiles.set(name, bytes)
  }
  return studyFiles
}

function nullIfAbsent(error: unknown): null {
  if (isCode(error, 'ENOENT')) return null
  throw error
}

/**
 * Sends the files of a snapshot, then its manifest.
 *
 * @param there what the store has of the study
 * @param proved what was compared for another snapshot of the study: many files are in several
 */
async function sendSnapshot(
  store: ObjectStore,
  directory: string,
  studyId: string,
  { there, proved }: { there: Map<string, number>; proved: Set<string> },
  copied: Copied,
): Promise<void> {
  const manifest = await readManifest(directory)
  const { snapshotId } = manifest
  const { tables, samples, images } = filesOf(manifest)
  const files = new Map([...tables, ...samples, ...images].map(({ path, sha256 }) => [sha256, path]))
  if ((await store.head(snapshotKey(studyId, snapshotId))) !== null) {
    copied.known += files.size
    return
  }
  await forEach(files, AT_ONCE, async ([sha256, path]) => {
    const key = fileKey(studyId, sha256)
    if (!proved.has(key)) await sendFile(store, { path: join(directory, path), key, sha256 }, there.has(key), copied)
    proved.add(key)
  })
  // Send the manifest that was read and verified; do not read it again.
  await store.put(snapshotKey(studyId, snapshotId), manifestText(manifest))
}

/** Deletes the objects of a study that it no longer has, so nothing of a removed participant stays. */
async function dropOthers(
  store: ObjectStore,
  studyDir: string,
  studyId: string,
  { ids, studyFiles }: Held,
  analyses: string[],
): Promise<void> {
  const kept = new Set([...[...studyFiles.values()].map(sha256Of), ...analyses])
  for (const id of ids) {
    const { tables, samples, images } = filesOf(await readManifest(join(studyDir, id)))
    for (const { sha256 } of [...tables, ...samples, ...images]) kept.add(sha256)
  }
  const keys = new Set([
    ...ids.map((id) => snapshotKey(studyId, id)),
    ...[...kept].map((sha256) => fileKey(studyId, sha256)),
  ])
  for (const prefix of [snapshotKey(studyId), fileKey(studyId)])
    for (const key of (await sizesIn(store, prefix)).keys()) if (!keys.has(key)) await store.delete(key)
}

async function sizesIn(store: ObjectStore, prefix: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { key, sizeBytes } of store.list(prefix)) sizes.set(key, sizeBytes)
  return sizes
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function sameHashes(a: Record<string, string>, b: Record<string, string>): boolean {
  const text = (hashes: Record<string, string>) => JSON.stringify(Object.entries(hashes).sort())
  return text(a) === text(b)
}
