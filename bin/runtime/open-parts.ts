import { LRUCache } from 'lru-cache'
import { destination } from 'pino'
import { COMPARE_THREAD } from '../../engine/analysis/charts/comparisons-answer.ts'
import { CHART_THREAD } from '../../engine/analysis/charts/run-chart.ts'
import { duckDbLibrary } from '../../engine/duckdb/duckdb.ts'
import { loadFormats } from '../../engine/formats/load.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { secretsOf } from '../../engine/model/secrets.ts'
import type { Config } from '../../engine/model/settings.ts'
import { isDiskFull } from '../../engine/model/system-errors.ts'
import { createPool, type EnginePool } from '../../engine/run/pool/pool.ts'
import { studiesOfOtherFormats } from '../../engine/snapshot/check-snapshots.ts'
import { dataFormat, FORMAT_VERSION, markDataFormat } from '../../engine/storage/files/data-format.ts'
import { openHome } from '../../engine/study/bucket/open-home.ts'
import type { Home } from '../../engine/study/home.ts'
import { createLog } from '../../server/http/log.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { openQueue } from '../../worker/queue/queue.ts'
import { exitWhenIdle } from '../terminal/end-process.ts'

const EXIT_AFTER_MS = 500

/** The parts that server and worker of one process share. Close server, worker and sweep before. */
export type Services = Home & {
  config: Config
  log: ReturnType<typeof createLog>
  pool: EnginePool
  queue: JobQueue
}

/**
 * Opens the parts. Logs go to standard error, so that standard output is for people and scripts. A terminal gets only
 * warnings, since the lines of requests would scroll address and token away.
 */
export async function openServices(config: Config): Promise<Services> {
  const level = process.stderr.isTTY && config.logLevel === 'info' ? 'warn' : config.logLevel
  const log = createLog(level, destination(2), secretsOf(config.queueUrl))
  await tellOtherFormats(config.dataDir)
  const { instance, close: closeHome, ...home } = await openStored(config)
  const opening = openQueue({
    queueUrl: config.queueUrl,
    dataDir: config.dataDir,
    instance,
    onError: atMostOnceAMinute((err) => log.warn({ err }, 'queue')),
    onWarning: (sentence) => log.warn(sentence),
  }).catch(async (error) => {
    await closeHome()
    if (!isDiskFull(error)) throw error
    throw new ServiceError('disk_full', 'the disk of the data directory is full: free space, then start again')
  })
  // Preloaded: if the process later runs out of file descriptors, Node could never load it.
  const [queue] = await Promise.all([opening, loadFormats()])
  duckDbLibrary()
  const pool = createPool({
    threads: config.engineThreads,
    alsoLoad: [CHART_THREAD, COMPARE_THREAD],
    loadsFormats: true,
    // Nothing can be computed any more: a supervisor restarts the process, or the user sees the reason.
    onBroken: (error) => {
      console.error(`gazette: ${error.message.split('\n', 1)[0]}: install it again`)
      process.exit(1)
    },
  })
  return {
    config,
    log,
    ...home,
    pool,
    queue,
    close: async () => {
      await queue.close()
      await pool.close()
      await closeHome()
      // BullMQ waits for an unavailable queue with a timer that would keep the process alive, although all work is
      // done.
      exitWhenIdle(EXIT_AFTER_MS)
    },
  }
}

/** Logs studies in formats that this version does not read. The format of the directory itself was checked before. */
async function tellOtherFormats(dataDir: string): Promise<void> {
  if ((await dataFormat(dataDir)) === FORMAT_VERSION) return
  const sentences = await studiesOfOtherFormats(dataDir)
  for (const sentence of sentences) console.error(`gazette: ${sentence}`)
  if (sentences.length === 0) await markDataFormat(dataDir)
}

/** Throttles a log: each error at most once a minute, since an unavailable queue fails several times a second. */
function atMostOnceAMinute(tell: (error: Error) => void): (error: Error) => void {
  const told = new LRUCache<string, true>({ max: 100, ttl: 60_000 })
  return (error) => {
    const key = `${(error as NodeJS.ErrnoException).code} ${error.message}`
    if (told.has(key)) return
    told.set(key, true)
    tell(error)
  }
}

/** Opens the installation, and probes a bucket first for conditional writes. */
async function openStored(config: Config): Promise<Home & { instance?: string }> {
  const home = await openHome(config)
  if (home.objects === null) return home
  try {
    const { probeObjects } = await import('../../engine/storage/objects/probe.ts')
    const { storeInstance } = await import('../../engine/jobs/bucket/remote-jobs.ts')
    const { checkStoreFormat } = await import('../../engine/storage/objects/store-format.ts')
    await checkStoreFormat(home.objects)
    await probeObjects(home.objects, new Date())
    return { ...home, instance: await storeInstance(home.objects) }
  } catch (error) {
    await home.close()
    throw error
  }
}

/**
 * Refuses to run without QUEUE_URL: `serve` and `work` are two processes, so their queue cannot be embedded in one of
 * them.
 */
export function needQueueUrl(config: Config, command: string): void {
  if (config.queueUrl === '') {
    throw new ServiceError(
      'usage',
      `${command} needs QUEUE_URL, such as redis://127.0.0.1:6379; gazette start has an embedded queue`,
    )
  }
}

/**
 * Refuses to serve if only the `Host` of a request would decide the address at which people sign in and to which they
 * return.
 */
export function needPublicUrl({ publicUrl, trustProxy, oidc }: Config): void {
  if (publicUrl !== '' || (trustProxy === '' && oidc === null)) return
  const setting = oidc === null ? 'TRUST_PROXY' : 'OIDC_ISSUER'
  throw new ServiceError(
    'invalid_setting',
    `${setting} needs PUBLIC_URL, the address at which people reach this server, such as https://gazette.example.org`,
  )
}
