import { hashOpenFile } from '../store/hash-file.ts'
import { listJobs } from './list-jobs.ts'
import { openFile } from './open-file.ts'
import type { Jobs } from './open-jobs.ts'

/**
 * Re-hashes every published file against how its job ended.
 *
 * @param report told of each file that is missing or not what was published, in a sentence
 * @returns how many files were looked at
 */
export async function checkJobs(jobs: Jobs, report: (sentence: string) => void): Promise<number> {
  let checked = 0
  for (const job of await listJobs(jobs)) {
    const file = job.end?.state === 'succeeded' ? job.end.file : null
    if (!file) continue
    for (const [kind, sha256] of [
      ['csv', file.sha256],
      ['gzip', file.gzipSha256],
    ] as const) {
      if (sha256 === null) continue
      checked++
      const handle = await openFile(jobs, job, kind)
      if (handle === null) {
        // Expiry may have come between the list and the look.
        if ((await jobs.read(job.id))?.end?.state === 'succeeded') report(`job ${job.id}: its ${kind} file is missing`)
        continue
      }
      const found = await hashOpenFile(handle).finally(() => handle.close())
      if (found !== sha256) report(`job ${job.id}: its ${kind} file is not what was published`)
    }
  }
  return checked
}
