import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { openRemoteJobs } from '../../jobs/bucket/remote-jobs.ts'
import { hashOf } from '../../jobs/check-jobs.ts'
import { expireJob, removeJob } from '../../jobs/expire-job.ts'
import { interestedIn, noteInterest } from '../../jobs/interest.ts'
import { type Jobs, openJobs } from '../../jobs/open-jobs.ts'
import type { Job } from '../../jobs/record/job.ts'
import { filesOf } from '../../jobs/record/job-files.ts'
import { endPath, JOBS, jobPath, newPartFiles, planPath } from '../../jobs/record/job-paths.ts'
import { endText, planText, readPlanFile } from '../../jobs/record/read-job.ts'
import type { StoredFile } from '../../jobs/record/state.ts'
import { tidyJobs } from '../../jobs/tidy-jobs.ts'
import { ServiceError } from '../../model/errors.ts'
import { isCode } from '../../model/system-errors.ts'
import { directoryStorage } from '../../storage/directory-storage.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import type { Storage } from '../../storage/storage.ts'
import { RECEIVING } from './receive-files.ts'
import type { Copied } from './send-files.ts'
import { snapshotsIn } from './versions.ts'

/** Age from which a file without a job was left by a killed copy. */
const LEFT_BEHIND_MS = 60_000

/** Called with a sentence about a job that is damaged, and so left out. */
type Tell = (sentence: string) => void

/**
 * Copies the jobs of a data directory to a bucket: plans, ends, files, and interests. A job that changes meanwhile is
 * left out. Files that have expired since they were copied expire there, too.
 *
 * @param replace whether to remove jobs that only the bucket has, on snapshots that are gone from it, and leftovers of
 * killed copies
 * @returns how many were sent
 */
export async function sendJobs(
  dataDir: string,
  store: ObjectStore,
  copied: Copied,
  tell: Tell,
  replace: boolean,
): Promise<number> {
  const here = openJobs(dataDir)
  const there = openRemoteJobs(store)
  const snapshots = await snapshotsIn(store)
  const known = new Map<string, Job | null>()
  for await (const { id, job } of there.every()) {
    known.set(id, job)
    if (job === null) continue
    const own = await here.find(id)
    const isOver = own.job !== null && (own.job.attempt > job.attempt || own.job.end?.state === 'expired')
    if (isOver) await expireJob(there, job, there.now())
    const isGone = replace && own.job === null && own.damage === null
    if (isGone && !snapshots.get(job.plan.studyId)?.has(job.plan.snapshotId)) {
      await removeJob(there, job)
      known.delete(id)
    }
  }
  const isKnown = ({ id, attempt, end }: Job) => {
    const job = known.get(id)
    return job !== undefined && (job === null || job.attempt > attempt || end === null || job.end !== null)
  }
  const sent = await copyJobs(here, there, isKnown, copied, tell)
  if (replace) await tidyJobs(there, new Date(there.now().getTime() - LEFT_BEHIND_MS), async () => false)
  return sent
}

/**
 * Copies the jobs of a bucket into a data directory; those that are there stay as they are.
 *
 * @returns how many were fetched
 */
export async function receiveJobs(dataDir: string, store: ObjectStore, copied: Copied, tell: Tell): Promise<number> {
  const known = new Set(await openJobs(dataDir).ids())
  const aside = openJobs(join(dataDir, RECEIVING))
  const storage = directoryStorage(dataDir)
  // A folder without a plan would be swept, and a plan without its end computed: so a job comes as one folder.
  const place = async ({ id }: Job) => {
    for (const name of await aside.storage.names(jobPath(id)))
      if (name.endsWith('.part')) await aside.storage.remove(jobPath(id, name))
    await storage.makeFolder(jobPath(''))
    await storage.rename(`${RECEIVING}/${jobPath(id)}`, jobPath(id))
    await storage.sync(JOBS)
  }
  return copyJobs(openRemoteJobs(store), aside, ({ id }) => known.has(id), copied, tell, place)
}

/**
 * Copies jobs. The plan of each is written last, so a job with a plan is whole.
 *
 * @param place called with each that was copied
 */
async function copyJobs(
  from: Jobs,
  to: Jobs,
  isKnown: (job: Job) => boolean,
  copied: Copied,
  tell: Tell,
  place = async (_job: Job) => {},
): Promise<number> {
  let jobs = 0
  for await (const { id, job, damage } of from.every()) {
    if (damage !== null) tell(`job ${id} is damaged, and not copied: ${damage}`)
    if (job === null || damage !== null || isKnown(job)) continue
    try {
      await copyJob(from, to, job, copied)
    } catch (error) {
      const now = await from.read(id)
      if (now?.attempt === job.attempt && now.end?.state === job.end?.state) throw error
      continue
    }
    await place(job)
    jobs++
  }
  return jobs
}

async function copyJob(from: Jobs, to: Jobs, job: Job, copied: Copied): Promise<void> {
  const { id, attempt, end } = job
  const plan = await readPlanFile(from, id)
  if (plan?.attempt !== attempt) throw new ServiceError('moved_on', `job ${id} has begun anew`)
  const { storage } = to
  await storage.makeFolder(jobPath(id, 'by'))
  for (const { path, stored } of end?.state === 'succeeded' ? filesOf(job) : [])
    await copyFile(from.storage, storage, path, stored, newPartFiles(id, attempt).plain, copied)
  for (const tokenId of await interestedIn(from, job)) await noteInterest(to, id, attempt, tokenId)
  await storage.sync(jobPath(id, 'by'))
  if (end !== null) await storage.create(endPath(id, attempt), endText(id, attempt, end))
  await storage.create(planPath(id), planText(id, plan))
}

const PIECE_BYTES = 4 << 20

/**
 * Copies a file unless it exists with this hash. Verifies the hash before the file gets its name, and again by reading
 * it back.
 *
 * @throws ServiceError corrupt
 */
async function copyFile(
  from: Storage,
  to: Storage,
  name: string,
  { bytes, sha256 }: StoredFile,
  part: string,
  copied: Copied,
): Promise<void> {
  if ((await hashOf(to, name)) === sha256) return void copied.known++
  const source = await from.open(name, { start: 0, end: bytes }).catch((cause) => {
    if (!isCode(cause, 'ENOENT')) throw cause
    throw new ServiceError('corrupt', `${name} is missing, which its job promises`, { cause })
  })
  const target = await to.newFile(part, name)
  try {
    const hash = createHash('sha256')
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytes))
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await source.read(piece, 0, Math.min(piece.length, bytes - at), at)
      if (bytesRead === 0) break
      hash.update(piece.subarray(0, bytesRead))
      await target.write(piece.subarray(0, bytesRead))
      at += bytesRead
      copied.bytes += bytesRead
    }
    if (hash.digest('hex') !== sha256) throw new ServiceError('corrupt', `${name} is not what its job promises`)
    await target.finish()
    await to.rename(part, name)
  } catch (error) {
    await target.abandon()
    await to.remove(part)
    throw error
  } finally {
    await source.close()
  }
  if ((await hashOf(to, name)) !== sha256) throw new ServiceError('corrupt', `${name} is not what was written`)
  copied.files++
}
