import { expect, test } from 'vitest'
import { singleFlight } from '../../../engine/storage/concurrency/coalesce.ts'

test('a crowd shares two reads, and each sees what was there when it asked', async () => {
  let value = 0
  let reads = 0
  const read = singleFlight(async () => {
    reads++
    const seen = value
    await new Promise((resolve) => setTimeout(resolve, 5))
    return seen
  })
  const early = Array.from({ length: 100 }, () => read('a'))
  value = 1
  const late = Array.from({ length: 100 }, () => read('a'))
  expect(await Promise.all(late)).toEqual(late.map(() => 1))
  expect(await early[0]).toBe(0)
  expect(reads).toBe(2)
  expect(await read('a')).toBe(1)
})

test('a failed read fails only for the callers that shared it', async () => {
  let isBroken = true
  const read = singleFlight(async () => {
    if (isBroken) throw new Error('broken')
    return 1
  })
  const first = read('a')
  const second = read('a')
  isBroken = false
  await expect(first).rejects.toThrow('broken')
  expect(await second).toBe(1)
})
