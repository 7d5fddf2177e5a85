import { expect, test } from 'vitest'
import { lastWanted } from '../../dashboard/core/last-wanted.ts'

/** Asks that are answered when they are told to. */
function openAsks(patienceMs = 60_000) {
  const asked: { wanted: number; signal: AbortSignal; answer: () => void }[] = []
  const { want, drop } = lastWanted<number>(
    (wanted, signal) =>
      new Promise((answer) => {
        asked.push({ wanted, signal, answer })
        signal.addEventListener('abort', () => answer())
      }),
    patienceMs,
  )
  const answered = async (i: number) => {
    asked[i].answer()
    await Promise.resolve()
  }
  return { want, drop, answered, asked, values: () => asked.map(({ wanted }) => wanted) }
}

test('sends one request at a time, and next the latest one', async () => {
  const { want, answered, values } = openAsks()
  for (const wanted of [1, 2, 3, 4]) want(wanted)
  expect(values()).toEqual([1])
  await answered(0)
  expect(values()).toEqual([1, 4])
  await answered(1)
  expect(values()).toEqual([1, 4])
  want(5)
  expect(values()).toEqual([1, 4, 5])
})

test('a dropped request is aborted without a successor, and a later one is sent at once', async () => {
  const { want, drop, answered, asked, values } = openAsks()
  want(1)
  want(2)
  drop()
  expect(asked[0].signal.aborted).toBe(true)
  want(3)
  expect(values()).toEqual([1, 3])
  await answered(0)
  expect(values()).toEqual([1, 3])
})

test('an answer that takes too long is given up for a newer one, and only for a newer one', async () => {
  const { want, asked, values } = openAsks(5)
  want(1)
  await new Promise((done) => setTimeout(done, 20))
  expect(asked[0].signal.aborted).toBe(false)
  want(2)
  want(3)
  await expect.poll(values, { timeout: 15_000, interval: 5 }).toEqual([1, 3])
  expect(asked[0].signal.aborted).toBe(true)
})
