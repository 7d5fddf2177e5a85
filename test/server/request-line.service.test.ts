import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { shareTestServer } from './test-server.ts'

const service = kept(await shareTestServer())

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
  ['an empty Host', 'GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
  ['a blank in its Host', 'GET /healthz HTTP/1.1\r\nHost: a.test b.test\r\nConnection: close\r\n\r\n'],
  ['a path in its Host', 'GET /healthz HTTP/1.1\r\nHost: a.test/b\r\nConnection: close\r\n\r\n'],
  ['chunks in HTTP/1.0', 'POST /api2/session HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['no Host', 'GET /api2/exports HTTP/1.1\r\nConnection: close\r\n\r\n'],
])('a request with %s is refused', async (_, head) => {
  expect(await say(head)).toMatch(/^HTTP\/1\.1 400 /)
})

test('one Host is enough, and HTTP/1.0 needs none', async () => {
  expect(await say('GET /healthz HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  expect(await say('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
})

test('a request that was answered before its body broke has one answer', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.write('POST /api2/session HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n')
  let said = ''
  socket.setEncoding('utf8').on('data', (piece) => {
    if (said === '') socket.write('not a chunk\r\n')
    said += piece
  })
  await once(socket, 'close')
  expect(said.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1)
})
