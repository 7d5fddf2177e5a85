// A process that delivers webhooks as `gazette work` does, but tries again sooner, for tests and the bench that kill
// it: data directory.

import { readConfig } from '../../../dist/engine/model/settings.js'
import { directoryHome } from '../../../dist/engine/study/home.js'
import { startDeliveries } from '../../../dist/worker/webhooks/deliver.js'

const [dataDir] = process.argv.slice(2)
const config = readConfig({ DATA_DIR: dataDir, WEBHOOK_NETWORKS: '127.0.0.0/8' })
const print = (level) => (about, words) => console.error(level, words ?? '', about)
const log = { debug: () => undefined, info: print('info'), warn: print('warn'), error: print('error') }
const scheduleMs = [20, 40, 80, 160, 320, 640, 1280, 2560, 5120]
startDeliveries({ config, ...directoryHome(dataDir), log, scheduleMs, lookEveryMs: 200 })
console.log('ready')
