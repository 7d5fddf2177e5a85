import { expect, test } from 'vitest'
import { runSeed } from './run-seed.ts'

const SMALL = { studies: 3, workers: 3, servers: 2, minutes: 0.3, everyMs: 600 }
const LARGE = { studies: 5000, workers: 50, servers: 3, minutes: 1, everyMs: 60 }
const WORLDS = Number(process.env.SIMULATION_SEEDS ?? 1000)
const LARGE_WORLDS = Number(process.env.SIMULATION_LARGE ?? 1)
const FIRST = Number(process.env.SIMULATION_SEED ?? 1)

test(`every promise is kept, and nothing goes back or is left, in ${WORLDS} worlds from seed ${FIRST} on`, async () => {
  for (let seed = FIRST; seed < FIRST + WORLDS; seed++) {
    const { faults } = await runSeed(seed, SMALL)
    expect(faults, `SIMULATION_SEED=${seed} SIMULATION_SEEDS=1 runs it again`).toEqual([])
  }
}, 3_600_000)
