import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { dropPart, type PartMarker, partsThere, plainPath, removePartsOf } from '../../engine/jobs/record/job-parts.ts'
import { jobPath } from '../../engine/jobs/record/job-paths.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { isPackage } from '../../engine/model/plan.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { openPart, type PartFile } from '../../engine/run/parts/part-file.ts'
import { fromParts } from '../../engine/run/parts/run-part.ts'
import type { RunProgress } from '../../engine/run/run-export.ts'
import { forEach } from '../../engine/storage/concurrency/side-by-side.ts'
import { isCode } from '../../engine/storage/files/durable.ts'
import type { Storage } from '../../engine/storage/storage.ts'
import { isQueueFault } from '../queue/circuit-breaker.ts'
import { progressOfComposing, progressOfParts } from '../queue/progress.ts'
import { blocksOf } from './blocks-of.ts'
import type { JobContext } from './job-context.ts'
import type { JobTry } from './make-part.ts'
import type { Outcome } from './try.ts'
import { writeAndPublish } from './write-export.ts'

const PART_SAMPLES = 4_000_000
const PARTS_MAX = 200
const OPENED_AT_ONCE = 16

/**
 * Returns the number of parts in which a job is computed; 1 if it is not split. A part has at least one file of
 * samples.
 */
export function partsOf(
  { plan, samplesTotal }: Pick<Job, 'plan' | 'samplesTotal'>,
  snapshot: Snapshot,
  splitSamples: number,
): number {
  if (isPackage(plan) || samplesTotal <= splitSamples) return 1
  const each = Math.min(PART_SAMPLES, splitSamples / 4)
  return Math.min(PARTS_MAX, Math.ceil(samplesTotal / each), Math.max(1, snapshot.manifest.sampleFiles.length))
}

/**
 * Queues the missing parts of a job; once all exist, composes and publishes its file. The disk alone decides which
 * parts exist, so it makes no difference whether a part was lost, failed or was made twice.
 *
 * @throws as `runExport`; a system's error if writing fails
 */
export async function composeParts(
  of: number,
  snapshot: Snapshot,
  { job, startedAt, signal, onProgress }: JobTry,
  context: JobContext,
): Promise<'succeeded' | 'superseded' | 'waits for parts' | 'part damaged'> {
  const { jobs, pool } = context
  const there = await partsThere(jobs, job, of)
  const about = { samplesTotal: job.samplesTotal, startedAt: startedAt.toISOString(), of }
  const progress = progressOfParts(about, there)
  if (there.size < of) return putIn(job, progress, context, 'waits for parts')
  const { parts, damaged } = await openParts(jobs, job, there)
  if (damaged.size === 0) {
    const composing = {
      ...fromParts(parts, { pool, snapshot }),
      signal,
      // Reads one part while writing the previous one.
      lookAhead: 2,
      onProgress: (done: RunProgress) => onProgress(progressOfComposing(done, progress)),
    }
    try {
      const blocks = (context.blocksOf ?? blocksOf)(job.plan, composing)
      const isPublished = await writeAndPublish(job, blocks, startedAt, context)
      await removePartsOf(jobs, job.id, job.attempt)
      return isPublished ? 'succeeded' : 'superseded'
    } catch (error) {
      if (damaged.size === 0) throw error
    }
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

/** Wakes a job that waits for its parts, if all exist. @throws ServiceError queue_away */
export async function wakeIfReady(
  { jobId, attempt }: { jobId: string; attempt: number },
  { jobs, studies, queue, splitSamples }: JobContext,
): Promise<void> {
  const job = await jobs.read(jobId)
  if (job?.attempt !== attempt || job.end !== null) return
  const of = partsOf(job, await studies.load(job.plan.studyId, job.plan.snapshotId), splitSamples)
  if ((await partsThere(jobs, job, of)).size === of) await queue.wake(jobId, attempt)
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
  const openOne = async (number: number, { file, indexSha256, hasPlain, bytes }: PartMarker) => {
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
  const file = await storage.open(path)
  try {
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}
