import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { makePlan } from '../../../../engine/exports/make-plan.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import { createPool } from '../../../../engine/run/pool/pool.ts'
import { runExport } from '../../../../engine/run/run-export.ts'
import {
  announceBlock,
  closeEarlyBlocks,
  createEarlyBlocks,
  takeEarlyBlock,
} from '../../../../engine/run/shards/early-blocks.ts'
import { importDemo, newDataDir } from '../../studies.ts'

const block = (number: number) => ({ block: number, owner: 7, length: 100 + number })

test('announced blocks are taken once each, in order', () => {
  const early = createEarlyBlocks()
  expect(takeEarlyBlock(early)).toBeNull()
  announceBlock(early, block(4), 0)
  announceBlock(early, block(2), 1)
  expect([takeEarlyBlock(early), takeEarlyBlock(early), takeEarlyBlock(early)]).toEqual([block(4), block(2), null])
})

test('behind bytes that lie elsewhere, no block is announced', () => {
  const early = createEarlyBlocks()
  announceBlock(early, block(0), 0)
  announceBlock(early, new Uint8Array(3), 1)
  announceBlock(early, block(1), 2)
  expect([takeEarlyBlock(early), takeEarlyBlock(early)]).toEqual([block(0), null])
})

test('those beyond the last place are not announced, and none is taken after the end', () => {
  const early = createEarlyBlocks()
  for (let number = 0; number < 2000; number++) announceBlock(early, block(number), number)
  let last = -1
  for (let next = takeEarlyBlock(early); last < 1000 && next !== null; next = takeEarlyBlock(early)) {
    if ('block' in next) last = next.block
  }
  const taken = closeEarlyBlocks(early)
  expect(taken).toBe(last + 2)
  expect(takeEarlyBlock(early)).toBeNull()
})

test('blocks come before their shard is computed, and no byte differs', async () => {
  const dataDir = await newDataDir()
  const pool = createPool({ threads: 2 })
  try {
    const snapshot = await importDemo(dataDir, { participants: 8, items: 2, seconds: 60, hz: 60, seed: 7 })
    const plan = makePlan({ snapshot, exportName: 'gazes-split', parameters: defaultParameters(), formulaGuard: true })
    const read = async (isUrgent: boolean) => {
      let computed = 0
      let early = 0
      const bytes: Buffer[] = []
      const compute: typeof pool.compute = async (...given) => {
        const result = await pool.compute(...given)
        computed++
        return result
      }
      const counting = { ...pool, compute }
      const signal = new AbortController().signal
      for await (const next of runExport({ plan, snapshot, pool: counting, signal, gzip: false, isUrgent })) {
        bytes.push(Buffer.from(next.bytes))
        if (computed === 0 && bytes.length > 1) early++
      }
      return { early, bytes: Buffer.concat(bytes) }
    }
    const whole = await read(true)
    expect(whole.early).toBe(0)
    let early = 0
    // On a busy machine, a shard may be computed before anybody looks.
    for (let run = 0; run < 20 && early === 0; run++) {
      const streamed = await read(false)
      expect(streamed.bytes.equals(whole.bytes)).toBe(true)
      early = streamed.early
    }
    expect(early).toBeGreaterThan(0)
  } finally {
    await pool.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})
