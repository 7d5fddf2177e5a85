import { expect, test } from 'vitest'
import { packSums, unpackedSums } from '../../../../engine/run/shards/packed-sums.ts'

test('packed sums are the sums, in order, each time they are iterated', () => {
  const sums = [new Map<string, unknown>([['a', { n: Float64Array.of(1, 2), names: new Set(['x']) }]]), new Map()]
  let unpackedBytes = 0
  const unpacked = unpackedSums(sums.map(packSums), (bytes) => {
    unpackedBytes += bytes
  })
  expect([...unpacked]).toEqual(sums)
  const once = unpackedBytes
  expect(once).toBeGreaterThan(0)
  expect([...unpacked]).toEqual(sums)
  expect(unpackedBytes).toBe(2 * once)
})

test('sums that repeat texts take a fraction of the memory', () => {
  const rows = Array.from({ length: 1000 }, (_, i) => [`test ${i}`, { who: ['participant-0123456789', 'item.png'] }])
  const sums = new Map(rows as [string, unknown][])
  expect(packSums(sums).length).toBeLessThan(JSON.stringify(rows).length / 5)
})
