import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPool, type EnginePool } from '../../engine/run/pool/pool.ts'
import { BACK_ENDS } from '../worker/back-ends.ts'
import { isLong, type Mode } from './cluster.ts'
import { report } from './report.ts'
import { type Outcome, runChaos } from './run.ts'

/** The long form has CHAOS_KILLS kills of each kind, in runs of CHAOS_RUN_KILLS, seeds from CHAOS_SEED on. */
const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback)
const KILLS = number('CHAOS_KILLS', isLong ? 150 : 2)
const RUN_KILLS = number('CHAOS_RUN_KILLS', isLong ? 50 : 2)
const SEED = number('CHAOS_SEED', 1)
/** Size of the study; seven processes share two cores with a bucket. */
const TESTS = { redis: 7, postgres: 7, embedded: 7, bucket: 4 }
const HOURS_MS = 12 * 3_600_000

let pool: EnginePool
const outcomes: Outcome[] = []
beforeAll(() => {
  pool = createPool({ threads: 1 })
})
afterAll(async () => {
  await pool.close()
  console.log(report(outcomes))
})

/** The others cost a minute or more before anything dies. */
const modes: Mode[] = isLong ? ['redis', 'embedded', 'postgres', 'bucket'] : ['redis', 'embedded']
const isMissing = (mode: Mode) =>
  mode !== 'embedded' && BACK_ENDS.find(({ name }) => name === (mode === 'bucket' ? 'redis' : mode))!.missing

describe.each(modes)('with everything that may die dying at random (%s)', (mode) => {
  const runs = Math.max(1, Math.round(KILLS / RUN_KILLS))
  const seeds = Array.from({ length: runs }, (_, i) => SEED + i)
  it.skipIf(isMissing(mode)).each(seeds)(
    'every promise is kept, every file whole, and nothing left behind (seed %i)',
    async (seed) => {
      const outcome = await runChaos({ mode, seed, kills: RUN_KILLS, tests: isLong ? TESTS[mode] : 2, pool })
      outcomes.push(outcome)
      if (isLong) console.log(report([outcome]))
      expect(outcome.tally.wrong).toEqual([])
      expect(outcome.tally.asked).toBeGreaterThan(0)
    },
    isLong ? HOURS_MS : 400_000,
  )
})
