import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRandom, type Random } from '../../demo/random.ts'
import { ARCHIVES } from './archives.ts'
import { BODIES } from './bodies.ts'
import { BUCKETS } from './bucket.ts'
import { BUNDLES, FOLDERS, PARQUET } from './bundles.ts'
import { FILTERS } from './filters.ts'
import type { Fuzzer, Round } from './fuzzer.ts'
import { Late } from './growth.ts'
import { LINES } from './lines.ts'
import { SHARED_LINKS } from './links.ts'
import { LIVE } from './live.ts'
import { READERS } from './readers.ts'
import { PATHS, QUERIES } from './requests.ts'
import { recorded, shrink } from './shrink.ts'
import { UPLOADS } from './uploads.ts'

/**
 * `npm run test:fuzz` goes on for FUZZ_MINUTES, from FUZZ_SEED on; the other tests have some rounds of a fixed seed.
 */
const isLong = process.env.npm_lifecycle_event === 'test:fuzz' || process.env.FUZZ_MINUTES !== undefined
const SEED = Number(process.env.FUZZ_SEED ?? 1)
const MINUTES = Number(process.env.FUZZ_MINUTES ?? 60)
/** Number of failures after which a surface stops; more tell nothing new. */
const FAILED_MAX = isLong ? 20 : 1
/** Time for shrinking a failing input. */
const SHRINK_MS = 20_000

/** Rounds that once failed, by their seed: they come first. */
const FOUND: Record<string, [number, number][]> = {
  [BUNDLES.name]: [[2631, 109]],
  [PARQUET.name]: [[2631, 189]],
  [FOLDERS.name]: [[43, 25]],
  [READERS.name]: [
    [23001, 10423],
    [23001, 14090],
    [23001, 19377],
  ],
}

const FUZZERS: [Fuzzer, number][] = [
  [LINES, 200],
  [BUNDLES, 40],
  [PARQUET, 60],
  [FOLDERS, 10],
  [PATHS, 300],
  [QUERIES, 300],
  [READERS, 60],
  // Below, so that the seeds of those above stay what they were.
  [FILTERS, 8],
  [BODIES, 10],
  [ARCHIVES, 250],
  [BUCKETS, 30],
  [LIVE, 6],
  [SHARED_LINKS, 40],
  [UPLOADS, 40],
]

/**
 * Runs a round.
 *
 * @returns why it failed, with its input, and with the smallest that fails, too; null where it did not
 */
async function failureOf(round: Round, stream: Random, startMs: number): Promise<string | null> {
  const attempt = async (random: Random) => {
    let input = ''
    try {
      await round(random, (told) => {
        input = told
      })
    } catch (error) {
      throw new Error(`${(error as Error).stack}\n  with ${input}`, { cause: error })
    }
  }
  const { random, draws } = recorded(stream)
  try {
    await attempt(random)
    return null
  } catch (error) {
    const seconds = ((performance.now() - startMs) / 1000).toFixed(0)
    const isLate = (error as Error).cause instanceof Late
    const smaller = isLate ? null : await shrink(draws, attempt, SHRINK_MS)
    const message = `after ${seconds} s: ${(error as Error).message}`
    return smaller === null ? message : `${message}\nThe smallest that was found: ${smaller.message}`
  }
}

/** Survives a crash of the process, as of a library in C++. */
const LAST = join(tmpdir(), 'gazette-fuzz-last.txt')

test.each(FUZZERS.map(([fuzzer, rounds], which) => ({ fuzzer, rounds, which, name: fuzzer.name })))(
  '$name that are made at random do no harm',
  async ({ fuzzer: { name, open }, rounds, which }) => {
    const { round, close } = await open()
    const startMs = performance.now()
    const until = startMs + (MINUTES * 60_000) / FUZZERS.length
    const failed: string[] = []
    let done = 0
    try {
      const run = async (seed: number, number: number) => {
        const words = `FUZZ_SEED=${seed}, ${name}, round ${number}`
        if (isLong) writeFileSync(LAST, words)
        const failure = await failureOf(round, createRandom(seed, which, number), startMs)
        if (failure !== null) failed.push(`${words}, ${failure}`)
      }
      for (const [seed, number] of FOUND[name] ?? []) await run(seed, number)
      while (failed.length < FAILED_MAX && (isLong ? performance.now() < until : done < rounds)) {
        await run(SEED, done++)
      }
    } finally {
      await close()
    }
    if (isLong) console.log(`${name}: ${done} rounds, ${failed.length} failed`)
    expect(failed).toEqual([])
  },
  isLong ? 24 * 3_600_000 : undefined,
)
