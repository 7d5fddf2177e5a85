import { writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { isLoopback, trustedProxy } from '../../server/http/proxy.ts'
import { startServer } from '../../server/listen.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { makeCertificate } from './certificate.ts'
import { STUDY, shareTestServer, type TestServer, until } from './test-server.ts'

const service = kept(await shareTestServer())
const directory = await keptDirectory()

const flow = `/api2/studies/${STUDY}/flow`
/** A second server on the same parts, with other settings. */
const startWith = (settings: Partial<TestServer['parts']['config']>) =>
  startServer({ ...service.parts, config: { ...service.parts.config, ...settings } })

test('beyond loopback, the server starts neither without TLS nor without a trusted proxy, and says how to go on', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
    const refusal = startWith({ host })
    await expect(refusal).rejects.toMatchObject({ code: 'invalid_setting' })
    await expect(refusal).rejects.toThrow(/TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY .* HOST=127\.0\.0\.1/)
  }
})

test('a host without an address is refused as such', async () => {
  await expect(startWith({ host: 'no-such-host.invalid' })).rejects.toMatchObject({
    code: 'invalid_setting',
    message: 'HOST must be an address of this machine, such as 127.0.0.1, got no-such-host.invalid',
  })
})

test('loopback is known by its address, in each of its spellings', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) expect(isLoopback(address)).toBe(true)
  for (const address of ['0.0.0.0', '::', '10.0.0.1', '::ffff:10.0.0.1', '', 'localhost'])
    expect(isLoopback(address)).toBe(false)
})

test('a port in use is reported in one sentence', async () => {
  const port = Number(new URL(service.url).port)
  await expect(startWith({ port })).rejects.toThrow(`HOST=127.0.0.1 PORT=${port} is taken by another program`)
})

test('a certificate that cannot be used is refused at start', async () => {
  const missing = { tlsCertFile: join(directory, 'nothing'), tlsKeyFile: join(directory, 'nothing') }
  await expect(startWith(missing)).rejects.toMatchObject({ code: 'invalid_setting' })
  await writeFile(join(directory, 'bad.pem'), 'no certificate')
  const bad = { tlsCertFile: join(directory, 'bad.pem'), tlsKeyFile: join(directory, 'bad.pem') }
  await expect(startWith(bad)).rejects.toMatchObject({ code: 'invalid_setting' })
})

/** Status and the name in the certificate. */
function getOverTls(url: string): Promise<{ status?: number; name: string; hsts?: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-auth-token': service.read }
    const req = request(url, { headers, rejectUnauthorized: false, agent: false }, (res) => {
      const name = String((res.socket as TLSSocket).getPeerCertificate().subject.CN)
      res
        .resume()
        .on('end', () => resolve({ status: res.statusCode, name, hsts: res.headers['strict-transport-security'] }))
    })
    req.on('error', reject)
    req.end()
  })
}

test('over TLS, SIGHUP brings a new certificate, and a bad one leaves the old', async () => {
  const tlsCertFile = join(directory, 'cert.pem')
  const tlsKeyFile = join(directory, 'key.pem')
  const install = async ({ cert, key }: { cert: string; key: string }) => {
    await writeFile(tlsCertFile, cert)
    await writeFile(tlsKeyFile, key)
  }
  await install(makeCertificate('first'))
  const server = await startWith({ tlsCertFile, tlsKeyFile })
  try {
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await getOverTls(server.url + flow)).toMatchObject({ status: 200, name: 'first', hsts: expect.anything() })
    await install(makeCertificate('second'))
    process.emit('SIGHUP')
    await until(async () => (await getOverTls(server.url + flow)).name === 'second')
    await install({ cert: 'nothing', key: 'nothing' })
    process.emit('SIGHUP')
    await until(async () => service.logged.some((line) => line.includes('certificate not reread')))
    expect(await getOverTls(server.url + flow)).toMatchObject({ status: 200, name: 'second' })
  } finally {
    await server.close(1000)
  }
  expect(process.listenerCount('SIGHUP')).toBe(0)
})

test('a TLS handshake that never ends is broken off, and keeps the server from stopping no longer than its grace', async () => {
  const [tlsCertFile, tlsKeyFile] = [join(directory, 'hang-cert.pem'), join(directory, 'hang-key.pem')]
  const { cert, key } = makeCertificate('hanging')
  await writeFile(tlsCertFile, cert)
  await writeFile(tlsKeyFile, key)
  const server = await startWith({ tlsCertFile, tlsKeyFile })
  const hang = async () => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname).on('error', () => {})
    // The first bytes of a handshake.
    await new Promise<void>((resolve) => socket.write(Buffer.from([0x16, 3, 1]), () => resolve()))
    return socket
  }
  const first = await hang()
  await until(async () => first.closed)
  const second = await hang()
  await server.close(500)
  await until(async () => second.closed)
  expect(await getOverTls(server.url + flow).catch(({ code }) => code)).toBe('ECONNREFUSED')
})

test('behind a trusted proxy, what came over plain HTTP is refused', async () => {
  for (const trustProxy of ['1', '127.0.0.0/8,10.0.0.0/8']) {
    const server = await startWith({ trustProxy })
    try {
      const get = (proto?: string) =>
        fetch(server.url + flow, {
          headers: { 'x-auth-token': service.read, ...(proto === undefined ? {} : { 'x-forwarded-proto': proto }) },
        })
      expect((await get('https')).status).toBe(200)
      expect((await get()).status).toBe(200)
      for (const proto of ['http', 'https, http', 'http,https']) {
        const refused = await get(proto)
        expect(refused.status).toBe(403)
        expect(await refused.json()).toMatchObject({ type: '/docs/problems/https-required' })
      }
      expect((await fetch(`${server.url}/healthz`, { headers: { 'x-forwarded-proto': 'http' } })).status).toBe(200)
    } finally {
      await server.close(1000)
    }
  }
})

test('a hop count is believed of peers at private addresses alone, a list of networks of these', () => {
  const byHops = trustedProxy('2')
  for (const address of ['127.0.0.1', '::1', '10.1.2.3', '172.20.0.1', '192.168.9.9', 'fd00::1', '::ffff:10.0.0.1'])
    expect([address, byHops(address, 0)]).toEqual([address, true])
  for (const address of ['203.0.113.9', '2001:db8::1', '172.32.0.1', '::ffff:203.0.113.9', '', 'x'])
    expect([address, byHops(address, 0)]).toEqual([address, false])
  expect([byHops('203.0.113.9', 1), byHops('203.0.113.9', 2)]).toEqual([true, false])
  const byList = trustedProxy('203.0.113.0/24,2001:db8::7')
  expect(['203.0.113.9', '2001:db8::7'].map((each) => byList(each, 5))).toEqual([true, true])
  expect(['10.0.0.1', '2001:db8::8', '127.0.0.1'].map((each) => byList(each, 0))).toEqual([false, false, false])
  expect(trustedProxy('')('127.0.0.1', 0)).toBe(false)
  expect(() => trustedProxy('10.0.0.0/99')).toThrow(/TRUST_PROXY must list networks, got 10\.0\.0\.0\/99/)
})

test('guesses are limited by the peer, too, whatever addresses it speaks for', async () => {
  const server = await startWith({ trustProxy: '1' })
  try {
    const guess = (i: number) =>
      fetch(server.url + flow, { headers: { 'x-forwarded-for': `203.0.${i >> 8}.${i & 255}` } })
    const statuses: number[] = []
    for (let i = 0; i < 1020; i += 60)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 60 }, (_, j) => guess(i + j)))).map((each) => each.status),
      )
    expect(statuses.filter((status) => status === 401)).toHaveLength(1000)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    const good = { 'x-forwarded-for': '203.0.9.9', 'x-auth-token': service.read }
    expect((await fetch(server.url + flow, { headers: good })).status).toBe(200)
  } finally {
    await server.close(1000)
  }
})

test('forwarded headers are ignored without a trusted proxy', async () => {
  const headers = { 'x-auth-token': service.read, 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.9' }
  expect((await fetch(service.url + flow, { headers })).status).toBe(200)
})

test('failing answers come later and later, those of another address at once', async () => {
  const server = await startWith({ trustProxy: '1' })
  try {
    const fail = async (address: string) => {
      const startedMs = performance.now()
      await fetch(server.url + flow, { headers: { 'x-forwarded-for': address } })
      return performance.now() - startedMs
    }
    for (let i = 0; i < 7; i++) await fail('203.0.113.9')
    // Relative, since nothing may be said about times: the eighth waits longer than the first of somebody else.
    const [known, other] = await Promise.all([fail('203.0.113.9'), fail('203.0.113.10')])
    expect(known).toBeGreaterThan(other)
  } finally {
    await server.close(1000)
  }
})

test('an address that fails too often is refused with 429, and good tokens from it are not', async () => {
  const server = await startWith({ trustProxy: '1' })
  try {
    const headers = { 'x-forwarded-for': '203.0.113.77' }
    const statuses = await Promise.all(
      Array.from({ length: 320 }, () => fetch(server.url + flow, { headers }).then(({ status }) => status)),
    )
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    expect(statuses.filter((status) => status === 401)).toHaveLength(300)
    expect((await fetch(server.url + flow, { headers: { ...headers, 'x-auth-token': service.read } })).status).toBe(200)
  } finally {
    await server.close(1000)
  }
})
