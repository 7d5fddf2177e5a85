import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boundBodies, waitForBody } from '../../server/http/body/body-time.ts'

/**
 * Starts a server that answers with the length of the body, with a timeout of bodies for the path that a request names.
 */
const app = express()
app.use((req, res, next) => {
  if (req.path !== '/') waitForBody(req, Number(req.path.slice(1)))
  let size = 0
  req.on('data', (piece: Buffer) => {
    size += piece.length
  })
  req.on('end', () => res.send(String(size))).on('error', next)
})
const WITHIN_MS = 100
const server = createServer(
  { requestTimeout: 0 },
  boundBodies(app as RequestListener, { withinMs: WITHIN_MS, bytesPerSecond: 1000 }),
)
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => void server.close())

/** Sends so many bytes at once, and the last one after a while. */
async function slowly(path: string, bytes: number, pauseMs: number): Promise<string> {
  const { port } = server.address() as AddressInfo
  const req = request({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    agent: false,
    headers: { 'content-length': bytes + 1 },
  })
  const answered = once(req, 'response')
  req.on('error', () => {}).write(Buffer.alloc(bytes))
  await Promise.race([sleep(pauseMs), answered])
  req.end('.')
  const [response] = await answered
  let text = ''
  for await (const piece of response) text += piece
  return `${response.statusCode} ${text}`
}

test('the timeout of a body grows with the bytes received', async () => {
  expect(await slowly('/60000', 60_000, 5 * WITHIN_MS)).toBe('200 60001')
})

test.each([
  ['that nothing waits for', '/', 60_000],
  ['that is waited for, but brings nothing', '/60000', 1],
  ['that takes longer than all may', '/150', 60_000],
])('a body %s is told that it is too late, and its connection closed', async (_, path, bytes) => {
  const answer = await slowly(path, bytes, 60_000)
  expect(answer).toMatch(/^408 /)
  expect(JSON.parse(answer.slice(4))).toMatchObject({ type: '/docs/problems/request-timeout', status: 408 })
})
