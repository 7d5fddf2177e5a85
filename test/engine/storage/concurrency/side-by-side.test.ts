import { expect, test } from 'vitest'
import { forEach } from '../../../../engine/storage/concurrency/side-by-side.ts'

test('at most so many run at a time, in order', async () => {
  const [begun, most]: [number[], number[]] = [[], []]
  let running = 0
  await forEach([1, 2, 3, 4, 5], 2, async (each) => {
    begun.push(each)
    most.push(++running)
    await Promise.resolve()
    running--
  })
  expect([begun, Math.max(...most)]).toEqual([[1, 2, 3, 4, 5], 2])
})

test('after a failure nothing more is begun, what runs is waited for, and the first error is thrown', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  let fail = () => {}
  const failed = new Promise<void>((resolve) => {
    fail = resolve
  })
  const work = async (each: number) => {
    begun.push(each)
    if (each === 1) {
      fail()
      throw new Error('the first')
    }
    await failed
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    ended.push(each)
  }
  await expect(forEach([1, 2, 3, 4], 2, work)).rejects.toThrow('the first')
  expect([begun, ended]).toEqual([[1, 2], [2]])
})
