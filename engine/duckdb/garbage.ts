import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options?: { type: 'minor' }) => void
let collect: Collect | null = null

/** Number of values after which young objects are collected: 16 MiB of them. */
const VALUES_MAX = 1 << 21
/**
 * Interval of full collections, which also collect old objects: one in so many. A full collection is expensive, since
 * V8 then drops optimized code whose objects are gone. Without full collections, `fixations` takes 12 to 17 % less
 * processor time and `gazes-split` 6 %, but 120 M samples take 90 MiB more; with one in 32, they save 9 % of that and
 * take 50 MiB.
 */
const MAJOR_EVERY = 8
/**
 * Heap size above which old objects are left to V8, as in an import with all of its tests. A collection then costs more
 * than it frees, and V8, which counts the memory of results, soon starts the next one: an import of 120 M samples took
 * 112 s instead of 104.
 */
const SMALL_HEAP_BYTES = 32 << 20
let uncollected = 0
let collections = 0

/**
 * Makes V8 collect young objects, in about a millisecond, after results with enough values have been read, and now and
 * then old objects, too. DuckDB's results hold native memory that is freed when their JavaScript object is collected.
 * V8 does not know its size, and would leave hundreds of MiB uncollected.
 */
export function collectGarbage(values: number): void {
  uncollected += values
  if (uncollected < VALUES_MAX) return
  uncollected = 0
  collections++
  // With any argument, Node 20 collects only young objects.
  if (collections % MAJOR_EVERY === 0 && getHeapStatistics().used_heap_size < SMALL_HEAP_BYTES) collectAll()
  else collector()({ type: 'minor' })
}

/**
 * Makes V8 collect all objects and return their memory, which takes about ten milliseconds, and more in a large heap.
 */
export function collectAll(): void {
  collector()()
}

function collector(): Collect {
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  return collect
}
