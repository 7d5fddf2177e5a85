import { expect, test } from 'vitest'
import { openRateLimiter } from '../../server/http/waiting/rate-limiter.ts'
import { kept } from '../engine/kept.ts'
import { zipped } from './participants.ts'
import { ITEM, STUDY, shareTestServer, until } from './test-server.ts'

const service = kept(await shareTestServer())

test('of one owner, a large body waits until those before it are paid for; others and small ones go at once', async () => {
  const pace = openRateLimiter({ bytesPerMs: 100, smallMaxBytes: 1000 })
  const { signal } = new AbortController()
  const ends: string[] = []
  const go = (name: string, owner: string, bytes: number) => pace.turn(owner, bytes, signal).then(() => ends.push(name))
  const start = performance.now()
  const all = [go('first', 'a', 20_000), go('second', 'a', 5000), go('third', 'a', 5000)]
  await Promise.all([go('small', 'a', 1000), go('other', 'b', 20_000)])
  expect(ends).toEqual(['first', 'small', 'other'])
  await Promise.all(all)
  expect(ends.slice(3)).toEqual(['second', 'third'])
  expect(performance.now() - start).toBeGreaterThan(245)
})

test('who would wait for more than 20 s is refused, and who leaves does not go on', async () => {
  const pace = openRateLimiter({ bytesPerMs: 1, smallMaxBytes: 1000 })
  const leaving = new AbortController()
  await pace.turn('a', 19_000, leaving.signal)
  const second = pace.turn('a', 11_000, leaving.signal)
  const late = { code: 'too_many_requests', headers: { 'Retry-After': '10' } }
  await expect(pace.turn('a', 5000, leaving.signal)).rejects.toMatchObject(late)
  expect(() => pace.requireTurn('a')).toThrow('Too many large descriptions')
  pace.requireTurn('b')
  leaving.abort()
  await expect(second).rejects.toMatchObject({ code: 'canceled' })
})

/** No AOIs, in 15 MiB, which are few bytes on the wire. */
const LARGE = zipped(Buffer.from(`[]${' '.repeat(15 * 2 ** 20)}`))

async function draw(token: string, signal?: AbortSignal): Promise<Response> {
  const path = `${service.url}/api2/studies/${STUDY}/charts/aois?itemId=${ITEM}`
  const headers = { 'x-auth-token': token, 'content-type': 'application/json', 'content-encoding': 'gzip' }
  return fetch(path, { method: 'POST', headers, body: LARGE, signal })
}

test('a token that sends large AOIs without end is told to wait; a single one is answered at once', async () => {
  const leaving = new AbortController()
  const ends: (Response | Error)[] = []
  const sent = Array.from({ length: 4 }, () =>
    draw(service.read, leaving.signal).then(
      (end) => ends.push(end),
      (error) => ends.push(error),
    ),
  )
  await until(async () => ends.length >= 3)
  const answered = ends.slice() as Response[]
  expect((await draw(service.narrow)).status).toBe(200)
  // One has its place, and leaves it.
  leaving.abort()
  await Promise.all(sent)
  expect(answered.map(({ status }) => status)).toContain(200)
  const told = answered.find(({ status }) => status === 429)!
  expect(Number(told.headers.get('retry-after'))).toBeGreaterThan(0)
})
