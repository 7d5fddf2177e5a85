import type { Config } from '../../engine/model/settings.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { startWorker } from '../../worker/worker.ts'
import { startBackground } from '../runtime/background.ts'
import { needOpenFiles } from '../runtime/open-files.ts'
import { needQueueUrl, openServices } from '../runtime/open-parts.ts'
import { endAfterGrace } from '../terminal/end-process.ts'
import { untilStopped } from '../terminal/until-stopped.ts'

/** Runs `gazette work`: runs jobs, until it is stopped. */
export async function work(config: Config): Promise<void> {
  needQueueUrl(config, 'work')
  needOpenFiles()
  const stopped = untilStopped(config)
  await closing(await openServices(config), async (services) => {
    const background = startBackground(services)
    const worker = await startWorker(services)
    console.log('waiting for jobs')
    await stopped
    endAfterGrace(config.shutdownGraceMs)
    await background.close()
    await worker.close(config.shutdownGraceMs)
  })
}
