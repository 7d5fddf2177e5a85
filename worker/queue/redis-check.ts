import { Redis } from 'ioredis'

const RETRY_MS = 2000

/**
 * Returns the settings of a Redis that may lose jobs, each as a sentence that names the setting. The sweep would queue
 * the jobs again, but operators should know.
 *
 * @param info output of INFO
 */
function weakSettings(info: string): string[] {
  const said = new Map(info.split('\r\n').map((line) => line.split(':', 2) as [string, string]))
  const policy = said.get('maxmemory_policy') ?? 'noeviction'
  const sentences: string[] = []
  if (policy !== 'noeviction')
    sentences.push(`Redis may evict jobs when its memory is full: set maxmemory-policy to noeviction, it is ${policy}`)
  if (said.get('aof_enabled') === '0')
    sentences.push('Redis forgets its latest jobs when it is restarted: set appendonly to yes')
  return sentences
}

/**
 * Reports weak settings to `onWarning` once the server can be reached. Returns the function that stops waiting for it.
 */
export function checkRedis(url: string, onWarning: (sentence: string) => void): () => void {
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => RETRY_MS })
  // Other code reports that the queue is unavailable.
  client.on('error', () => undefined)
  client
    .info()
    .then((info) => {
      for (const sentence of weakSettings(info)) onWarning(sentence)
    })
    .catch(() => undefined)
    .finally(() => client.disconnect())
  return () => client.disconnect()
}
