import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkingBody, readBody } from '../../server/http/body/body.ts'
import { openBodyMemory } from '../../server/http/body/body-memory.ts'
import { openBodyRoom } from '../../server/http/body/body-room.ts'

const MAX_BYTES = 2 ** 20

test('no two bodies have the same memory at a time, each has enough, and it is used again', () => {
  const takes = fc.array(fc.option(fc.integer({ min: 0, max: 2 * MAX_BYTES })), { maxLength: 60 })
  fc.assert(
    fc.property(takes, (steps) => {
      const memory = openBodyMemory(MAX_BYTES)
      const used: Buffer[] = []
      for (const bytes of steps) {
        if (bytes === null) {
          const back = used.shift()
          if (back) memory.giveBack(back)
          continue
        }
        const taken = memory.take(bytes)
        expect(taken.length).toBeGreaterThanOrEqual(bytes)
        expect(used.map(({ buffer }) => buffer)).not.toContain(taken.buffer)
        used.push(taken)
      }
    }),
  )
  const memory = openBodyMemory(MAX_BYTES)
  const first = memory.take(100_000)
  memory.giveBack(first)
  expect(memory.take(90_000).buffer).toBe(first.buffer)
})

test('released memory is pooled up to the limit, the latest first', () => {
  const memory = openBodyMemory(MAX_BYTES)
  const blocks = Array.from({ length: 6 }, () => memory.take(MAX_BYTES / 4))
  for (const block of blocks) memory.giveBack(block)
  const again = blocks.map(() => memory.take(MAX_BYTES / 4).buffer)
  expect(blocks.map(({ buffer }) => again.includes(buffer))).toEqual([false, false, true, true, true, true])
})

test('the body of a client that has left keeps its memory until its handler has ended', async () => {
  const room = openBodyRoom(MAX_BYTES)
  let onLeft = () => {}
  const left = new Promise<void>((resolve) => {
    onLeft = resolve
  })
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const seen: string[] = []
  const handler = checkingBody(async (req, res) => {
    const bytes = await readBody(req, res, {
      types: ['text/plain'],
      maxBytes: MAX_BYTES,
      place: room.enter('somebody'),
    })
    if (bytes[0] === 0x61) {
      res.once('close', onLeft)
      first.destroy()
      await gate
    }
    seen.push(bytes.toString())
    res.end()
  })
  const server = createServer(express().post('/', handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const send = (letter: string) => {
    const headers = { 'content-type': 'text/plain' }
    return request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false }).end(letter.repeat(100_000))
  }
  const first = send('a').on('error', () => {})
  await left
  const [answer] = await once(send('b'), 'response')
  answer.resume()
  goOn()
  await expect.poll(() => seen).toEqual(['b'.repeat(100_000), 'a'.repeat(100_000)])
  server.close()
  await once(server, 'close')
})
