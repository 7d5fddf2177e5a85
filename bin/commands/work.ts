import type { Config } from '../../engine/model/settings.ts'
import { startCompaction } from '../../worker/compaction.ts'
import { startSweep } from '../../worker/sweep.ts'
import { startDeliveries } from '../../worker/webhooks/deliver.ts'
import { startWorker } from '../../worker/worker.ts'
import { needQueueUrl, openHouse, untilStopped } from '../shared/open-parts.ts'
import { endAfterGrace } from '../terminal/end-process.ts'

/** Runs `gazette work`: runs jobs, until it is stopped. */
export async function work(config: Config): Promise<void> {
  needQueueUrl(config, 'work')
  const stopped = untilStopped()
  const house = await openHouse(config)
  try {
    const sweep = startSweep(house)
    // Of studies in a store nothing is merged, and no webhook is told.
    const besides = config.storeUrl === '' ? [startCompaction(house), startDeliveries(house)] : []
    const worker = await startWorker(house)
    console.log('waiting for jobs')
    await stopped
    endAfterGrace(config.shutdownGraceMs)
    await Promise.all([sweep, ...besides].map(({ close }) => close()))
    await worker.close(config.shutdownGraceMs)
  } finally {
    await house.close()
  }
}
