import { ServiceError } from '../model/errors.ts'
import type { Shard } from './shards.ts'

/**
 * Has shards computed, a bounded number at a time, and yields their results in order. A reader that stops early stops
 * the work.
 *
 * @param compute one of them; `stop` is not 0 once it is not wanted any more
 * @param drop frees results that will not be read
 * @param what is canceled, for the sentence
 * @throws what `compute` throws; ServiceError canceled when `signal` aborts
 */
export async function* computeInOrder<Result>({
  shards,
  compute,
  lookAhead,
  signal,
  what,
  drop = () => {},
}: {
  shards: Iterable<Shard>
  compute: (shard: Shard, stop: Int32Array) => Promise<Result>
  lookAhead: number
  signal: AbortSignal
  what: string
  drop?: (result: Result) => void
}): AsyncGenerator<{ shard: Shard; result: Result; stop: Int32Array }> {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const abort = () => Atomics.store(stop, 0, 1)
  signal.addEventListener('abort', abort)
  const under: { shard: Shard; result: Promise<Result> }[] = []
  try {
    for (const shard of shards) {
      const result = compute(shard, stop)
      // It is awaited below, in its turn; until then a failure must not count as unhandled.
      result.catch(() => {})
      under.push({ shard, result })
      if (under.length === lookAhead) yield await next()
    }
    while (under.length > 0) yield await next()
  } finally {
    abort()
    signal.removeEventListener('abort', abort)
    for (const ended of await Promise.allSettled(under.map(({ result }) => result)))
      if (ended.status === 'fulfilled') drop(ended.value)
  }

  /**
   * Returns the next result. It stays among those under way until it is handed on, so that it is dropped with them if
   * it is not.
   */
  async function next(): Promise<{ shard: Shard; result: Result; stop: Int32Array }> {
    const [{ shard, result }] = under
    const ended = await result
    if (signal.aborted) throw new ServiceError('canceled', `the ${what} was canceled`)
    under.shift()
    return { shard, result: ended, stop }
  }
}
