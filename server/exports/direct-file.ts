import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { filePath } from '../../engine/jobs/record/job-paths.ts'
import type { JobView } from '../schemas/job.ts'

type DirectFile = NonNullable<NonNullable<JobView['file']>['direct']>

/** Returns presigned URLs of a job's file at the store; null if they cannot be signed. */
export type SignFile = (job: Job) => Promise<DirectFile | null>

/** Returns a signer of presigned URLs with this lifetime in s; 0 disables it. */
export function signingFiles({ storage }: Jobs, seconds: number): SignFile {
  return async (job) => {
    const file = job.end?.state === 'succeeded' ? job.end.file : null
    if (seconds === 0 || file === null || file === undefined) return null
    const now = Date.now()
    const forSeconds = Math.min(seconds, Math.floor((Date.parse(job.end?.expiresAt ?? '') - now) / 1000))
    if (!(forSeconds > 0)) return null
    const sign = (kind: 'plain' | 'gzip', name: string) => storage.presign(filePath(job, kind), forSeconds, name)
    const href = await sign('plain', job.fileName)
    if (href === null) return null
    return {
      href,
      gzipHref: file.gzip && (await sign('gzip', `${job.fileName}.gz`)),
      expiresAt: new Date(now + forSeconds * 1000).toISOString(),
    }
  }
}
