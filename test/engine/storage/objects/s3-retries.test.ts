import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readStoreUrl } from '../../../../engine/model/store-url.ts'
import { openS3 } from '../../../../engine/storage/objects/s3-objects.ts'

/** A store that answers as told, and its objects as Gazette sees them. */
async function storeThat(answers: RequestListener) {
  const server = createServer((req, res) => {
    // By the clock of the test, which may be ahead: the SDK tries again where the clocks differ.
    res.setHeader('Date', new Date().toUTCString())
    answers(req, res)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' })
  const place = readStoreUrl(`s3://bucket?endpoint=http://127.0.0.1:${port}&region=us-east-1`)
  const store = openS3(place as Parameters<typeof openS3>[0])
  onTestFinished(async () => {
    store.close()
    server.closeAllConnections()
    server.close()
  })
  return store
}

const found = (res: ServerResponse) => void res.writeHead(200, { 'Content-Length': 0, ETag: '"a"' }).end()

test('connections that were all dropped while they waited cost a request no try', async () => {
  const used = new Set<Socket>()
  const held: ServerResponse[] = []
  let resets = 0
  const store = await storeThat((req: IncomingMessage, res) => {
    if (used.size === 8 && used.has(req.socket)) {
      resets++
      return void req.socket.resetAndDestroy()
    }
    if (used.size === 8) return found(res)
    // Answered all at once, so that each is on a connection of its own.
    used.add(req.socket)
    held.push(res)
    if (held.length === 8) held.forEach(found)
  })
  await Promise.all(Array.from({ length: 8 }, () => store.head('a')))
  expect(await store.head('a')).toMatchObject({ etag: '"a"' })
  expect(resets).toBe(1)
})

test('a store that resets every connection is given up after five tries, and the first loss', async () => {
  let asked = 0
  const store = await storeThat((req) => {
    asked++
    req.socket.resetAndDestroy()
  })
  await expect(store.head('a')).rejects.toMatchObject({ code: 'store_away' })
  expect(asked).toBe(6)
})

test('a store that answers each try with 500 is away, and no setting is wrong', async () => {
  const store = await storeThat((_req, res) => void res.writeHead(500, { 'Content-Length': 0 }).end())
  await expect(store.head('a')).rejects.toMatchObject({ code: 'store_away' })
})

test('a store that answers 503 four times, and then the object, has it; what it refuses is not asked again', async () => {
  const statuses = [503, 503, 503, 503]
  const store = await storeThat((_req, res) => {
    const status = statuses.shift()
    if (status === undefined) found(res)
    else res.writeHead(status, { 'Content-Length': 0 }).end()
  })
  expect(await store.head('a')).toMatchObject({ etag: '"a"' })
  statuses.push(403, 403)
  await expect(store.head('a')).rejects.toMatchObject({ code: 'invalid_setting' })
  expect(statuses).toEqual([403])
})
