import type { Config } from '../engine/config.ts'
import { ServiceError } from '../engine/errors.ts'
import { checkJobs } from '../engine/jobs/check-jobs.ts'
import { openJobs } from '../engine/jobs/open-jobs.ts'
import { checkSnapshots } from '../engine/store/check.ts'

/** `gazette check`: re-hashes snapshots and published files. */
export async function check({ dataDir }: Config): Promise<void> {
  let faults = 0
  const report = (sentence: string) => {
    faults++
    console.log(sentence)
  }
  const snapshotFiles = await checkSnapshots(dataDir, report)
  const exportFiles = await checkJobs(openJobs(dataDir), report)
  console.error(`Checked ${snapshotFiles} files of snapshots and ${exportFiles} of exports.`)
  if (faults > 0)
    throw new ServiceError(
      'corrupt',
      `${faults} ${faults === 1 ? 'file is' : 'files are'} not what they were published as`,
    )
}
