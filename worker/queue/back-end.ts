import { join } from 'node:path'
import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  type QueueBaseOptions,
  type RedisQueueBackend,
} from 'bullmq'
import { startEmbeddedQueue } from './embedded.ts'
import { openPostgres } from './postgres.ts'

/** BullMQ options with which a Queue and a Worker reach the same back end. */
type BackEnd = {
  connection: QueueBaseOptions['connection']
  factory: BackendFactory<RedisQueueBackend>
  close: () => Promise<void>
}

/** Opens the back end that `queueUrl` names. @throws ServiceError busy if another process holds the embedded queue */
export async function chooseBackEnd(
  queueUrl: string,
  dataDir: string,
  onError: (error: Error) => void,
): Promise<BackEnd> {
  if (isRedis(queueUrl)) {
    // Commands wait for an unavailable server, and producers time out here: BullMQ's own fail-fast mode does not
    // recover from a connection that breaks at a bad time.
    let closed = false
    const retryStrategy = (times: number) => (closed ? null : Math.min(100 * 2 ** times, 1000))
    const connection = { url: queueUrl, maxRetriesPerRequest: null, retryStrategy, keepAlive: 10_000 }
    return {
      connection,
      factory: createRedisBackend,
      close: async () => {
        closed = true
      },
    }
  }
  const { pool, close } =
    queueUrl === '' ? await startEmbeddedQueue(join(dataDir, 'queue'), onError) : openPostgres(queueUrl, onError)
  return {
    // BullMQ types its queues by back end, with Redis as default; no code here depends on it.
    connection: pool as unknown as BackEnd['connection'],
    factory: createPostgresBackend as unknown as BackEnd['factory'],
    close,
  }
}

export function isRedis(queueUrl: string): boolean {
  return /^rediss?:/.test(queueUrl)
}
