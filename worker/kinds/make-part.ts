import { formatOf } from '../../engine/formats/formats.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import {
  isPartThere,
  keptPath,
  newPartPath,
  partsThere,
  plainPath,
  publishPart,
} from '../../engine/jobs/record/job-parts.ts'
import type { JobPart } from '../../engine/jobs/record/job-paths.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { openPart, type PartFile } from '../../engine/run/parts/part-file.ts'
import type { RunProgress } from '../../engine/run/run-export.ts'
import { forEach } from '../../engine/storage/concurrency/side-by-side.ts'
import type { BlockFile } from '../../engine/storage/files/block-file.ts'
import type { Storage } from '../../engine/storage/storage.ts'
import { progressOfParts, progressOfWhole } from '../queue/progress.ts'
import { type BlocksOf, blocksOf } from './blocks-of.ts'
import type { JobContext } from './job-context.ts'
import type { Try } from './try.ts'

/** A try at a job, or at a part of it. */
export type JobTry = Try & { job: Job }

/**
 * Computes one part of a job, writes it and creates its marker, unless the marker exists; then wakes the job if this
 * was the last part.
 *
 * @throws as `runPart`; a system's error if writing fails. Nothing is left behind then
 */
export async function makePart(
  part: JobPart,
  snapshot: Snapshot,
  { job, startedAt, signal, onProgress }: JobTry,
  context: JobContext,
): Promise<'part made' | 'superseded'> {
  const { jobs, pool, queue, log } = context
  if (!(await isPartThere(jobs, job, part))) {
    const path = newPartPath(job)
    const options = {
      snapshot,
      pool,
      signal,
      onProgress: (done: RunProgress) => onProgress(progressOfWhole(done, new Date())),
    }
    const kept = keptPath(path)
    const hasPlain = jobs.storage.copies && formatOf(job.plan).hasGzip
    await writePart(jobs.storage, path, hasPlain, (context.blocksOf ?? blocksOf)(job.plan, options, part), pool.giveWay)
    const { samples, rows, bytes, indexSha256 } = await readBack(jobs.storage, kept)
    await publishPart(jobs, job, part, kept, { samples, rows, bytes, indexSha256, hasPlain })
    const now = await jobs.read(job.id)
    if (now?.attempt !== job.attempt || now.end !== null) return 'superseded'
  }
  const there = await partsThere(jobs, job, part.of)
  const about = { samplesTotal: job.samplesTotal, startedAt: startedAt.toISOString(), of: part.of }
  try {
    await queue.noteParts(job.id, job.attempt, progressOfParts(about, there))
    if (there.size === part.of) await queue.wake(job.id, job.attempt)
  } catch (error) {
    // The job looks for its parts every few seconds.
    log.debug({ err: error }, 'the job of a part was not woken')
  }
  return 'part made'
}

/**
 * Opens a part that was just written.
 *
 * @throws EIO, a transient fault, if it cannot be read as it was written; the file is then removed
 */
async function readBack(storage: Storage, path: string): Promise<PartFile> {
  try {
    return await openPart(path, storage.open)
  } catch (cause) {
    await storage.remove(path)
    if (!(cause instanceof ServiceError)) throw cause
    throw Object.assign(new Error('a part is not read as it was written', { cause }), { code: 'EIO' })
  }
}

/**
 * Writes a part's bytes to a new, synced file under its final name and, if requested, to a second one with the bytes
 * decompressed. If that fails, neither is left behind.
 */
async function writePart(
  storage: Storage,
  path: string,
  hasPlain: boolean,
  blocks: ReturnType<BlocksOf>,
  giveWay: () => Promise<void>,
): Promise<void> {
  const paths = hasPlain ? [path, plainPath(path)] : [path]
  const files: BlockFile[] = []
  try {
    for (const each of paths) files.push(await storage.newFile(each, keptPath(each)))
    const [file, inflated] = files
    for await (const { bytes, plain } of blocks) {
      await file.write(bytes)
      if (plain) await inflated?.write(plain)
      await giveWay()
    }
    for (const each of files) await each.finish()
    // For a store, the remaining bytes of both are sent now.
    await forEach(paths, paths.length, (each) => storage.rename(each, keptPath(each)))
  } catch (error) {
    await Promise.allSettled(files.map((file) => file.abandon()))
    for (const each of paths) for (const name of [each, keptPath(each)]) await storage.remove(name)
    throw error
  }
}
