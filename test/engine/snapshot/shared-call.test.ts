import { expect, test } from 'vitest'
import { openPlaces } from '../../../engine/snapshot/places.ts'
import { startShared } from '../../../engine/snapshot/shared-call.ts'

const untilStopped = (stop: AbortSignal) =>
  new Promise<string>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)))

test('work that is shared is stopped when the last caller has left, and no sooner', async () => {
  const work = startShared(untilStopped)
  const [first, second] = [new AbortController(), new AbortController()]
  const calls = [work.join(first.signal), work.join(second.signal)]
  first.abort()
  await expect(calls[0]).rejects.toMatchObject({ code: 'canceled' })
  expect(work.isStopped()).toBe(false)
  second.abort()
  await expect(calls[1]).rejects.toMatchObject({ code: 'canceled' })
  expect(work.isStopped()).toBe(true)
})

test('a caller without a signal never leaves', async () => {
  let finish = (_value: number) => {}
  const work = startShared(() => new Promise<number>((resolve) => (finish = resolve)))
  const client = new AbortController()
  const [stays, leaves] = [work.join(), work.join(client.signal)]
  client.abort()
  await expect(leaves).rejects.toMatchObject({ code: 'canceled' })
  expect(work.isStopped()).toBe(false)
  finish(7)
  expect(await stays).toBe(7)
})

test('places are given in the order in which they were asked for, and not to who left', async () => {
  const places = openPlaces(1)
  const [none, leaves] = [new AbortController().signal, new AbortController()]
  const give = await places.take(none)
  const order: string[] = []
  const left = places.take(leaves.signal)
  const next = places.take(none).then((giveNext) => {
    order.push('second')
    giveNext()
  })
  const last = places.take(none).then(() => order.push('third'))
  leaves.abort()
  await expect(left).rejects.toMatchObject({ code: 'canceled' })
  give()
  await Promise.all([next, last])
  expect(order).toEqual(['second', 'third'])
})
