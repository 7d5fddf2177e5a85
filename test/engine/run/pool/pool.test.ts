import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPool } from '../../../../engine/run/pool/pool.ts'

test('a thread computes one task at a time unless told otherwise, and the others wait', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gz-pool-'))
  const filename = join(directory, 'half.mjs')
  await writeFile(filename, 'export const half = ({ n }) => ({ part: n / 2 })\n')
  const [one, two] = [createPool({ threads: 1 }), createPool({ threads: 1, tasksPerThread: 2 })]
  try {
    const halves = [one, two].map((pool) => Promise.all([4, 6, 8].map((n) => pool.computeBy(filename, 'half', { n }))))
    expect(one.load()).toEqual({ running: 1, waiting: 2 })
    expect(two.load()).toEqual({ running: 2, waiting: 1 })
    expect(await Promise.all(halves)).toEqual([
      [2, 3, 4],
      [2, 3, 4],
    ])
  } finally {
    await Promise.all([one.close(), two.close()])
    await rm(directory, { recursive: true })
  }
})
