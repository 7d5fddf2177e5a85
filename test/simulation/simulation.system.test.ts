import { expect, test } from 'vitest'
import { runSeed } from './run-seed.ts'
import { LARGE, SMALL, testWorlds } from './worlds.ts'

test.each([
  ['on a disk', 3],
  ['in a bucket', 4],
  ['in a bucket', 8],
])('a world %s of seed %i happens the same way again', async (_, seed) => {
  const first = await runSeed(seed, SMALL)
  expect(await runSeed(seed, SMALL)).toEqual(first)
})
testWorlds(SMALL, 'SIMULATION_SEEDS', 1000, 0)
testWorlds(LARGE, 'SIMULATION_LARGE', 1, null)
