import { createHash } from 'node:crypto'
import { formatOf } from '../../engine/formats/formats.ts'
import { publishFile } from '../../engine/jobs/end-job.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { filePath, newPartFiles, type PartFiles } from '../../engine/jobs/record/job-paths.ts'
import {
  type FinishedFile,
  type FinishedPart,
  type JobEnd,
  type StoredFile,
  totalsOf,
} from '../../engine/jobs/record/state.ts'
import type { Block, RunProgress } from '../../engine/run/run-export.ts'
import type { BlockFile } from '../../engine/storage/files/block-file.ts'
import { sumBlocks } from '../../engine/storage/files/block-sums.ts'
import type { Storage } from '../../engine/storage/storage.ts'
import type { JobContext, Log } from '../tries/job-context.ts'

/** Writes and publishes the file of a job. Returns whether this try ended the attempt. @throws as `writeFiles` */
export async function writeAndPublish(
  job: Job,
  blocks: AsyncGenerator<Block, RunProgress>,
  startedAt: Date,
  { jobs, pool, ttlMs, log }: Pick<JobContext, 'jobs' | 'pool' | 'ttlMs' | 'log'>,
): Promise<boolean> {
  const { id, attempt, plan } = job
  const parts = newPartFiles(id, attempt)
  const { hasGzip } = formatOf(plan)
  const targets = { plain: filePath(job, 'plain'), gzip: filePath(job, 'gzip') }
  const file = await writeFiles(blocks, { storage: jobs.storage, parts, targets }, { hasGzip, giveWay: pool.giveWay })
  const end = successOf({ file }, startedAt, ttlMs)
  if (!(await publishFile(jobs, job, parts, end))) return false
  logSuccess(job, end, log)
  return true
}

/** Returns the end of a job that has just succeeded. */
export function successOf(
  made: { file: FinishedFile } | { parts: FinishedPart[] },
  startedAt: Date,
  ttlMs: number,
): JobEnd {
  const finishedAt = new Date()
  return {
    state: 'succeeded',
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    expiresAt: new Date(finishedAt.getTime() + ttlMs).toISOString(),
    file: null,
    ...made,
    error: null,
  }
}

export function logSuccess({ id: jobId, attempt }: Job, end: JobEnd, log: Log): void {
  const ms = Date.parse(end.finishedAt) - Date.parse(end.startedAt ?? end.finishedAt)
  const { rows, samples, bytes } = totalsOf(end) ?? {}
  const made = { bytes, gzipBytes: end.file?.gzip?.bytes, parts: end.parts?.length, rows, samples }
  log.info({ jobId, attempt, ms, ...made }, 'job succeeded')
}

/**
 * Writes an export's blocks to two synced files (one if the format has no gzip version), and counts and hashes them. If
 * anything fails, neither file is left.
 *
 * @param targets final names of the files
 * @param giveWay called between two blocks: hashing and copying one takes this thread half a millisecond
 * @throws errors of the blocks; a system's error, such as ENOSPC, if writing fails
 */
export async function writeFiles(
  blocks: AsyncGenerator<Block, RunProgress>,
  { storage, parts, targets }: { storage: Storage; parts: PartFiles; targets: PartFiles },
  { hasGzip, giveWay }: { hasGzip: boolean; giveWay: () => Promise<void> },
): Promise<FinishedFile> {
  const files: FileWriter[] = []
  try {
    const plain = await openFile(storage, parts.plain, targets.plain)
    files.push(plain)
    const gzip = hasGzip ? await openFile(storage, parts.gzip, targets.gzip) : null
    if (gzip) files.push(gzip)
    let step = await blocks.next()
    for (; !step.done; step = await blocks.next()) {
      const { bytes, gzip: deflated, places } = step.value
      await plain.write(bytes, places?.bytes)
      await gzip?.write(deflated, places?.gzip)
      await giveWay()
    }
    const { rows, samplesDone: samples } = step.value
    const [stored, compressed] = await Promise.all([plain.finish(), gzip?.finish() ?? null])
    return { rows, samples, plain: stored, gzip: compressed }
  } catch (error) {
    await Promise.allSettled(files.map((file) => file.discard()))
    throw error
  } finally {
    // If writing failed, stop the computation.
    await blocks.return({ samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 }).catch(() => undefined)
  }
}

type FileWriter = {
  /** Resolves once the bytes are copied. */
  write: BlockFile['write']
  finish: () => Promise<StoredFile>
  discard: () => Promise<void>
}

async function openFile(storage: Storage, path: string, target: string): Promise<FileWriter> {
  const file = await storage.newFile(path, target)
  const hash = createHash('sha256')
  const sums = sumBlocks()
  let bytes = 0
  return {
    write: async (block, place) => {
      hash.update(block)
      sums.add(block)
      bytes += block.length
      await file.write(block, place)
    },
    finish: async () => {
      await file.finish()
      return { bytes, sha256: hash.digest('hex'), sums: sums.end() }
    },
    discard: async () => {
      await file.abandon().catch(() => undefined)
      await storage.remove(path)
    },
  }
}
