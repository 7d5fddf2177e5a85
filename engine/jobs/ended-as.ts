import type { Jobs } from './open-jobs.ts'
import { findJob, readEndFile } from './record/read-job.ts'
import { type JobEnd, outcomeOf } from './record/state.ts'

/**
 * Returns true if an attempt at a job ended in the given state, also if its end is no longer known; null while it has
 * not ended, or cannot be read.
 */
export async function endedAs(
  jobs: Jobs,
  { id, attempt, state }: { id: string; attempt: number; state: 'succeeded' | 'failed' },
): Promise<boolean | null> {
  const isSo = (end: JobEnd) => outcomeOf(end) === state
  const end = await readEndFile(jobs, id, attempt).catch(() => null)
  if (end !== null) return isSo(end)
  const { job, damage } = await findJob(jobs, id)
  // One bad read is no damage: a plan that lasts as damaged is removed in the end.
  if (job === null) return damage === null ? false : null
  // The end of an attempt before the last one is forgotten.
  if (job.attempt !== attempt) return true
  return job.end && (isSo(job.end) || damage !== null)
}
