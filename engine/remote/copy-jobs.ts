import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory, syncFile } from '../files/durable.ts'
import { isThere, namesIn } from '../files/optional-files.ts'
import { interestOf } from '../jobs/interest.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import type { Job } from '../jobs/record/job.ts'
import { diskBelow } from '../jobs/record/job-disk.ts'
import { endPath, filePath, isJobId, jobPath, planPath } from '../jobs/record/job-paths.ts'
import { readEndFile, readPlanFile } from '../jobs/record/read-job.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'
import { RECEIVING, receiveFile } from './receive-files.ts'
import { type Copied, sendFile } from './send-files.ts'
import { JOBS_ROOT } from './versions.ts'

/**
 * Jobs in a store: `exports/<job id>/` and then `<attempt>.plan.json`, `<attempt>.end.json`, the files by the names
 * that they have on disk, and `by/<token id>.<attempt>`. The plan comes last, so a job with one is whole.
 */
const ROOT = `${JOBS_ROOT}/`

/** Returns the files of a job that are to be copied: only what has ended well has any. */
function filesOfJob(root: string, job: Job): { path: string; sha256: string }[] {
  const file = job.end?.state === 'succeeded' ? job.end.file : null
  if (!file) return []
  const plain = { path: filePath(root, job, 'plain'), sha256: file.plain.sha256 }
  return file.gzip ? [plain, { path: filePath(root, job, 'gzip'), sha256: file.gzip.sha256 }] : [plain]
}

/**
 * Copies the jobs of a data directory to a store: plans, ends, files, and who asked for them. One that expires
 * meanwhile is left out.
 *
 * @param tell a sentence about a job that is damaged, and so not copied
 * @returns how many were sent
 */
export async function sendJobs(
  dataDir: string,
  store: ObjectStore,
  copied: Copied,
  tell: (sentence: string) => void,
): Promise<number> {
  const jobs = openJobs(dataDir)
  const { root } = jobs
  const keys = new Set<string>()
  for await (const { key } of store.list(ROOT)) keys.add(key)
  let sent = 0
  for await (const { id, job, damage } of jobs.every()) {
    if (damage !== null) tell(`job ${id} is damaged, and not copied: ${damage}`)
    if (job === null || damage !== null) continue
    const at = `${ROOT}${id}/${job.attempt}`
    const isNew = !keys.has(`${at}.plan.json`)
    if (!isNew && (job.end === null || keys.has(`${at}.end.json`))) continue
    const keyOf = (path: string) => `${ROOT}${id}/${path.slice(jobPath(root, id).length + 1)}`
    try {
      for (const file of filesOfJob(root, job))
        await sendFile(store, { ...file, key: keyOf(file.path) }, keys.has(keyOf(file.path)), copied)
    } catch (error) {
      const now = await jobs.read(id)
      if (now?.attempt === job.attempt && now.end?.state === job.end?.state) throw error
      continue
    }
    if (job.end !== null) await store.put(`${at}.end.json`, await readFile(endPath(root, id, job.attempt)))
    for (const name of await namesIn(jobPath(root, id, 'by')))
      if (interestOf(name)?.attempt === job.attempt) await store.put(`${ROOT}${id}/by/${name}`, '')
    await store.put(`${at}.plan.json`, await readFile(planPath(root, id)))
    sent++
  }
  return sent
}

const PLAN_KEY = /^exports\/(x[0-9a-f]{64})\/(\d{1,9})\.plan\.json$/

/**
 * Copies the jobs of a store into a data directory; those that are there stay as they are.
 *
 * @returns how many were fetched
 */
export async function receiveJobs(dataDir: string, store: ObjectStore, copied: Copied): Promise<number> {
  const { root } = openJobs(dataDir)
  const keys: string[] = []
  for await (const { key } of store.list(ROOT)) keys.push(key)
  const newest = new Map<string, number>()
  for (const key of keys) {
    const [, id, attempt] = PLAN_KEY.exec(key) ?? []
    if (id !== undefined && isJobId(id)) newest.set(id, Math.max(newest.get(id) ?? 0, Number(attempt)))
  }
  let received = 0
  for (const [id, attempt] of newest) {
    if (await isThere(planPath(root, id))) continue
    const own = keys.filter((key) => key.startsWith(`${ROOT}${id}/`))
    await receiveJob(dataDir, store, { id, attempt, keys: own }, copied)
    received++
  }
  return received
}

async function receiveJob(
  dataDir: string,
  store: ObjectStore,
  { id, attempt, keys }: { id: string; attempt: number; keys: string[] },
  copied: Copied,
): Promise<void> {
  const aside = join(dataDir, RECEIVING, 'exports')
  const directory = join(aside, id)
  await rm(directory, { recursive: true, force: true })
  await mkdir(join(directory, 'by'), { recursive: true })
  const write = async (path: string, key: string) => {
    await writeFile(path, (await readObject(store, key)) ?? '')
    await syncFile(path)
  }
  await write(planPath(aside, id), `${ROOT}${id}/${attempt}.plan.json`)
  const endKey = `${ROOT}${id}/${attempt}.end.json`
  if (keys.includes(endKey)) await write(endPath(aside, id, attempt), endKey)
  const place = { root: aside, disk: diskBelow(aside) }
  const plan = await readPlanFile(place, id)
  const end = await readEndFile(place, id, attempt)
  if (plan === null) return
  const { createdBefore: _, ...rest } = plan
  for (const { path, sha256 } of filesOfJob(aside, { id, ...rest, end })) {
    const key = `${ROOT}${id}/${path.slice(directory.length + 1)}`
    await link(await receiveFile(store, { key, sha256 }, join(aside, 'files'), copied), path)
  }
  for (const key of keys) {
    const name = key.slice(`${ROOT}${id}/by/`.length)
    if (key.startsWith(`${ROOT}${id}/by/`) && interestOf(name)?.attempt === attempt)
      await writeFile(join(directory, 'by', name), '')
  }
  await syncDirectory(join(directory, 'by'))
  await syncDirectory(directory)
  const path = jobPath(join(dataDir, 'exports'), id)
  await mkdir(dirname(path), { recursive: true })
  await rename(directory, path)
  await syncDirectory(dirname(path))
}
