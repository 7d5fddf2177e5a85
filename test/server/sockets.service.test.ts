import { once } from 'node:events'
import { Agent, createServer as createHttpServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, test } from 'vitest'
import { acceptMore } from '../../server/http/accept-more.ts'
import { answerOneByOne, boundSockets, socketsFor } from '../../server/http/sockets.ts'
import { makeCertificate } from './certificate.ts'
import { until } from './test-server.ts'

async function listening(
  isExempt: (address: string) => boolean,
  { max = 1000, perAddress = 3, newPerSecond = 1e6 }: { max?: number; perAddress?: number; newPerSecond?: number } = {},
) {
  let taken = 0
  const server = createServer((socket) => {
    taken++
    socket.on('error', () => {})
  })
  const breakAll = boundSockets(server, { max, perAddress, newPerSecond, newAtOnce: 16, isExempt })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const dial = () => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  return { server, breakAll, dial, taken: () => taken }
}

const open = (sockets: Socket[]) => sockets.filter(({ closed }) => !closed).length

test('where all connections are taken, the oldest that has said nothing gives way, and none that has', async () => {
  const { server, breakAll, dial } = await listening(() => true, { max: 4 })
  server.on('connection', (socket) => socket.resume())
  const speaking = dial()
  speaking.write('x')
  const silent = Array.from({ length: 12 }, dial)
  await until(async () => open(silent) === 3)
  expect(open(silent.slice(-3))).toBe(3)
  expect(speaking.closed).toBe(false)
  for (const socket of silent.slice(-3)) socket.write('x')
  await until(async () => {
    const late = dial()
    await once(late, 'close')
    return open([speaking, ...silent]) === 4
  })
  breakAll()
  server.close()
})

test('sockets take half of the files that a process may open, and those of an address an eighth', () => {
  expect(socketsFor(256)).toEqual({ max: 128, perAddress: 32 })
  expect(socketsFor(1024)).toEqual({ max: 512, perAddress: 128 })
  expect(socketsFor(1_048_576)).toEqual({ max: 16_384, perAddress: 1024 })
  expect(socketsFor(Number.POSITIVE_INFINITY)).toEqual({ max: 16_384, perAddress: 1024 })
})

test('an address has so many connections at most, and others again once it closes some', async () => {
  const { server, breakAll, dial } = await listening(() => false)
  const sockets = Array.from({ length: 10 }, dial)
  await until(async () => open(sockets) === 3)
  sockets.find(({ closed }) => !closed)?.destroy()
  const late = await until(async () => {
    const socket = dial()
    socket.write('x')
    await new Promise((resolve) => setTimeout(resolve, 100))
    return socket.closed ? null : socket
  })
  expect(open([...sockets, late])).toBe(3)
  breakAll()
  await until(async () => open([...sockets, late]) === 0)
  server.close()
})

test('an exempt address, as that of a proxy, has as many as it wants', async () => {
  const rare = { newPerSecond: 0.01 }
  const { server, breakAll, dial, taken } = await listening((address) => address.endsWith('127.0.0.1'), rare)
  const sockets = Array.from({ length: 30 }, dial)
  await until(async () => taken() === 30)
  expect(open(sockets)).toBe(30)
  breakAll()
  server.close()
})

test('of many new connections of an address some are taken at once, others wait, and those that would wait for long are closed', async () => {
  // Of 20, 16 are due at once, one in 9 s, and the others later than that.
  const { server, breakAll, dial, taken } = await listening(() => false, { perAddress: 100, newPerSecond: 1 / 9 })
  const sockets = Array.from({ length: 20 }, dial)
  await until(async () => taken() === 16 && open(sockets) === 17)
  // Who leaves while waiting is not taken, and keeps nobody from stopping.
  for (const socket of sockets) socket.destroy()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  expect(taken()).toBe(16)
  breakAll()
})

test('a server whose turns are long accepts many connections in each, and closes with those that it accepted', async () => {
  const accepted = new Set<Socket>()
  const server = createHttpServer().on('connection', (socket) => accepted.add(socket))
  await once(server.listen(0, '127.0.0.1', 1000), 'listening')
  const { port } = server.address() as AddressInfo
  const errors: Error[] = []
  const acceptNoMore = acceptMore(server, 1000, (error) => errors.push(error))
  const turnsFor = async (count: number) => {
    accepted.clear()
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}))
    let turns = 0
    for (; accepted.size < count; turns++) await new Promise((resolve) => setImmediate(resolve))
    for (const socket of [...sockets, ...accepted]) socket.destroy()
    return turns
  }
  await until(async () => (await turnsFor(100)) < 50)
  accepted.clear()
  const idle = connect(port, '127.0.0.1')
  await until(async () => accepted.size === 1)
  const closed = Promise.all([new Promise((resolve) => server.close(resolve)), acceptNoMore()])
  idle.destroy()
  await closed
  expect(errors).toEqual([])
})

test.each(['HTTP', 'TLS'])('what a client sends while its connection waits is not lost (%s)', async (kind) => {
  const isTls = kind === 'TLS'
  const listener = (req: IncomingMessage, res: ServerResponse) => void res.end(req.url)
  const server = isTls ? createTlsServer(makeCertificate('waiting'), listener) : createHttpServer(listener)
  const breakAll = boundSockets(server, {
    max: 1000,
    perAddress: 100,
    newPerSecond: 20,
    newAtOnce: 16,
    isExempt: () => false,
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const to = { port: (server.address() as AddressInfo).port, host: '127.0.0.1', rejectUnauthorized: false }
  const answers = Array.from({ length: 20 }, async (_, i) => {
    const socket = isTls ? connectTls(to) : connect(to)
    socket.write(`GET /${i} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    return text.split('\r\n\r\n')[1]
  })
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, (_, i) => expect.stringContaining(`/${i}`)))
  breakAll()
  server.close()
})

test('a connection that waits for no answer is broken, and has one request at work; one after the other goes on', async () => {
  let begun = 0
  const waiting: ServerResponse[] = []
  const server = createHttpServer(
    answerOneByOne((req, res) => {
      begun++
      if (req.url === '/slow') waiting.push(res)
      else res.end(`answer ${begun} `)
    }, 4),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const impatient = connect(port, '127.0.0.1').on('error', () => {})
  impatient.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50))
  await once(impatient, 'close')
  expect(begun).toBe(1)

  const line = connect(port, '127.0.0.1')
  let text = ''
  line.on('data', (chunk) => (text += chunk))
  line.write(
    ['/slow', '/', '/'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n`).join(''),
  )
  await until(async () => waiting.length === 2)
  expect(begun).toBe(2)
  waiting[1].end('slow ')
  await until(async () => text.includes('answer 4'))
  expect(text.match(/slow|answer \d/g)).toEqual(['slow', 'answer 3', 'answer 4'])
  line.destroy()

  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let i = 0; i < 10; i++) {
    const [answer] = (await once(get({ port, agent }), 'response')) as [IncomingMessage]
    await once(answer.resume(), 'end')
  }
  expect(begun).toBe(14)
  agent.destroy()
  for (const res of waiting) res.destroy()
  server.close()
})
