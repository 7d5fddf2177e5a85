import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { collectAll } from '../../engine/duckdb/garbage.ts'
import { claim } from './fuzzer.ts'

/** Inputs of these sizes are compared with that of the first. */
const TIMES = [1, 2, 4, 8]
/** The cost may be as many times larger, and a few times that for what else happens. */
const SLACK = 4
/** Costs below these are noise. */
const LEAST_MS = 2000
const LEAST_BYTES = 256 * 2 ** 20

export type Cost = { ms: number; bytes: number }

/**
 * Claims that the time and the memory of work grow with the size of its input, and not faster. What seems to is
 * measured once more, since the machine may have had other work.
 */
export async function claimLinear(what: string, size: number, work: (size: number) => Promise<unknown>): Promise<void> {
  const fault = await faultOfGrowth(size, work)
  if (fault !== null) claim((await faultOfGrowth(size, work)) === null, `${what}: ${fault}`)
}

async function faultOfGrowth(size: number, work: (size: number) => Promise<unknown>): Promise<string | null> {
  const costs: Cost[] = []
  for (const times of TIMES) {
    costs.push(await costOf(() => work(times * size)))
    const [first, last] = [costs[0], costs[costs.length - 1]]
    const most = times * SLACK
    if (last.ms >= Math.max(LEAST_MS, most * first.ms) || last.bytes >= Math.max(LEAST_BYTES, most * first.bytes))
      return `${costs.map(({ ms, bytes }) => `${ms.toFixed(0)} ms and ${bytes >> 20} MiB`).join(', ')} for ${TIMES} × ${size}`
  }
  return null
}

/** Measures work: milliseconds of this process's processor, and its memory at the peak. */
export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  collectAll()
  forgetPeak()
  const before = process.memoryUsage().rss
  const { user, system } = process.cpuUsage()
  // Held until it is measured.
  const result = await work()
  const used = process.cpuUsage({ user, system })
  const cost = { ms: (used.user + used.system) / 1000, bytes: Math.max(0, peakBytes() - before) }
  return result === before ? { ms: 0, bytes: 0 } : cost
}

/** Linux keeps the peak since it was last told to forget it; elsewhere what is there at the end has to do. */
function forgetPeak(): void {
  if (existsSync('/proc/self/clear_refs')) writeFileSync('/proc/self/clear_refs', '5')
}

function peakBytes(): number {
  if (!existsSync('/proc/self/status')) return process.memoryUsage().rss
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024
}

/** A round timed out. It may still be running, so it is not repeated. */
export class Late extends Error {}

/** Waits for work, or throws when it takes longer than anything that a stranger sends may take. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`${what}: not done after ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
