import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { send } from './contract.ts'
import { STUDY, shareTestServer, type TestServer } from './test-server.ts'

const flow = `/api2/studies/${STUDY}/flow`

async function within(settings: Record<string, string>, work: (service: TestServer) => Promise<void>): Promise<void> {
  const service = await shareTestServer(settings)
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

const ask = (service: TestServer, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(service.url, { path, method, headers: { 'x-auth-token': service.read, ...headers } })

test('a query that is too long is refused before anything looks at it', () =>
  within({}, async (service) => {
    for (const path of [flow, '/api2/exports', '/nothing', '/'])
      for (const headers of [undefined, { 'x-auth-token': 'x' }]) {
        const answer = await ask(service, `${path}?${'a&'.repeat(4096)}a`, headers)
        expect(answer.status).toBe(414)
        expect(JSON.parse(answer.body.toString()).type).toBe('/docs/problems/query-too-long')
      }
    expect((await ask(service, `${flow}?${'x'.repeat(2000)}=1`)).status).toBe(400)
    // The longest filter fits, its characters escaped.
    const filter = new URLSearchParams({ filter: `item_filename <> '${'&'.repeat(1981)}'` })
    const fixations = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
    expect((await ask(service, `${fixations}?${filter}`)).status).toBe(200)
  }))

test('a query with too many names gets a single fault, so that it costs no more than others', () =>
  within({}, async (service) => {
    const names = Array.from({ length: 400 }, (_, i) => `n${i}`).join('&')
    const answer = await ask(service, `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?${names}`)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body.toString()).errors).toEqual([
      { parameter: 'n64', rule: 'is one of more than 64 parameters', value: '' },
    ])
  }))

test('a refused query counts as five requests', () =>
  within({ REQUESTS_PER_MINUTE: '10' }, async (service) => {
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await ask(service, `${flow}?nonsense=1`)).status)
    expect(statuses).toEqual([400, 400, 429])
    expect((await ask(service, flow, { 'x-auth-token': service.narrow })).status).toBe(200)
  }))

test('signing in and asking who is signed in count as requests of the token', () =>
  within({ REQUESTS_PER_MINUTE: '3' }, async (service) => {
    const first = await ask(service, '/api2/session', {}, 'POST')
    const cookie = String(first.headers['set-cookie']).split(';')[0]
    const who = () => send(service.url, { path: '/api2/session', headers: { cookie } })
    expect([first.status, (await who()).status, (await who()).status]).toEqual([201, 200, 200])
    expect([(await who()).status, (await ask(service, '/api2/session', {}, 'POST')).status]).toEqual([429, 429])
  }))

test('what needs no token is limited per address', () =>
  within({ TRUST_PROXY: '1' }, async (service) => {
    const from = (address: string, path: string) => send(service.url, { path, headers: { 'x-forwarded-for': address } })
    const paths = ['/api2/exports', '/api2/exports/mouse/schema', '/api2/openapi.json', '/api2/session', '/docs']
    const statuses: Record<number, number> = {}
    for (let i = 0; i < 1210; i += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, j) => from('203.0.113.5', paths[(i + j) % 5])))
      for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
    }
    expect(statuses).toEqual({ 200: 1200, 429: 10 })
    const refused = await from('203.0.113.5', '/api2/exports')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await from('203.0.113.6', '/api2/exports')).status).toBe(200)
    expect((await ask(service, flow, { 'x-forwarded-for': '203.0.113.5' })).status).toBe(200)
  }))

test('public answers are compressed for clients that accept it', () =>
  within({}, async (service) => {
    for (const path of ['/api2/exports', '/api2/exports/mouse/schema', '/api2/openapi.json', '/docs']) {
      const plain = await send(service.url, { path })
      const zipped = await send(service.url, { path, headers: { 'accept-encoding': 'gzip' } })
      expect([plain.headers['content-encoding'], zipped.headers['content-encoding']]).toEqual([undefined, 'gzip'])
      expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
      expect(zipped.body.length).toBeLessThan(plain.body.length)
      expect(zipped.headers.vary).toBe('Accept-Encoding')
      const head = await send(service.url, { path, method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
      expect([head.body.length, head.headers['content-length']]).toEqual([0, String(zipped.body.length)])
    }
  }))
