import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRandom } from '../../demo/random.ts'
import { BODIES } from './bodies.ts'
import { BUNDLES, FOLDERS, PARQUET } from './bundles.ts'
import { FILTERS } from './filters.ts'
import type { Fuzzer } from './fuzzer.ts'
import { LINES } from './lines.ts'
import { READERS } from './readers.ts'
import { PATHS, QUERIES } from './requests.ts'

/** `npm run test:fuzz` goes on for FUZZ_MINUTES, from FUZZ_SEED on; the other tests have some rounds of a fixed seed. */
const isLong = process.env.npm_lifecycle_event === 'test:fuzz' || process.env.FUZZ_MINUTES !== undefined
const SEED = Number(process.env.FUZZ_SEED ?? 1)
const MINUTES = Number(process.env.FUZZ_MINUTES ?? 60)
/** More tell nothing new. */
const FAILED_MAX = 20

/** Rounds that once failed, by their seed: they come first. */
const FOUND: Record<string, [number, number][]> = {
  [BUNDLES.name]: [[2631, 109]],
  [PARQUET.name]: [[2631, 189]],
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
  [BODIES, 15],
]
/** Survives a crash of the process, as of a library in C++. */
const LAST = join(tmpdir(), 'gazette-fuzz-last.txt')

test.each(FUZZERS.map(([fuzzer, rounds], which) => ({ fuzzer, rounds, which, name: fuzzer.name })))(
  '$name that are made at random do no harm',
  async ({ fuzzer: { name, open }, rounds, which }) => {
    const until = performance.now() + (MINUTES * 60_000) / FUZZERS.length
    const { round, close } = await open()
    const failed: string[] = []
    let done = 0
    try {
      const run = async (seed: number, number: number) => {
        const words = `FUZZ_SEED=${seed}, ${name}, round ${number}`
        if (isLong) writeFileSync(LAST, words)
        await round(createRandom(seed, which, number)).catch(
          (error: Error) => void failed.push(`${words}: ${error.stack}`),
        )
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
