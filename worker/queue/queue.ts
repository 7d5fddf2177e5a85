import { Queue, Worker } from 'bullmq'
import { instanceId } from '../../engine/storage/files/instance.ts'
import { addingTo, inParts } from './add-to-queue.ts'
import { asking } from './ask-queue.ts'
import { chooseBackEnd, isRedis } from './back-end.ts'
import { circuitBreaker, withTimeout } from './circuit-breaker.ts'
import type { JobQueue, WorkerOptions } from './job-queue.ts'
import { type Payload, REMEMBERED } from './payload.ts'
import { checkRedis } from './redis-check.ts'

/**
 * Connects to the queue of `queueUrl` (redis://, rediss://, postgres://), or starts the embedded one below `dataDir`
 * for ''. It connects to nothing else. An unavailable queue is not an error: connecting goes on in the background.
 *
 * @param dataDir absolute; only the embedded queue uses it, in one process at a time
 * @param instance the installation's id, if it is not that of the data directory
 * @param onError called with connection errors for which no caller waits
 * @param onWarning called with settings of the queue's server that may lose jobs
 * @throws ServiceError busy if another process holds the embedded queue
 */
export async function openQueue(given: {
  queueUrl: string
  dataDir: string
  instance?: string
  onError: (error: Error) => void
  onWarning?: (sentence: string) => void
}): Promise<JobQueue> {
  const { queueUrl, dataDir, instance, onError, onWarning = () => {} } = given
  const stopCheck = isRedis(queueUrl) ? checkRedis(queueUrl, onWarning) : () => {}
  const backEnd = await chooseBackEnd(queueUrl, dataDir, onError)
  const { connection, factory } = backEnd
  // Two installations may share one Redis, and must not see each other's jobs.
  const name = `gazette-${instance ?? (await instanceId(dataDir))}`
  const bull = new Queue(name, { connection, streams: { events: { maxLen: 1000 } } }, factory)
  bull.on('error', onError)
  // A replica answers what it is asked, and takes no job: so this writes, though there is no such key to remove.
  const probe = async () => void (await bull.removeDeduplicationKey('probe'))
  const ask = circuitBreaker(probe)
  let workersHere = 0
  const add = addingTo(bull, ask)
  return {
    bull,
    add: (jobId, attempt, ahead = 0, facts = undefined) => add({ jobId, attempt, ...facts }, ahead),
    ...inParts(bull, ask, add),
    ...asking(bull, ask, probe),
    // No other process can take jobs from the embedded queue.
    ...(queueUrl === '' ? { workers: async () => workersHere } : {}),
    takeJobs: (processor, options) => {
      const worker = new Worker<Payload, unknown>(name, processor, { connection, ...workerOptions(options) }, factory)
      workersHere++
      worker.on('error', onError).once('closed', () => workersHere--)
      return worker
    },
    close: async () => {
      ask.stop()
      stopCheck()
      // While the queue is unavailable, neither may finish by itself.
      await withTimeout(bull.close()).catch(() => undefined)
      await withTimeout(backEnd.close()).catch(onError)
    },
  }
}

function workerOptions({ concurrency, lockDurationMs, stalledIntervalMs }: WorkerOptions) {
  return {
    concurrency,
    lockDuration: lockDurationMs,
    stalledInterval: stalledIntervalMs,
    // The job itself counts its tries, since it outlives the queue's memory.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1000,
    ...REMEMBERED,
  }
}
