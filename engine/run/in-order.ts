import { ServiceError } from '../model/errors.ts'
import type { Shard } from './shards/shards.ts'

/** Shard in order. `computed` settles with its result, which must be consumed before the next shard is requested. */
type InTurn<Result> = {
  shard: Shard
  stop: Int32Array
  computed: Promise<unknown>
  takeResult: () => Promise<Result>
}

/**
 * Computes shards, a bounded number at a time, and yields them in order. A reader that stops early aborts the rest.
 *
 * @param compute one of them; `stop` is not 0 once it is not wanted any more
 * @param drop frees results that were not taken
 * @param what is canceled, for the sentence
 * @throws what `compute` throws, when the result is taken; then also ServiceError canceled when `signal` has aborted
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
}): AsyncGenerator<InTurn<Result>> {
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
   * Returns the first of those under way. It stays among them until its result is taken, so that it is dropped with
   * them if it is not.
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
