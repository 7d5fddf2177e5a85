import { type ImportJob, readImport } from '../engine/intake/import-job.ts'
import { interestedIn } from '../engine/jobs/interest.ts'
import type { Jobs } from '../engine/jobs/open-jobs.ts'
import type { Job } from '../engine/jobs/record/job.ts'
import type { Log } from './job-context.ts'
import { factsOf, IMPORT_ATTEMPT, importFactsOf, type JobQueue } from './queue.ts'

/**
 * Puts jobs without an end that the queue does not know back into it, in the order given. A queue that is away is left
 * for later.
 */
export async function putBack(
  open: Job[],
  { jobs, queue, log }: { jobs: Jobs; queue: JobQueue; log: Log },
  stopping: AbortSignal,
): Promise<void> {
  if (open.length === 0) return
  /** Jobs that were put back in this pass, by token. */
  const lines = new Map<string, number>()
  try {
    const stateOf = await queue.lookUp()
    for (const { id, attempt } of open) {
      if (stopping.aborted) return
      if (stateOf(id, attempt) !== null) continue
      const state = await queue.state(id, attempt)
      if (state === 'waiting' || state === 'active') continue
      // It may have ended since the list was read; workers write the end before they tell the queue.
      const job = await jobs.read(id)
      if (job?.attempt !== attempt || job.end !== null) continue
      const interested = await interestedIn(jobs, job)
      const ahead = Math.min(...interested.map((tokenId) => lines.get(tokenId) ?? 0))
      await queue.add(id, attempt, ahead, factsOf(job, interested))
      for (const tokenId of interested) lines.set(tokenId, (lines.get(tokenId) ?? 0) + 1)
      log.info({ jobId: id, attempt }, 'put back into the queue')
    }
  } catch (error) {
    log.debug({ err: error }, 'the queue is away; jobs are put back later')
  }
}

/** The same for imports. */
export async function putBackImports(
  open: ImportJob[],
  { config: { dataDir }, queue, log }: { config: { dataDir: string }; queue: JobQueue; log: Log },
  stopping: AbortSignal,
): Promise<void> {
  if (open.length === 0) return
  try {
    const stateOf = await queue.lookUp()
    for (const job of open) {
      if (stopping.aborted) return
      if (stateOf(job.id, IMPORT_ATTEMPT) !== null) continue
      const state = await queue.state(job.id, IMPORT_ATTEMPT)
      if (state === 'waiting' || state === 'active') continue
      const now = await readImport(dataDir, job.id)
      if (now === null || now.end !== null) continue
      await queue.add(job.id, IMPORT_ATTEMPT, 0, importFactsOf(job))
      log.info({ importId: job.id }, 'put back into the queue')
    }
  } catch (error) {
    log.debug({ err: error }, 'the queue is away; imports are put back later')
  }
}
