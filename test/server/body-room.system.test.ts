import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { participantOf, zipped } from './participants.ts'
import { ITEM, openTestServer, STUDY, until } from './test-server.ts'

const service = kept(await openTestServer({ BODIES_MAX_MIB: '1' }))
const now = new Date()
const collect = (await service.parts.tokens.create({ role: 'collect', studies: [STUDY], expiresAt: null, now })).token

type Sending = { req: ClientRequest; status: Promise<number> }

/** Begins a participant's body, whose end may come later. */
function begin(token: string, bytes: Buffer, headers: Record<string, string> = {}): Sending {
  const path = `${service.url}/api2/studies/${STUDY}/participants`
  const all = { 'x-auth-token': token, 'content-type': 'application/json', ...headers }
  const req = request(path, { method: 'POST', headers: all, agent: false })
  const status = new Promise<number>((resolve) => {
    req.on('response', (res: IncomingMessage) => resolve(res.resume().statusCode ?? 0)).on('error', () => resolve(0))
  })
  req.write(bytes)
  return { req, status }
}

const spaces = (kib: number) => Buffer.alloc(kib * 1024, ' ')
const whole = (n: number) => Buffer.from(JSON.stringify(participantOf(n, [ITEM])))

test.each(['plain', 'gzipped'])(
  'of one token, bodies that wait for their end take half of the room (%s)',
  async (how) => {
    const headers: Record<string, string> = how === 'plain' ? {} : { 'content-encoding': 'gzip' }
    // Without their last bytes.
    const half =
      how === 'plain'
        ? spaces(400)
        : zipped(
            Buffer.concat([spaces(400), Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i) % 251))]),
          ).subarray(0, -20)
    const slow = [begin(collect, half, headers), begin(collect, half, headers)]
    expect(await Promise.race(slow.map(({ status }) => status))).toBe(503)
    // Another token has its own.
    const other = begin(service.write, whole(half.length))
    other.req.end()
    expect(await other.status).toBe(201)
    for (const { req } of slow) req.destroy()
    await until(async () => {
      const again = begin(collect, Buffer.concat([spaces(400), whole(half.length + 1)]))
      again.req.end()
      return [200, 201].includes(await again.status)
    })
  },
)

test('a body that is alone may be larger than the room', async () => {
  const alone = begin(collect, Buffer.concat([spaces(2048), whole(3)]))
  alone.req.end()
  expect(await alone.status).toBe(201)
})

test('while a large body is read, others are answered', async () => {
  const text = JSON.stringify(participantOf(4, [ITEM], 300_000))
  const { req, status } = begin(collect, Buffer.from(text.replace(ITEM, ITEM.replace('1', '9'))))
  const ends: string[] = []
  const read = status.then((code) => ends.push(`body ${code}`))
  await new Promise<void>((resolve) => req.end(() => resolve()))
  await service.get('/healthz').then(() => ends.push('healthz'))
  await read
  expect(ends).toEqual(['healthz', 'body 400'])
})
