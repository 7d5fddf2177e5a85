import { collectAll } from '../../engine/duckdb/garbage.ts'
import { claim } from './fuzzer.ts'

/** So many times larger is the second input; its cost may be as many times larger, and a few times that for what else happens. */
const TIMES = 4
const SLACK = 4
/** Costs below these are noise. */
const LEAST_MS = 2000
const LEAST_BYTES = 256 * 2 ** 20

type Cost = { ms: number; bytes: number }

/** Claims that the time and the memory of work grow with the size of its input, and not faster. */
export async function claimLinear(what: string, size: number, work: (size: number) => Promise<unknown>): Promise<void> {
  const small = await costOf(() => work(size))
  const large = await costOf(() => work(TIMES * size))
  const most = TIMES * SLACK
  claim(
    large.ms < Math.max(LEAST_MS, most * small.ms),
    `${what}: ${small.ms.toFixed(0)} ms, and ${large.ms.toFixed(0)} ms for ${TIMES} times as much`,
  )
  claim(
    large.bytes < Math.max(LEAST_BYTES, most * small.bytes),
    `${what}: ${small.bytes} bytes, and ${large.bytes} for ${TIMES} times as much`,
  )
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  collectAll()
  const before = process.memoryUsage().rss
  const startMs = performance.now()
  // Held until it is measured.
  const result = await work()
  const cost = { ms: performance.now() - startMs, bytes: Math.max(0, process.memoryUsage().rss - before) }
  return result === before ? { ms: 0, bytes: 0 } : cost
}

/** Waits for work, or throws when it takes longer than anything that a stranger sends may take. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not done after ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
