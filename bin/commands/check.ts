import { checkJobs } from '../../engine/jobs/check-jobs.ts'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { checkSnapshots } from '../../engine/snapshot/check-snapshots.ts'
import { count } from '../count.ts'

/**
 * Runs `gazette check`: checks every file of snapshots and jobs; with `--repair`, repairs what can safely be repaired,
 * and reports it.
 */
export async function check({ repair = false, config }: { repair?: boolean; config: Config }): Promise<void> {
  const { dataDir } = config
  let faults = 0
  let mended = 0
  // Nothing here can mend a snapshot: it is imported again.
  const snapshotFiles = await checkSnapshots(dataDir, (sentence) => {
    faults++
    console.log(sentence)
  })
  const jobFiles = await checkJobs(openJobs(dataDir), async ({ sentence, mend }) => {
    faults++
    console.log(repair ? `${sentence} ${await mend()}` : sentence)
    if (repair) mended++
  })
  console.error(`Checked ${snapshotFiles} files of snapshots and ${jobFiles} of jobs.`)
  const left = faults - mended
  if (left > 0)
    throw new ServiceError('corrupt', `${count(left, 'fault')} found: what is on disk is not what was written`)
}
