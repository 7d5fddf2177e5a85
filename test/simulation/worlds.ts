import { expect, test } from 'vitest'
import { runSeed } from './run-seed.ts'
import type { Size } from './world.ts'

const HOURS_MS = 100 * 3_600_000
const FIRST = Number(process.env.SIMULATION_SEED ?? 1)

/**
 * Tests worlds of a size, one after the other, from seed SIMULATION_SEED on.
 *
 * @param setting the environment variable that says how many
 * @param share which worlds, so that two files run side by side: eight by eight, since one of four is in a bucket,
 * which takes longer than others; null for all
 */
export function testWorlds(size: Size, setting: string, count: number, share: 0 | 1 | null): void {
  const worlds = Number(process.env[setting] ?? count)
  const which = share === null ? '' : `${share === 0 ? 'one half' : 'the other half'} of `
  const what = `${which}${worlds} worlds of ${size.studies} studies and ${size.workers} workers, from seed ${FIRST} on`
  test(`every promise is kept, and nothing goes back or is left, in ${what}`, { timeout: HOURS_MS }, async () => {
    for (let seed = FIRST; seed < FIRST + worlds; seed++) {
      if (share !== null && Math.floor(seed / 8) % 2 !== share) continue
      const { faults } = await runSeed(seed, size)
      const again = { SIMULATION_SEEDS: 0, SIMULATION_LARGE: 0, [setting]: 1 }
      const settings = Object.entries(again).map(([name, value]) => `${name}=${value}`)
      expect(faults, `SIMULATION_SEED=${seed} ${settings.join(' ')} runs it again`).toEqual([])
    }
  })
}

export const SMALL: Size = { studies: 3, workers: 3, servers: 2, minutes: 0.2, everyMs: 600 }
export const LARGE: Size = { studies: 5000, workers: 50, servers: 3, minutes: 0.5, everyMs: 60 }
