import { join } from 'node:path'
import type { Manifest } from '../../engine/model/study.ts'
import { openRemote } from '../../engine/remote/open-remote.ts'
import { receiveStudy } from '../../engine/remote/receive-study.ts'
import { sendStudy } from '../../engine/remote/send-study.ts'
import { filesOf } from '../../engine/remote/snapshot-files.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { openFileCache } from '../../engine/store/file-cache.ts'
import { storeOf } from './bucket.ts'
import { studyIdOf } from './studies.ts'
import type { Process, World } from './world.ts'

/**
 * What runs over a bucket: copies of studies there and back, and reading from it through a cache that processes share.
 */
const CACHE_BYTES = 400
const SECOND = 'second'

/** Copies a study to the bucket, as a command does; of a study, one at a time. */
export async function copyThere({ copying, faults }: World, process: Process, i: number): Promise<void> {
  const before = copying.get(i)
  if (before?.isDead === false) return
  copying.set(i, process.client)
  const copied = { files: 0, bytes: 0, known: 0 }
  const { dataDir } = process
  const sending = { dataDir, store: storeOf(process.client), replace: true, now: new Date() }
  try {
    await sendStudy(sending, studyIdOf(i), copied)
  } catch (error) {
    // What a killed one had sent may still come.
    if (before === undefined && /^another copy/.test((error as Error).message))
      faults.push(`study ${i} was copied by one alone, who met another copy`)
    throw error
  } finally {
    copying.delete(i)
  }
}

/** Copies a study from the bucket into another data directory on the disk. */
export async function copyBack(_world: World, process: Process, i: number): Promise<void> {
  const copied = { files: 0, bytes: 0, known: 0 }
  const dataDir = join(process.dataDir, SECOND)
  await receiveStudy({ dataDir, store: storeOf(process.client), replace: true }, studyIdOf(i), copied)
}

/** Reads a study's samples from the bucket, through the cache; what is read must be what the manifest says. */
export async function readThere(world: World, process: Process, i: number): Promise<void> {
  process.remote ??= openFileCache(join(process.dataDir, 'cache'), CACHE_BYTES).then((cache) =>
    openRemote(storeOf(process.client), cache),
  )
  let remote: Store
  try {
    remote = await process.remote
  } catch (error) {
    process.remote = null
    throw error
  }
  const snapshot = await remote.current(studyIdOf(i))
  if (snapshot === null) return
  for (const file of snapshot.manifest.sampleFiles) {
    const release = await snapshot.hold!(file)
    const path = join(snapshot.directory, file.name).replace(/^\/sim\/[^/]+/, '')
    const found = world.disk.read(path)
    if (found === null) world.faults.push(`${path} is held, and is not there`)
    else if (world.sha256(found) !== file.sha256)
      world.faults.push(`${path} is held, and is not what its manifest says`)
    release()
  }
}

/** What holds after each change of the bucket: versions only come, and what they name is there. */
export function checkBucket(world: World, did: 'put' | 'delete', key: string, before: Buffer | undefined): void {
  const { objects } = world.bucket
  const [, studyId, number] = /^versions\/([^/]+)\/(\d+)\.json$/.exec(key) ?? []
  if (studyId !== undefined) {
    if (did === 'delete' || before !== undefined) world.faults.push(`${key} was created once, and then ${did}`)
    const earlier = `versions/${studyId}/${String(Number(number) - 1).padStart(12, '0')}.json`
    if (Number(number) > 1 && !objects.has(earlier)) world.faults.push(`${key} came before the version before it`)
    for (const missing of missingOf(world, studyId)) world.faults.push(`${key} was published without ${missing}`)
  }
}

/** Returns the keys that a study's newest version needs and that the bucket does not have, or not whole. */
export function missingOf({ bucket: { objects }, sha256 }: World, studyId: string): string[] {
  const newest = [...objects.keys()]
    .filter((key) => key.startsWith(`versions/${studyId}/`))
    .sort()
    .at(-1)
  if (newest === undefined) return []
  const { snapshotId, studyFiles } = contentOf(objects.get(newest)!) as { snapshotId: string; studyFiles: object }
  const manifestKey = `snapshots/${studyId}/${snapshotId}.json`
  const manifest = objects.get(manifestKey)
  if (manifest === undefined) return [manifestKey]
  const { tables, samples, images } = filesOf(contentOf(manifest) as Manifest)
  const hashes = [...[...tables, ...samples, ...images].map((file) => file.sha256), ...Object.values(studyFiles)]
  return hashes
    .map((hash) => ({ hash, key: `files/${studyId}/${hash}` }))
    .filter(({ hash, key }) => !objects.has(key) || sha256(objects.get(key)!) !== hash)
    .map(({ key }) => key)
}

function contentOf(bytes: Buffer): object {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return { snapshotId: 'one that cannot be read', studyFiles: {}, files: { 'all of it': 'cut' }, sampleFiles: [] }
  }
}
