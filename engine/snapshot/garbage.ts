import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'minor' }) => void
let collect: Collect | null = null

/**
 * Has V8 look for what was made since it looked last, in about half a millisecond. What DuckDB hands out is memory of its own, which is
 * freed when the object that stands for it is collected; V8 knows nothing of its size, and would leave hundreds of MiB lying.
 */
export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  collect({ type: 'minor' })
}
