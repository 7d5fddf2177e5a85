import { once } from 'node:events'
import { Agent, createServer as createHttpServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { boundSockets, boundUnanswered } from '../../server/http/sockets.ts'
import { until } from './house.ts'

async function listening(isExempt: (address: string) => boolean) {
  const server = createServer((socket) => socket.on('error', () => {}))
  const breakAll = boundSockets(server, { perAddress: 3, isExempt })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const dial = () => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  return { server, breakAll, dial }
}

const open = (sockets: Socket[]) => sockets.filter(({ closed }) => !closed).length

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
  const { server, breakAll, dial } = await listening((address) => address.endsWith('127.0.0.1'))
  const sockets = Array.from({ length: 10 }, dial)
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(open(sockets)).toBe(10)
  breakAll()
  server.close()
})

test('a connection that waits for no answer is broken; one request after the other goes on', async () => {
  let begun = 0
  const waiting: ServerResponse[] = []
  const server = createHttpServer(
    boundUnanswered((req, res) => {
      begun++
      if (req.url === '/slow') waiting.push(res)
      else res.end('x')
    }, 4),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const impatient = connect(port, '127.0.0.1').on('error', () => {})
  impatient.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50))
  await once(impatient, 'close')
  expect(begun).toBe(4)
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
