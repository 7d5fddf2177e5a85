import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shareTestServer, type TestServer } from './test-server.ts'

let service: TestServer
beforeAll(async () => {
  service = await shareTestServer()
})
afterAll(() => service.close())

/** Sends bytes as they are, and returns the whole answer. */
async function say(head: string): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.end(head)
  return text(socket)
}

test.each([
  ['two Host headers', 'GET /healthz HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\nConnection: close\r\n\r\n'],
  ['two equal ones', 'GET /healthz HTTP/1.0\r\nhost: a.test\r\nHOST: a.test\r\n\r\n'],
  ['HTTP/2.0', 'GET /healthz HTTP/2.0\r\nHost: a.test\r\nConnection: close\r\n\r\n'],
  ['HTTP/0.9', 'GET /healthz HTTP/0.9\r\nHost: a.test\r\nConnection: close\r\n\r\n'],
  ['no version', 'GET /healthz\r\n\r\n'],
  ['no Host', 'GET /api2/exports HTTP/1.1\r\nConnection: close\r\n\r\n'],
])('a request with %s is refused', async (_, head) => {
  expect(await say(head)).toMatch(/^HTTP\/1\.1 400 /)
})

test('one Host is enough, and HTTP/1.0 needs none', async () => {
  expect(await say('GET /healthz HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  expect(await say('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
})
