import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import express, { type ErrorRequestHandler } from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { checkingBody, readBody } from '../../server/http/body/body.ts'
import { openBodyRoom } from '../../server/http/body/body-room.ts'
import type { ProblemError } from '../../server/http/problems.ts'
import { until } from './test-server.ts'

const MAX_BYTES = 100_000
const BODIES = 100
/** Position in the compressed text whose content unpacks to slightly less than the limit. */
const FIRST_FAULT = 55_000

/** Text that packs badly, so that much of it is still to be unpacked when the limit is reached. */
const text = Array.from({ length: 2400 }, (_, n) => createHash('sha512').update(`${n}`).digest('hex')).join('')

/**
 * Listens with one handler that reads a body, until the test has finished.
 *
 * @param ends told of each body how it ended
 */
async function serve(ends: string[] = []): Promise<AddressInfo> {
  const room = openBodyRoom(MAX_BYTES)
  const handler = checkingBody(async (req, res) => {
    const place = room.enter('somebody')
    await readBody(req, res, { types: ['text/plain'], maxBytes: MAX_BYTES, place })
    ends.push('taken')
    res.end('taken')
  })
  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    ends.push((error as ProblemError).code)
    res.end((error as ProblemError).code)
  }
  const server = createServer(express().post('/', handler).use(onError)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return server.address() as AddressInfo
}

test('a gzipped body that is refused, and is damaged behind what was read of it, ends nothing', async () => {
  const uncaught: unknown[] = []
  const onUncaught = (error: unknown) => void uncaught.push(error)
  process.on('uncaughtException', onUncaught)
  onTestFinished(() => void process.off('uncaughtException', onUncaught))

  const { port } = await serve()
  const said: Record<string, number> = {}
  const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
  for (let n = 0; n < BODIES; n++) {
    const packed = gzipSync(text, { level: 1, memLevel: 1 }).fill(0xff, FIRST_FAULT + 250 * n)
    const sent = request({ host: '127.0.0.1', port, method: 'POST', agent: false, headers }).end(packed)
    const [answer] = await once(sent, 'response')
    let code = ''
    for await (const piece of answer) code += piece
    said[code] = (said[code] ?? 0) + 1
  }
  await sleep(100)
  expect(uncaught).toEqual([])
  // Damaged within the limit, and behind it.
  expect(said).toEqual({ bad_request: expect.any(Number), body_too_large: expect.any(Number) })
})

test('a client that has sent all of a gzipped body, and leaves, holds nothing', async () => {
  const ends: string[] = []
  const { port } = await serve(ends)
  const packed = gzipSync(text.slice(0, 0.9 * MAX_BYTES), { level: 0 })
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`
  for (let n = 0; n < BODIES; n++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(head)
    await new Promise<void>((resolve) => void socket.write(packed, () => resolve()))
    socket.destroy()
  }
  // Each is read, and its answer lost; or has lost its client, or its turn.
  await until(async () => ends.length === BODIES)
})
