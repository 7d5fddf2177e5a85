import { join } from 'node:path'
import type { JobEnd } from '../../engine/jobs/record/state.ts'
import type { Manifest } from '../../engine/model/study.ts'
import { receiveJobs, sendJobs } from '../../engine/study/bucket/copy-jobs.ts'
import { receiveStudy } from '../../engine/study/bucket/receive-study.ts'
import { sendStudy } from '../../engine/study/bucket/send-study.ts'
import { allOf } from '../../engine/study/bucket/snapshot-files.ts'
import { namedBy, type State } from '../../engine/study/bucket/versions.ts'
import { storeOf } from './bucket.ts'
import { remoteStudies } from './home.ts'
import { newestOf } from './stored.ts'
import { studyIdOf } from './studies.ts'
import type { Process, World } from './world.ts'

/** Runs over a bucket: copies of studies there and back, and reads from it through a cache that processes share. */
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

/** Copies the jobs to the bucket, as a command does. */
export async function copyJobsThere({ copying }: World, { dataDir, client }: Process): Promise<void> {
  if (copying.get(JOBS)?.isDead === false) return
  copying.set(JOBS, client)
  try {
    await sendJobs(dataDir, storeOf(client), { files: 0, bytes: 0, known: 0 }, () => {}, true)
  } finally {
    copying.delete(JOBS)
  }
}
/** In place of the number of a study. */
const JOBS = -1

/** Copies the jobs of the bucket into the other data directory. */
export async function copyJobsBack({ dataDir, client }: Process): Promise<void> {
  await receiveJobs(join(dataDir, SECOND), storeOf(client), { files: 0, bytes: 0, known: 0 }, () => {})
}

/** Invariants of each copied job: it ends once, and with its plan it is whole. */
export function checkCopiedJob(world: World, id: string, name: string, before: Buffer | undefined): void {
  const { objects } = world.bucket
  const isExpired = () => (JSON.parse(objects.get(`exports/${id}/${name}`)!.toString()) as JobEnd).state === 'expired'
  if (name.endsWith('.end.json') && before !== undefined && !isExpired())
    world.faults.push(`the copy of ${id} ended twice`)
  const missing = missingOfJob(world, (each) => objects.get(`exports/${id}/${each}`) ?? null, name)
  if (missing !== null) world.faults.push(`${id} was copied without ${missing}`)
}

/** Invariant of each job that came back: it is whole. */
export function checkJobBack(world: World, id: string): void {
  const read = (name: string) => world.disk.read(`/second/exports/${id}/${name}`)
  const { attempt } = JSON.parse(read('plan.json')!.toString())
  const missing = missingOfJob(world, read, `${attempt}.plan.json`)
  if (missing !== null) world.faults.push(`${id} came back without ${missing}`)
}

/** Returns the name of a file that a job lacks, or that is damaged, when its plan or end is written; null for none. */
function missingOfJob(world: World, read: (name: string) => Buffer | null, name: string): string | null {
  if (!/\.(plan|end)\.json$/.test(name)) return null
  const attempt = Number.parseInt(name, 10)
  const end = JSON.parse(read(`${attempt}.end.json`)?.toString() || '{}') as Partial<JobEnd>
  if (end.state !== 'succeeded' || !end.file) return null
  const bytes = read(`${attempt}.csv`)
  return bytes !== null && world.sha256(bytes) === end.file.plain.sha256 ? null : `${attempt}.csv`
}

/** Copies a study from the bucket into another data directory on the disk. */
export async function copyBack(_world: World, process: Process, i: number): Promise<void> {
  const copied = { files: 0, bytes: 0, known: 0 }
  const dataDir = join(process.dataDir, SECOND)
  await receiveStudy({ dataDir, store: storeOf(process.client), replace: true }, studyIdOf(i), copied)
}

/** Reads a study's samples from the bucket, through the cache; what is read must be what the manifest says. */
export async function readThere(world: World, process: Process, i: number): Promise<void> {
  process.remote ??= remoteStudies(storeOf(process.client), process.dataDir)
  const snapshot = await process.remote.current(studyIdOf(i))
  if (snapshot === null) return
  for (const file of snapshot.manifest.sampleFiles) {
    const release = await snapshot.pin!(file)
    const path = join(snapshot.directory, file.name).replace(/^\/sim\/[^/]+/, '')
    const found = world.disk.read(path)
    if (found === null) world.faults.push(`${path} is held, and is not there`)
    else if (world.sha256(found) !== file.sha256)
      world.faults.push(`${path} is held, and is not what its manifest says`)
    release()
  }
}

/**
 * Checks the invariants after each change of the bucket: versions are only added, and everything that they name exists
 * and stays.
 */
export function checkBucket(world: World, did: 'put' | 'delete', key: string, before: Buffer | undefined): void {
  const { objects } = world.bucket
  const [top, studyId = '', number = ''] = key.split(/[/.]/)
  if (top === 'versions') {
    if (did === 'delete' || before !== undefined) world.faults.push(`${key} was created once, and then ${did}`)
    const earlier = `versions/${studyId}/${String(Number(number) - 1).padStart(12, '0')}.json`
    if (Number(number) > 1 && !objects.has(earlier)) world.faults.push(`${key} came before the version before it`)
    for (const missing of missingOf(world, studyId)) world.faults.push(`${key} was published without ${missing}`)
  }
  if (did === 'delete' && ['files', 'snapshots'].includes(top) && neededOf(world, studyId).includes(key))
    world.faults.push(`${key} was deleted, and the newest version of its study needs it`)
}

/** Returns the keys that a study's newest version needs. */
export function neededOf(world: World, studyId: string): string[] {
  const newest = newestOf(world, studyId)
  if (newest === null) return []
  const { snapshotId } = newest.state
  const hashes = namedBy(newest.state as State)
  const manifestKey = `snapshots/${studyId}/${snapshotId}.json`
  const manifest = world.bucket.objects.get(manifestKey)
  if (manifest) hashes.push(...allOf(contentOf(manifest) as Manifest).map(({ sha256 }) => sha256))
  const keys = hashes.map((sha256) => `files/${studyId}/${sha256}`)
  return snapshotId === null ? keys : [manifestKey, ...keys]
}

/** Returns the keys that a study's newest version needs and that the bucket does not have, or not whole. */
export function missingOf(world: World, studyId: string): string[] {
  const { objects } = world.bucket
  return neededOf(world, studyId).filter((key) => {
    const bytes = objects.get(key)
    return bytes === undefined || (key.startsWith('files/') && world.sha256(bytes) !== key.split('/')[2])
  })
}

function contentOf(bytes: Buffer): object {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return { snapshotId: 'one that cannot be read', files: { 'all of it': 'cut' }, sampleFiles: [] }
  }
}
