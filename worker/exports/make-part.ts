import { basename } from 'node:path'
import { formatOf } from '../../engine/formats/formats.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { partPath } from '../../engine/jobs/record/job-files.ts'
import {
  isPartThere,
  keptPath,
  type NewMarker,
  newPartPath,
  partsThere,
  plainPath,
  publishPart,
  replacePart,
} from '../../engine/jobs/record/job-parts.ts'
import { type AttemptPart, newPartFiles } from '../../engine/jobs/record/job-paths.ts'
import type { FinishedPart } from '../../engine/jobs/record/state.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { filesAskedFor, type Plan } from '../../engine/model/plan.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { selectPlanned } from '../../engine/run/estimate.ts'
import { openPart, type PartFile } from '../../engine/run/parts/part-file.ts'
import { testsOfPart } from '../../engine/run/parts/run-part.ts'
import type { RunProgress } from '../../engine/run/run-export.ts'
import { loadRows } from '../../engine/snapshot/rows/read-rows.ts'
import type { Selection } from '../../engine/snapshot/selection.ts'
import { forEach } from '../../engine/storage/concurrency/side-by-side.ts'
import type { BlockFile } from '../../engine/storage/files/block-file.ts'
import type { Storage } from '../../engine/storage/storage.ts'
import { progressOfParts, progressOfWhole } from '../queue/progress.ts'
import { type BlocksOf, blocksOf } from '../tries/blocks-of.ts'
import type { JobContext } from '../tries/job-context.ts'
import type { Try } from '../tries/try.ts'
import { writeFiles } from './write-files.ts'

/** A try at a job, or at a part of it. */
export type JobTry = Try & { job: Job }

/**
 * Computes one part of a job, writes it and creates its marker, unless the marker exists; then wakes the job if this
 * was the last part.
 *
 * @throws as `runPart`; a system's error if writing fails. Nothing is left behind then
 */
export async function makePart(
  part: AttemptPart,
  snapshot: Snapshot,
  { job, startedAt, signal, onProgress }: JobTry,
  context: JobContext,
): Promise<'part made' | 'superseded'> {
  const { jobs, pool, queue, log } = context
  const areFiles = filesAskedFor(job.plan) !== null
  if (!(await isPartThere(jobs, job, part))) {
    const options = {
      snapshot,
      pool,
      signal,
      onProgress: (done: RunProgress) => onProgress(progressOfWhole(done, new Date())),
    }
    const made = areFiles
      ? await writeFileOfPart(job, part, part.number === 1, options, context)
      : await writeShards(job, part, options, context)
    await publishPart(jobs, job, part, made)
    const now = await jobs.read(job.id)
    if (now?.attempt !== job.attempt || now.end !== null) return 'superseded'
  }
  const there = await partsThere(jobs, job, part.of)
  const about = { samplesTotal: job.samplesTotal, startedAt: startedAt.toISOString(), of: part.of, areFiles }
  try {
    await queue.noteParts(job.id, job.attempt, progressOfParts(about, there))
    if (there.size === part.of) await queue.wake(job.id, job.attempt)
  } catch (error) {
    // The job looks for its parts every few seconds.
    log.debug({ err: error }, 'the job of a part was not woken')
  }
  return 'part made'
}

/** Options of a run, whichever bytes are computed. */
type RunParts = Parameters<BlocksOf>[1]

/** Writes a part that is to be composed. */
async function writeShards(
  job: Job,
  part: AttemptPart,
  options: RunParts,
  { jobs, pool, ...context }: JobContext,
): Promise<NewMarker> {
  const path = newPartPath(job)
  const hasPlain = jobs.storage.copies && formatOf(job.plan).hasGzip
  await writePart(jobs.storage, path, hasPlain, (context.blocksOf ?? blocksOf)(job.plan, options, part), pool.giveWay)
  const { samples, rows, bytes, indexSha256 } = await readBack(jobs.storage, keptPath(path))
  return { samples, rows, bytes, shards: { file: basename(keptPath(path)), indexSha256, hasPlain } }
}

/** Writes a part that is a file of its job, with its gzip version. */
async function writeFileOfPart(
  job: Job,
  part: AttemptPart,
  hasNotes: boolean,
  options: RunParts,
  { jobs, pool, ...context }: JobContext,
): Promise<NewMarker & { part: FinishedPart }> {
  const { snapshot, signal } = options
  const plan = job.plan as Plan
  const selection = testsOfPart(await selectPlanned(plan, snapshot, signal), part)
  const parts = newPartFiles(job.id, job.attempt)
  const name = basename(parts.plain, '.part')
  const targets = { plain: partPath(job, name, 'plain'), gzip: partPath(job, name, 'gzip') }
  const { hasGzip } = formatOf(plan)
  const blocks = (context.blocksOf ?? blocksOf)(plan, { ...options, only: { selection, hasNotes } })
  const file = await writeFiles(blocks, { storage: jobs.storage, parts, targets }, { hasGzip, giveWay: pool.giveWay })
  try {
    const tests = { count: selection.n, ...(await endsOf(snapshot, selection)) }
    await jobs.storage.rename(parts.plain, targets.plain)
    if (hasGzip) await jobs.storage.rename(parts.gzip, targets.gzip)
    const { samples, rows, plain } = file
    return { samples, rows, bytes: plain.bytes, hasNotes, part: { ...file, name, tests } }
  } catch (error) {
    for (const path of [...Object.values(parts), ...Object.values(targets)]) await jobs.storage.remove(path)
    throw error
  }
}

/** Names the first and the last test of a part; null if it has none. */
async function endsOf(snapshot: Snapshot, { n, testRows, participantRows, itemIndexes }: Selection) {
  const ends = n === 0 ? [] : [0, n - 1]
  const people = Int32Array.from(ends, (i) => participantRows[i])
  const { participantAt } = await loadRows(
    snapshot,
    Int32Array.from(ends, (i) => testRows[i]),
    people,
  )
  const [first = null, last = null] = ends.map((i) => ({
    itemId: snapshot.study.items[itemIndexes[i]].id,
    participantId: participantAt(participantRows[i]).id,
  }))
  return { first, last }
}

/**
 * Computes a part again which is the first with rows, since all before it have none, so that its first row has the
 * notes.
 */
export async function remakeWithNotes(
  part: AttemptPart,
  snapshot: Snapshot,
  { job, signal }: JobTry,
  context: JobContext,
): Promise<{ part: FinishedPart }> {
  const made = await writeFileOfPart(job, part, true, { snapshot, pool: context.pool, signal }, context)
  await replacePart(context.jobs, job, part, made)
  return made
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
