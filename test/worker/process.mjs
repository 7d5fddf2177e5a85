// A worker process as `gazette work` or `gazette start` runs one, for tests that kill it: data directory, queue URL.

import { readConfig } from '../../dist/engine/model/settings.js'
import { createPool } from '../../dist/engine/run/pool/pool.js'
import { directoryHome } from '../../dist/engine/study/home.js'
import { openQueue } from '../../dist/worker/queue/queue.js'
import { startSweep } from '../../dist/worker/sweep.js'
import { startWorker } from '../../dist/worker/worker.js'

const [dataDir, queueUrl] = process.argv.slice(2)
const print = (level) => (about, words) => console.error(level, words ?? '', about)
const log = { debug: () => undefined, info: print('info'), warn: print('warn'), error: print('error') }
const { SPLIT_SAMPLES, JOB_DEATHS_MAX } = process.env
const config = readConfig({
  DATA_DIR: dataDir,
  EXPORT_TTL_HOURS: '1',
  EXPORTS_MAX_GIB: '1',
  SPLIT_SAMPLES,
  JOB_DEATHS_MAX,
})
const queue = await openQueue({ queueUrl, dataDir, onError: (error) => log.warn(error) })
const pool = createPool({ threads: 1 })
const service = { config, queue, pool, ...directoryHome(dataDir), log }
startSweep(service)
const worker = await startWorker(service)
console.log('ready')
process.once('SIGTERM', async () => {
  await worker.close(0)
  await queue.close()
  console.log('handed back')
  process.exit()
})
