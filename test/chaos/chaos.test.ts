import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPool, type EnginePool } from '../../engine/run/pool.ts'
import { BACK_ENDS } from '../worker/back-ends.ts'
import { report } from './report.ts'
import { type Outcome, runChaos } from './run.ts'
import type { Mode } from './town.ts'

/** `npm run test:chaos` takes the long form: CHAOS_KILLS kills in all, in runs of CHAOS_RUN_KILLS, seeds from CHAOS_SEED on. */
const isLong = process.env.npm_lifecycle_event === 'test:chaos' || process.env.CHAOS_KILLS !== undefined
const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback)
const KILLS = number('CHAOS_KILLS', isLong ? 500 : 4)
const RUN_KILLS = number('CHAOS_RUN_KILLS', isLong ? 50 : 2)
const SEED = number('CHAOS_SEED', 1)
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

const modes: Mode[] = ['redis', 'embedded']

describe.each(modes)('with everything that may die dying at random (%s)', (mode) => {
  const runs = Math.max(1, Math.round((KILLS * (mode === 'redis' ? 0.7 : 0.3)) / RUN_KILLS))
  const seeds = Array.from({ length: runs }, (_, i) => SEED + i)
  it.skipIf(mode === 'redis' && BACK_ENDS[1].missing).each(seeds)(
    'every promise is kept, every file whole, and nothing left behind (seed %i)',
    async (seed) => {
      const outcome = await runChaos({ mode, seed, kills: RUN_KILLS, tests: isLong ? 7 : 2, pool })
      outcomes.push(outcome)
      if (isLong) console.log(report([outcome]))
      expect(outcome.tally.wrong).toEqual([])
      expect(outcome.tally.asked).toBeGreaterThan(0)
    },
    isLong ? HOURS_MS : 400_000,
  )
})
