import { basename } from 'node:path'
import { isCode } from '../model/system-errors.ts'
import type { FileFault } from '../storage/files/file-fault.ts'
import { hashOpenFile } from '../storage/files/hash-file.ts'
import { UNSEALED } from '../storage/files/sealed-json.ts'
import type { Storage } from '../storage/storage.ts'
import { expireDamaged, removeJob } from './expire-job.ts'
import { interestOf } from './interest.ts'
import type { Jobs } from './open-jobs.ts'
import type { Job } from './record/job.ts'
import { filesOf } from './record/job-files.ts'
import { jobPath } from './record/job-paths.ts'
import { findJob, readEndFile } from './record/read-job.ts'

type Tell = (fault: FileFault) => Promise<void>

const REMOVED = 'It is removed, and computed anew when it is asked for.'

/**
 * Verifies every file of every job: plans and ends by their own checksums, published files by their SHA-256.
 *
 * @returns how many files were looked at
 */
export async function checkJobs(jobs: Jobs, tell: Tell): Promise<number> {
  let files = 0
  for (const id of await jobs.ids()) {
    const { job, damage } = await findJob(jobs, id)
    if (job !== null) files += await checkJob(jobs, job, tell)
    else if (damage !== null) {
      files++
      const mend = async () => removeJob(jobs, { id, attempt: null })
      await tell({
        sentence: `Job ${id}: ${damage}.`,
        mend: () => mend().then(() => REMOVED),
        isOtherFormat: damage.endsWith(UNSEALED),
      })
    }
  }
  return files
}

/** Checks all files of a job but its plan. */
async function checkJob(jobs: Jobs, job: Job, tell: Tell): Promise<number> {
  const tellDamage = (damage: string) =>
    tell({
      sentence: `Job ${job.id}: ${damage}.`,
      mend: () => expireDamaged(jobs, job, damage, jobs.now()).then(() => REMOVED),
    })
  const interests = await checkInterests(jobs, job, tell)
  try {
    await readEndFile(jobs, job.id, job.attempt)
  } catch (error) {
    await tellDamage((error as Error).message)
    return interests + 2
  }
  if (job.end?.state !== 'succeeded') return interests + (job.end === null ? 1 : 2)
  const files = filesOf(job)
  for (const { path, stored } of files) {
    const found = await hashOf(jobs.storage, path)
    if (found === stored.sha256) continue
    // Expiry, or another attempt, may have come between.
    const now = await jobs.read(job.id)
    if (now?.attempt !== job.attempt || now.end?.state !== 'succeeded') break
    await tellDamage(`${basename(path)} ${found === null ? 'is missing' : 'is not what was written'}`)
    break
  }
  return interests + 2 + files.length
}

/** Checks the interests of a job, which are the names of empty files. */
async function checkInterests(jobs: Jobs, { id }: Job, tell: Tell): Promise<number> {
  const names = await jobs.storage.names(jobPath(id, 'by'))
  for (const name of names) {
    const path = jobPath(id, 'by', name)
    if (interestOf(name) !== null && (await sizeOf(jobs.storage, path)) === 0) continue
    const mend = () => jobs.storage.remove(path).then(() => 'That file is removed.')
    await tell({ sentence: `Job ${id}: by/${name} is not what was written.`, mend })
  }
  return names.length
}

/** Returns the size of a file; 0 where it is gone. */
async function sizeOf(storage: Storage, path: string): Promise<number> {
  const file = await storage.open(path).catch(() => null)
  if (file === null) return 0
  return file
    .stat()
    .then(
      ({ size }) => size,
      () => 0,
    )
    .finally(() => file.close())
}

/** Returns the SHA-256 of a file, '' for one that cannot be read; null if it does not exist. */
export async function hashOf(storage: Storage, path: string): Promise<string | null> {
  try {
    const file = await storage.open(path, { start: 0, end: await sizeOf(storage, path) })
    return await hashOpenFile(file).finally(() => file.close())
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    if (isCode(error, 'EIO')) return ''
    throw error
  }
}
