import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { makePlan } from '../../../../engine/exports/make-plan.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../../engine/model/study.ts'
import { createPool } from '../../../../engine/run/pool/pool.ts'
import { runExport } from '../../../../engine/run/run-export.ts'
import {
  type Blocks,
  bytesOf,
  copyToBlock,
  createBlocks,
  freeBlock,
  freeBlocksOf,
} from '../../../../engine/run/shards/blocks.ts'
import { BLOCK_BYTES } from '../../../../engine/text/sink.ts'
import { importDemo, newDataDir } from '../../studies.ts'

function owned({ owners }: Blocks): number[] {
  return [...owners]
}

test('a block holds its bytes until it is freed, and the lowest free one is used first', () => {
  const blocks = createBlocks(3)
  const [a, b, c] = [1, 2, 3].map((byte) => copyToBlock(new Uint8Array(5).fill(byte), 7, blocks)!)
  const held = [a, b, c].map((finished) => bytesOf(finished, blocks))
  expect([a, b, c]).toEqual([0, 1, 2].map((block) => ({ block, owner: 7, length: 5 })))
  expect(held.map((bytes) => [bytes.byteOffset / BLOCK_BYTES, ...bytes])).toEqual([
    [0, 1, 1, 1, 1, 1],
    [1, 2, 2, 2, 2, 2],
    [2, 3, 3, 3, 3, 3],
  ])
  expect(copyToBlock(new Uint8Array(1), 8, blocks)).toBeNull()
  freeBlock(b, blocks)
  expect(owned(blocks)).toEqual([7, 0, 7])
  expect(copyToBlock(new Uint8Array(BLOCK_BYTES).fill(4), 8, blocks)).toEqual({
    block: 1,
    owner: 8,
    length: BLOCK_BYTES,
  })
  expect([...held[0], ...held[2]]).toEqual([1, 1, 1, 1, 1, 3, 3, 3, 3, 3])
})

test('all of one owner are freed, and nobody else’s; memory of its own is not', () => {
  const blocks = createBlocks(4)
  for (const owner of [1, 2, 1]) copyToBlock(new Uint8Array(1), owner, blocks)
  freeBlocksOf(1, blocks)
  expect(owned(blocks)).toEqual([0, 2, 0, 0])
  freeBlock(new Uint8Array(1), createBlocks(0))
  freeBlock(new Uint8Array(9).subarray(3), blocks)
  expect(bytesOf(new Uint8Array([4, 5]).subarray(1), blocks)).toEqual(new Uint8Array([5]))
  expect(owned(blocks)).toEqual([0, 2, 0, 0])
})

test('a block that comes back from another thread is freed', async () => {
  const blocks = createBlocks(2)
  copyToBlock(new Uint8Array(1), 1, blocks)
  const finished = structuredClone(copyToBlock(new Uint8Array([9]), 1, blocks)!)
  expect(bytesOf(finished, blocks)).toEqual(new Uint8Array([9]))
  freeBlock(finished, blocks)
  expect(owned(blocks)).toEqual([1, 0])
})

test('threads that take and free blocks at once never have the same one', async () => {
  const blocks = createBlocks(5)
  const module = new URL('../../../../dist/engine/run/shards/blocks.js', import.meta.url).href
  const code = `
    import { parentPort, workerData } from 'node:worker_threads'
    const { blocks, owner, module } = workerData
    const { bytesOf, copyToBlock, freeBlock } = await import(module)
    let taken = 0
    for (let i = 0; i < 3000; i++) {
      const bytes = new Uint8Array(64).fill(owner * 50 + (i % 50))
      const mine = [copyToBlock(bytes, owner, blocks), copyToBlock(bytes, owner, blocks)].filter(Boolean)
      for (const finished of mine) {
        const held = bytesOf(finished, blocks)
        if (held.length !== 64 || held.some((byte) => byte !== bytes[0])) throw new Error('somebody else wrote into it')
        freeBlock(finished, blocks)
        taken++
      }
    }
    parentPort.postMessage(taken)`
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
  const counts = await Promise.all(
    [1, 2, 3].map(async (owner) => {
      const [taken] = await once(new Worker(url, { workerData: { blocks, owner, module } }), 'message')
      return taken as number
    }),
  )
  for (const taken of counts) expect(taken).toBeGreaterThan(0)
  expect(owned(blocks)).toEqual([0, 0, 0, 0, 0])
})

test('exports that end, stop early, fail or are canceled leave no block behind', async () => {
  const dataDir = await newDataDir()
  const blocks = createBlocks(6)
  const pool = createPool({ threads: 2, blocks })
  try {
    const snapshot = await importDemo(dataDir, { participants: 40, items: 4, seconds: 40, hz: 60, seed: 7 })
    const plan = makePlan({ snapshot, exportName: 'gazes-split', parameters: defaultParameters(), formulaGuard: true })
    let seen = 0
    const read = async (of: Snapshot, { stopAfter = Infinity, abortAfter = Infinity }) => {
      const abort = new AbortController()
      let count = 0
      for await (const _ of runExport({ plan, snapshot: of, pool, signal: abort.signal, gzip: false })) {
        seen = Math.max(seen, owned(blocks).filter((owner) => owner !== 0).length)
        count++
        if (count === abortAfter) abort.abort()
        if (count === stopAfter) return
      }
    }
    const ends = await Promise.allSettled([
      read(snapshot, {}),
      read(snapshot, { stopAfter: 1 }),
      read(snapshot, { stopAfter: 4 }),
      read(snapshot, { abortAfter: 3 }),
      read({ ...snapshot, directory: `${snapshot.directory}-gone` }, {}),
    ])
    expect(ends.map((end) => (end.status === 'rejected' ? end.reason.code : 'done'))).toEqual([
      'done',
      'done',
      'done',
      'canceled',
      'corrupt',
    ])
    expect(seen).toBeGreaterThan(0)
    expect(owned(blocks)).toEqual([0, 0, 0, 0, 0, 0])
  } finally {
    await pool.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})
