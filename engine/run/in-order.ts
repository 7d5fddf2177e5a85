import { ServiceError } from '../model/errors.ts'
import type { Shard } from './shards/shards.ts'

/** A shard in order. `computed` settles with its result, which must be consumed before the next shard is requested. */
type InTurn<Result> = {
  shard: Shard
  stop: Int32Array
  computed: Promise<unknown>
  takeResult: () => Promise<Result>
}

/**
 * Computes a bounded number of shards concurrently, and yields them in order. If the reader stops early, the rest is
 * aborted.
 *
 * @param compute computes a shard; `stop` becomes nonzero when it is no longer needed
 * @param drop frees results that were not consumed
 * @param what subject of the error of a cancellation
 * @throws errors of `compute` when the result is consumed; ServiceError canceled if `signal` aborts
 */
export async function* computeInOrder<Result>(given: {
  shards: Iterable<Shard>
  compute: (shard: Shard, stop: Int32Array) => Promise<Result>
  lookAhead: number
  signal: AbortSignal
  what: string
  drop?: (result: Result) => void
}): AsyncGenerator<InTurn<Result>> {
  const { shards, compute, lookAhead, signal, what, drop = () => {} } = given
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const abort = () => Atomics.store(stop, 0, 1)
  signal.addEventListener('abort', abort)
  const under: { shard: Shard; result: Promise<Result> }[] = []
  try {
    for (const shard of shards) {
      const result = compute(shard, stop)
      // It is awaited below, in order; until then, a failure must not count as unhandled.
      result.catch(() => {})
      under.push({ shard, result })
      if (under.length === lookAhead) yield first()
    }
    while (under.length > 0) yield first()
  } finally {
    abort()
    signal.removeEventListener('abort', abort)
    for (const ended of await Promise.allSettled(under.map(({ result }) => result)))
      if (ended.status === 'fulfilled') drop(ended.value)
  }

  /**
   * Returns the first shard in progress. It stays in the list until its result is consumed, so that it is dropped
   * otherwise.
   */
  function first(): InTurn<Result> {
    const [{ shard, result }] = under
    const takeResult = async () => {
      const ended = await result
      if (signal.aborted) throw new ServiceError('canceled', `the ${what} was canceled`)
      under.shift()
      return ended
    }
    return { shard, stop, computed: result, takeResult }
  }
}
