import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Frees young garbage of this thread, in a fraction of a millisecond. DuckDB's chunks hold native memory that V8 neither counts
 * nor hurries to free: without this, a hundred MiB of them gather in each thread.
 */
export const collectYoung: () => void = (() => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void
  return () => collect({ type: 'minor' })
})()
