import type { Jobs } from './open-jobs.ts'
import { readEndFile } from './record/read-job.ts'

/** Returns whether an attempt at a job succeeded, or failed, as somebody says; null while it has not ended. */
export async function endedAs(
  jobs: Jobs,
  { id, attempt, state }: { id: string; attempt: number; state: 'succeeded' | 'failed' },
): Promise<boolean | null> {
  const job = await jobs.read(id)
  if (job === null) return false
  if (job.attempt === attempt && job.end === null) return null
  const end = job.attempt === attempt ? job.end : await readEndFile(jobs, id, attempt).catch(() => null)
  // Nobody knows any more how an attempt before the last one ended: rather told than not.
  if (end === null) return true
  return end.state === state || (state === 'succeeded' && end.state === 'expired')
}
