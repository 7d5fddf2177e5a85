import { expect, test, vi } from 'vitest'
import { runSeed } from './run-seed.ts'

vi.mock('node:fs/promises', async (original) => (await import('./disk.ts')).onDisk(await original(), 'promises'))
vi.mock('node:fs', async (original) => (await import('./disk.ts')).onDisk(await original(), 'sync'))
vi.mock('node:timers/promises', async (original) => {
  const actual = await original<object>()
  const { sleep } = await import('./timeline.ts')
  return { ...actual, setTimeout: sleep, default: { ...actual, setTimeout: sleep } }
})

const SMALL = { studies: 4, workers: 3, servers: 2, minutes: 0.4 }
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 100)
const FIRST = Number(process.env.SIMULATION_SEED ?? 1)

test(`every promise is kept, and nothing goes back or is left, in ${SEEDS} worlds from seed ${FIRST} on`, async () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const { faults } = await runSeed(seed, SMALL)
    expect(faults, `SIMULATION_SEED=${seed} SIMULATION_SEEDS=1 runs it again`).toEqual([])
  }
}, 600_000)
