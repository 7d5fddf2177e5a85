import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startFairly } from '../../server/http/waiting/fair-starts.ts'

/** A request as Node's server hands it on, from an address. */
function request(address: string, headers: Record<string, string>): [IncomingMessage, ServerResponse] {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
  const req = Object.assign(new IncomingMessage(socket), { headers })
  return [req, new ServerResponse(req)]
}

const tokenOf = ({ headers }: IncomingMessage) => String(headers['x-auth-token'])

test('addresses start in turn, and the tokens of an address', async () => {
  const started: string[] = []
  const start = startFairly(
    (req) => void started.push(tokenOf(req)),
    () => false,
  )
  for (let i = 0; i < 20; i++) start(...request('10.0.0.1', { 'x-auth-token': 'crowd' }))
  start(...request('10.0.0.1', { 'x-auth-token': 'neighbour' }))
  start(...request('10.0.0.2', { 'x-auth-token': 'other' }))
  await setImmediate()
  expect(started.slice(0, 5)).toEqual(['crowd', 'other', 'neighbour', 'crowd', 'crowd'])
})

test('clients of a proxy start in turn by the address that it saw, whatever they put before it', async () => {
  const started: string[] = []
  const start = startFairly(
    (req) => void started.push(tokenOf(req)),
    (address) => address === '10.0.0.9',
  )
  const by = (token: string, forwarded: string) =>
    start(...request('10.0.0.9', { 'x-auth-token': token, 'x-forwarded-for': forwarded }))
  for (let i = 0; i < 20; i++) by(`crowd ${i}`, `1.2.3.${i}, 10.0.0.1`)
  by('other', '10.0.0.2')
  await setImmediate()
  expect(started.slice(0, 3)).toEqual(['crowd 0', 'other', 'crowd 1'])
})

test('all that wait start in the end, each once, and none whose client has left', async () => {
  const started: number[] = []
  const start = startFairly(
    (req, res) => {
      started.push(Number(tokenOf(req)))
      res.emit('close')
    },
    () => false,
  )
  for (let i = 0; i < 50; i++) {
    const [req, res] = request('10.0.0.1', { 'x-auth-token': String(i) })
    start(req, res)
    if (i === 7) req.socket.destroy()
  }
  while (started.length < 49) await setImmediate()
  expect(started).toEqual(Array.from({ length: 50 }, (_, i) => i).filter((i) => i !== 7))
})
