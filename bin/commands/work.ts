import type { Config } from '../../engine/model/settings.ts'
import { startWorker } from '../../worker/worker.ts'
import { startBackground } from '../shared/background.ts'
import { needQueueUrl, openHouse, untilStopped } from '../shared/open-parts.ts'
import { endAfterGrace } from '../terminal/end-process.ts'

/** Runs `gazette work`: runs jobs, until it is stopped. */
export async function work(config: Config): Promise<void> {
  needQueueUrl(config, 'work')
  const stopped = untilStopped()
  const house = await openHouse(config)
  try {
    const background = startBackground(house)
    const worker = await startWorker(house)
    console.log('waiting for jobs')
    await stopped
    endAfterGrace(config.shutdownGraceMs)
    await background.close()
    await worker.close(config.shutdownGraceMs)
  } finally {
    await house.close()
  }
}
