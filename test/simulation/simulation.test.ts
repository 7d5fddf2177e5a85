import { expect, test } from 'vitest'
import { runSeed } from './run-seed.ts'

const SMALL = { studies: 3, workers: 3, servers: 2, minutes: 0.2, everyMs: 600 }
const LARGE = { studies: 5000, workers: 50, servers: 3, minutes: 0.5, everyMs: 60 }
const WORLDS = Number(process.env.SIMULATION_SEEDS ?? 1000)
const LARGE_WORLDS = Number(process.env.SIMULATION_LARGE ?? 1)
const FIRST = Number(process.env.SIMULATION_SEED ?? 1)
const HOURS_MS = 100 * 3_600_000

for (const [size, worlds, setting] of [
  [SMALL, WORLDS, 'SIMULATION_SEEDS'],
  [LARGE, LARGE_WORLDS, 'SIMULATION_LARGE'],
] as const) {
  const what = `${worlds} worlds of ${size.studies} studies and ${size.workers} workers, from seed ${FIRST} on`
  test(`every promise is kept, and nothing goes back or is left, in ${what}`, { timeout: HOURS_MS }, async () => {
    for (let seed = FIRST; seed < FIRST + worlds; seed++) {
      const { faults } = await runSeed(seed, size)
      const again = { SIMULATION_SEEDS: 0, SIMULATION_LARGE: 0, [setting]: 1 }
      const settings = Object.entries(again).map(([name, value]) => `${name}=${value}`)
      expect(faults, `SIMULATION_SEED=${seed} ${settings.join(' ')} runs it again`).toEqual([])
    }
  })
}
