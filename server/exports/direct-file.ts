import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import type { FileKind } from '../../engine/jobs/record/state.ts'
import type { JobView } from '../schemas/job.ts'
import type { PublishedFile } from './published.ts'

type DirectFile = NonNullable<NonNullable<JobView['file']>['direct']>

/** Returns presigned URLs of a file of a job at the store, as a field of its view; none if they cannot be signed. */
export type SignFile = (job: Job, file: PublishedFile) => Promise<{ direct?: DirectFile }>

export const UNSIGNED: SignFile = async () => ({})

/** Returns a signer of presigned URLs with this lifetime in s; 0 disables it. */
export function signingFiles({ storage }: Jobs, seconds: number): SignFile {
  return async ({ end }, { fileName, files }) => {
    if (seconds === 0) return {}
    const now = Date.now()
    const forSeconds = Math.min(seconds, Math.floor((Date.parse(end?.expiresAt ?? '') - now) / 1000))
    if (!(forSeconds > 0)) return {}
    const sign = async (kind: FileKind, name: string) => {
      const file = files.find((each) => each.kind === kind)
      return file ? storage.presign(file.path, forSeconds, name) : null
    }
    const href = await sign('plain', fileName)
    if (href === null) return {}
    const gzipHref = await sign('gzip', `${fileName}.gz`)
    return { direct: { href, gzipHref, expiresAt: new Date(now + forSeconds * 1000).toISOString() } }
  }
}
