import { createServer } from 'node:http'
import { type AddressInfo, BlockList } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allowedNetworks, type Resolve, requireAllowed } from '../../../worker/webhooks/addresses.ts'
import { addressFault, sendOnce } from '../../../worker/webhooks/send.ts'

const none = new BlockList()
const loopback = allowedNetworks('127.0.0.0/8,::1')

describe('an address', () => {
  const isRefused = (address: string, isPlain = false, allowed = none) => {
    try {
      requireAllowed(address, isPlain, allowed)
      return false
    } catch {
      return true
    }
  }
  test.each(
    '127.0.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 198.18.0.1 ::1 :: fe80::1 fd00::1 ff02::1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 64:ff9b::a00:1 2002:a00:1:: 2001:db8::1 2001::1'.split(
      ' ',
    ),
  )('%s is not public', (address) => expect(isRefused(address)).toBe(true))
  test.each('8.8.8.8 172.32.0.1 100.128.0.1 2606:4700:4700::1111 2a00:1450:4001::1'.split(' '))(
    '%s is public, but not by plain HTTP',
    (address) => {
      expect(isRefused(address)).toBe(false)
      expect(isRefused(address, true)).toBe(true)
    },
  )
  test('in WEBHOOK_NETWORKS is allowed, by plain HTTP, too', () => {
    expect(isRefused('127.0.0.1', true, loopback)).toBe(false)
    expect(isRefused('10.0.0.1', false, loopback)).toBe(true)
    expect(() => allowedNetworks('10.0.0.0/64')).toThrow('WEBHOOK_NETWORKS must list networks, got 10.0.0.0/64')
  })
})

test.each([
  ['http://example.org/', 'WEBHOOK_NETWORKS'],
  ['ftp://example.org/', 'https://example.org/hook'],
  ['example.org', 'https://example.org/hook'],
  ['https://anna:secret@example.org/', 'no user'],
  ['https://example.org/#here', 'fragment'],
  [`https://example.org/${'a'.repeat(2000)}`, '2000 characters'],
])('%s is no address for a webhook', (address, rule) => expect(addressFault(address, false)).toContain(rule))

describe('a request', () => {
  const signal = new AbortController().signal
  let port: number
  let hits = 0
  const server = createServer((req, res) => {
    hits++
    if (req.url === '/slow') return
    res.end()
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const send = (host: string, path = '/', more: { resolve?: Resolve; timeoutMs?: number } = {}) => {
    const webhook = { url: `http://${host}:${port}${path}`, secrets: [] }
    return sendOnce(webhook, { id: 'msg_1', body: '{}' }, { allowed: loopback, ...more }, signal)
  }

  test('goes to the address that was checked, and to no other that the name means a moment later', async () => {
    const meant = ['127.0.0.1', '127.0.0.1', '10.0.0.1']
    const resolve: Resolve = (_host, _options, done) => done(null, [{ address: meant.shift() ?? '', family: 4 }])
    const before = hits
    expect(await send('receiver.example', '/', { resolve })).toMatchObject({ status: 200, error: null })
    expect(hits).toBe(before + 1)
    expect(meant).toHaveLength(2)
    expect(await send('receiver.example', '/', { resolve })).toMatchObject({ status: 200 })
    const rebound = await send('receiver.example', '/', { resolve })
    expect(rebound).toMatchObject({ status: null, error: expect.stringContaining('plain HTTP') })
    expect(hits).toBe(before + 2)
  })

  test('is not made if one of several addresses is not allowed', async () => {
    const both = [
      { address: '127.0.0.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]
    const before = hits
    const sent = await send('receiver.example', '/', { resolve: (_host, _options, done) => done(null, both) })
    expect(sent.status).toBe(null)
    expect(hits).toBe(before)
  })

  test.each(['10.0.0.1', '[::ffff:10.0.0.1]', '0x0a000001', '167772161', '169.254.169.254'])(
    'to %s, which needs no resolving, is checked, too',
    async (host) => expect((await send(host)).error).toMatch(/^its host is/),
  )

  test('that is not answered in time, or whose name or port is not there, says so', async () => {
    expect(await send('127.0.0.1', '/slow', { timeoutMs: 50 })).toMatchObject({
      status: null,
      error: 'no answer in 50 ms',
    })
    const away = { url: 'http://127.0.0.1:1/', secrets: [] }
    expect(await sendOnce(away, { id: 'msg_1', body: '{}' }, { allowed: loopback }, signal)).toMatchObject({
      error: 'ECONNREFUSED',
    })
  })
})
