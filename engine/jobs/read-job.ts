import { LRUCache } from 'lru-cache'
import { TIME_GRAIN_MS } from '../store/file-state.ts'
import { changedAt, readJson } from '../store/optional-files.ts'
import type { Job } from './job.ts'
import { endPath, isJobId, jobPath, planPath } from './job-paths.ts'
import type { JobEnd } from './state.ts'

/** plan.json: what a job is, whichever attempt. One entry of `begun` (RFC 3339) for each attempt. */
export type PlanFile = Pick<Job, 'plan' | 'parameters' | 'samplesTotal' | 'fileName'> & { begun: string[] }

/** As many jobs as one process remembers as they were on disk. */
const SEEN_MAX = 20_000

/** Reads a job as it is on disk; null when there is none of that id. */
export async function readJob(root: string, id: string): Promise<Job | null> {
  if (!isJobId(id)) return null
  const file = await readJson<PlanFile>(planPath(root, id))
  if (file === null) return null
  const { begun, ...rest } = file
  const attempt = begun.length
  return {
    id,
    ...rest,
    createdAt: begun[attempt - 1],
    attempt,
    end: await readJson<JobEnd>(endPath(root, id, attempt)),
  }
}

/** Returns a reader for those who ask often: what lies unchanged on disk is read once. */
export function cachedJobReader(root: string): (id: string) => Promise<Job | null> {
  const seen = new LRUCache<string, { changedMs: number; job: Job }>({ max: SEEN_MAX })
  return async (id) => {
    if (!isJobId(id)) return null
    const lookedAtMs = Date.now()
    const changedMs = await changedAt(jobPath(root, id))
    const known = seen.get(id)
    if (known && known.changedMs === changedMs) return known.job
    seen.delete(id)
    const job = changedMs === null ? null : await readJob(root, id)
    // What has only just changed may change again unseen.
    if (job && changedMs !== null && lookedAtMs - changedMs > TIME_GRAIN_MS) seen.set(id, { changedMs, job })
    return job
  }
}
