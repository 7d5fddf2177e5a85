import { endJob } from '../../engine/jobs/end-job.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { filesOfPart } from '../../engine/jobs/record/job-files.ts'
import { dropPart, type PartMarker, partsThere, plainPath, removePartsOf } from '../../engine/jobs/record/job-parts.ts'
import { jobPath } from '../../engine/jobs/record/job-paths.ts'
import type { FinishedPart, RunningJob } from '../../engine/jobs/record/state.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { filesAskedFor, isPackage } from '../../engine/model/plan.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { isCode } from '../../engine/model/system-errors.ts'
import { openPart, type PartFile } from '../../engine/run/parts/part-file.ts'
import { countParts, fromParts } from '../../engine/run/parts/run-part.ts'
import type { RunProgress } from '../../engine/run/run-export.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { forEach } from '../../engine/storage/concurrency/side-by-side.ts'
import type { Storage } from '../../engine/storage/storage.ts'
import { isQueueFault } from '../queue/circuit-breaker.ts'
import { progressOfComposing, progressOfParts } from '../queue/progress.ts'
import { blocksOf } from '../tries/blocks-of.ts'
import type { JobContext } from '../tries/job-context.ts'
import type { Outcome } from '../tries/try.ts'
import { type JobTry, remakeWithNotes } from './make-part.ts'
import { logSuccess, successOf, writeAndPublish } from './write-files.ts'

const OPENED_AT_ONCE = 16

/** Returns the number of parts in which a job is computed; null if it is not split. */
export function partCountOf(
  { plan, samplesTotal }: Pick<Job, 'plan' | 'samplesTotal'>,
  snapshot: Snapshot,
  splitSamples: number,
): number | null {
  const files = filesAskedFor(plan)
  if (files !== null) return files
  if (isPackage(plan) || samplesTotal <= splitSamples) return null
  const parts = countParts(samplesTotal, snapshot, splitSamples)
  return parts > 1 ? parts : null
}

/**
 * Queues the missing parts of a job; once all exist, composes its file of them, or publishes them as they are if they
 * are its files. The disk alone decides which parts exist, so it makes no difference whether a part was lost, failed or
 * was made twice.
 *
 * @throws as `runExport`; a system's error if writing fails
 */
export async function joinParts(
  of: number,
  snapshot: Snapshot,
  jobTry: JobTry,
  context: JobContext,
): Promise<'succeeded' | 'superseded' | 'waits for parts' | 'part damaged'> {
  const { job, startedAt } = jobTry
  const { jobs } = context
  const there = await partsThere(jobs, job, of)
  const areFiles = filesAskedFor(job.plan) !== null
  const about = { samplesTotal: job.samplesTotal, startedAt: startedAt.toISOString(), of, areFiles }
  const progress = progressOfParts(about, there)
  if (there.size < of) return putIn(job, progress, context, 'waits for parts')
  const { isPublished, damaged } = areFiles
    ? await publishAll(there, snapshot, jobTry, context)
    : await compose(there, progress, snapshot, jobTry, context)
  if (damaged.size === 0) {
    await removeUnpublished(jobs, job.id, job.attempt)
    return isPublished ? 'succeeded' : 'superseded'
  }
  // The worker that published the file has removed them.
  if ((await jobs.read(job.id))?.end !== null) return 'superseded'
  for (const number of damaged) {
    context.log.warn(
      { jobId: job.id, attempt: job.attempt, part: number, of },
      'a part is damaged and is computed again',
    )
    await dropPart(jobs, job, { number, of })
  }
  return putIn(job, progressOfParts(about, await partsThere(jobs, job, of)), context, 'part damaged')
}

/** Removes the parts of an attempt that has ended, but those that are files of its job. Others may need the disk. */
export async function removeUnpublished(jobs: Jobs, id: string, attempt: number): Promise<void> {
  const job = await jobs.read(id)
  if (job !== null && (job.attempt > attempt || job.end !== null)) await removePartsOf(jobs, job, attempt)
}

/** `damaged`: numbers of the parts of which the bytes are not those that were written. */
type Joined = { isPublished: boolean; damaged: Set<number> }

/** Composes the file of a job of its parts, and publishes it. */
async function compose(
  there: Map<number, PartMarker>,
  progress: RunningJob,
  snapshot: Snapshot,
  { job, startedAt, signal, onProgress }: JobTry,
  context: JobContext,
): Promise<Joined> {
  const { parts, damaged } = await openParts(context.jobs, job, there)
  if (damaged.size > 0) return { isPublished: false, damaged }
  const composing = {
    ...fromParts(parts, { pool: context.pool, snapshot }),
    signal,
    // Reads one part while writing the previous one.
    lookAhead: 2,
    onProgress: (done: RunProgress) => onProgress(progressOfComposing(done, progress)),
  }
  try {
    const blocks = (context.blocksOf ?? blocksOf)(job.plan, composing)
    return { isPublished: await writeAndPublish(job, blocks, startedAt, context), damaged }
  } catch (error) {
    if (damaged.size === 0) throw error
    return { isPublished: false, damaged }
  }
}

/**
 * Publishes the parts of a job as its files. Their bytes are compared with their checksums when they are sent; here,
 * only their lengths. A part that is the first with rows, but does not know it, is computed again with the notes.
 */
async function publishAll(
  there: Map<number, PartMarker>,
  snapshot: Snapshot,
  jobTry: JobTry,
  context: JobContext,
): Promise<Joined> {
  const { job, startedAt } = jobTry
  const { jobs, ttlMs, log } = context
  const damaged = new Set<number>()
  const parts: FinishedPart[] = []
  let hasRows = false
  for (const [number, marker] of [...there].sort(([a], [b]) => a - b)) {
    const needsNotes = !hasRows && marker.rows > 0 && marker.part !== undefined && !marker.hasNotes
    const { part } = needsNotes ? await remakeWithNotes({ number, of: there.size }, snapshot, jobTry, context) : marker
    hasRows ||= marker.rows > 0
    if (part === undefined) damaged.add(number)
    else parts.push(part)
  }
  await forEach(parts.entries(), OPENED_AT_ONCE, async ([i, part]) => {
    for (const { path, stored } of filesOfPart(job, part)) {
      const bytes = await sizeOf(jobs.storage, path).catch(noneIfLost)
      if (bytes !== stored.bytes) damaged.add(i + 1)
    }
  })
  if (damaged.size > 0) return { isPublished: false, damaged }
  const end = successOf({ parts }, startedAt, ttlMs)
  const isPublished = await endJob(jobs, job.id, job.attempt, end)
  if (isPublished) logSuccess(job, end, log)
  return { isPublished, damaged }
}

function noneIfLost(error: unknown): null {
  if (isCode(error, 'ENOENT', 'EIO')) return null
  throw error
}

/** Wakes a job that waits for its parts, if all exist. @throws ServiceError queue_away */
export async function wakeIfReady(
  { jobId, attempt }: { jobId: string; attempt: number },
  { jobs, studies, queue, splitSamples }: JobContext,
): Promise<void> {
  const job = await jobs.read(jobId)
  if (job?.attempt !== attempt || job.end !== null) return
  const of = partCountOf(job, await studies.load(job.plan.studyId, job.plan.snapshotId), splitSamples)
  if (of !== null && (await partsThere(jobs, job, of)).size === of) await queue.wake(jobId, attempt)
}

/** Queues the missing parts. If the queue is unavailable, only a retry is scheduled. */
async function putIn<O extends Outcome>(job: Job, progress: RunningJob, { queue }: JobContext, outcome: O): Promise<O> {
  try {
    await queue.noteParts(job.id, job.attempt, progress)
    await queue.addParts(job, progress)
  } catch (error) {
    if (!isQueueFault(error)) throw error
  }
  return outcome
}

/**
 * Opens the existing parts. `damaged` collects the numbers of those that turn out to be damaged, now or while they are
 * read.
 */
async function openParts(
  { storage }: Jobs,
  { id }: Job,
  there: Map<number, PartMarker>,
): Promise<{ parts: PartFile[]; damaged: Set<number> }> {
  const damaged = new Set<number>()
  const openOne = async (number: number, { shards, bytes }: PartMarker) => {
    if (shards === undefined) {
      damaged.add(number)
      return null
    }
    const { file, indexSha256, hasPlain } = shards
    const noting = (error: unknown): never => {
      if (error instanceof ServiceError || isCode(error, 'ENOENT', 'EIO')) damaged.add(number)
      throw error
    }
    const path = jobPath(id, file)
    const plain = hasPlain ? plainPath(path) : undefined
    try {
      const part = await openPart(path, storage.open, plain).catch(noting)
      const isWhole = plain === undefined || (await sizeOf(storage, plain).catch(noting)) === bytes
      if (part.indexSha256 !== indexSha256 || !isWhole) damaged.add(number)
      return { ...part, read: (first: number) => part.read(first).catch(noting) }
    } catch (error) {
      if (damaged.has(number)) return null
      throw error
    }
  }
  const parts: PartFile[] = []
  await forEach(there, OPENED_AT_ONCE, async ([number, marker]) => {
    const part = await openOne(number, marker)
    if (part !== null) parts.push(part)
  })
  return { parts, damaged }
}

async function sizeOf(storage: Storage, path: string): Promise<number> {
  return closing(await storage.open(path), async (file) => {
    return (await file.stat()).size
  })
}
