import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { PARAMETER_NAMES } from '../../engine/model/parameters.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { kept } from '../engine/kept.ts'
import { ITEM, OTHER_STUDY, openTestServer, STUDY, until } from './test-server.ts'

const service = kept(await openTestServer({ HOLD_SECONDS: '0' }))

/** Paths, SQL, nulls, line breaks, wide letters and more than fits. */
const EVIL = [
  '../../../etc/passwd',
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e/%2e%2e/tokens.json',
  '/etc/passwd',
  'C:\\windows\\win.ini',
  "1' OR '1'='1",
  '1; DROP TABLE samples; --',
  "'); COPY (SELECT 1) TO '/tmp/x'; --",
  "read_parquet('/etc/passwd')",
  '%00',
  'a%0d%0aSet-Cookie:%20x=1',
  '\u202e\u0000',
  '__proto__',
  'constructor',
  '9'.repeat(5000),
  '研究',
]
const given = (value: string) => (value.includes('%') ? value : encodeURIComponent(value))

/** Sent as it is: fetch would tidy the path up. */
function rawly(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const req = request({ hostname, port, path, headers: { 'x-auth-token': service.read, ...headers } }, (res) => {
      let text = ''
      res.setEncoding('latin1')
      res.on('data', (piece) => {
        text += piece
      })
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text }))
    })
    req.on('error', reject)
    req.end()
  })
}

async function expectRefused(path: string, headers?: Record<string, string>): Promise<void> {
  const { status, text } = await rawly(path, headers)
  expect([400, 401, 404, 405, 414, 431], `${path} answered ${status}`).toContain(status)
  for (const secret of [service.dataDir, 'root:x:', 'node_modules', 'SELECT "', 'Catalog Error', '    at '])
    expect(text.includes(secret), `${path} told ${secret}`).toBe(false)
}

test('no parameter of any export leads to a path or into SQL', async () => {
  for (const { path } of EXPORTS.slice(0, 2)) {
    const base = `/api2/studies/${STUDY}/collected-data/${path}`
    // Any text may be the name of events, or of AOIs where no looks are counted.
    const strict = PARAMETER_NAMES.filter((name) => name !== 'eventType' && name !== 'aoiNames')
    for (const name of [...strict, 'studyId', 'variant', 'unheard-of']) {
      const values = name === 'itemId' || path === EXPORTS[0].path ? EVIL : EVIL.slice(0, 3)
      for (const value of values) await expectRefused(`${base}?${name}=${given(value)}`)
    }
  }
})

test('no id in a path leads anywhere, nor do the lists’ parameters, headers and the pages for operators', async () => {
  // Those without a right are answered late: all at once.
  const strangers = EVIL.map(given).flatMap((value) => [
    expectRefused(`/ops/queues/api/queues/${value}`),
    expectRefused('/api2/studies', { 'x-auth-token': value.slice(0, 500) }),
  ])
  for (const value of EVIL.map(given)) {
    await expectRefused(`/api2/studies/${value}`)
    await expectRefused(`/api2/studies/${value}/flow`)
    await expectRefused(`/api2/studies/${STUDY}/items/${value}/image`)
    await expectRefused(`/api2/exports/${value}/schema`)
    for (const end of ['', '/file', '/events']) await expectRefused(`/api2/jobs/${value}${end}`)
    await expectRefused(`/api2/jobs/x${'0'.repeat(64)}${value}`)
    for (const name of ['state', 'study', 'limit', 'cursor']) await expectRefused(`/api2/jobs?${name}=${value}`)
    await expectRefused(`/docs/problems/${value}`)
  }
  await Promise.all(strangers)
  expect(
    (await readdir(join(service.dataDir, 'exports')).catch(() => [])).filter((name) => name.startsWith('x')),
  ).toEqual([])
})

test.each(['study', 'project'])(
  'what a token of a %s may not read shows nowhere: not in jobs, lists, events, files, errors, nor by a tag',
  async (of) => {
    const own = of === 'study' ? STUDY : 'project:Pilots'
    const made = await service.parts.tokens.create({ role: 'read', studies: [own], expiresAt: null, now: new Date() })
    const hidden = `/api2/studies/${OTHER_STUDY}/collected-data/eye-tracking/fixations`
    const { id } = (await (await service.get(hidden, { prefer: 'respond-async' })).json()) as JobView
    const asNarrow = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const response = await service.get(path, { 'x-auth-token': made.token, ...headers }, method)
      const { instance, ...body } = JSON.parse((await response.text()) || '{}') as Record<string, unknown>
      const { 'x-request-id': _, ratelimit: __, date: ___, ...rest } = Object.fromEntries(response.headers)
      expect(instance === undefined || typeof instance === 'string').toBe(true)
      return JSON.stringify([response.status, body, rest])
    }
    const unknownStudy = hidden.replace(OTHER_STUDY, '0f000000-0000-4000-8000-00000000000f')
    const unknownJob = `x${'1'.repeat(64)}`
    const tag = { 'if-none-match': `"${id.slice(1)}"` }
    const pairs: [string, string, Record<string, string>?, string?][] = [
      [hidden, unknownStudy],
      [hidden, unknownStudy, tag],
      [hidden, unknownStudy, { prefer: 'respond-async' }],
      [`${hidden}?gazeVelocityThreshold=0`, `${unknownStudy}?gazeVelocityThreshold=0`],
      [hidden, unknownStudy, {}, 'HEAD'],
      [`/api2/studies/${OTHER_STUDY}`, '/api2/studies/0f000000-0000-4000-8000-00000000000f'],
      [`/api2/jobs/${id}`, `/api2/jobs/${unknownJob}`],
      [`/api2/jobs/${id}`, `/api2/jobs/${unknownJob}`, {}, 'DELETE'],
      [`/api2/jobs/${id}/events`, `/api2/jobs/${unknownJob}/events`],
      [`/api2/jobs/${id}/file`, `/api2/jobs/${unknownJob}/file`, tag],
      [`/api2/search?q=a&studyId=${OTHER_STUDY}`, '/api2/search?q=a&studyId=0f000000-0000-4000-8000-00000000000f'],
      [`/api2/jobs?study=${OTHER_STUDY}`, '/api2/jobs?study=0f000000-0000-4000-8000-00000000000f'],
    ]
    for (const [there, nowhere, headers, method] of pairs)
      expect(await asNarrow(there, headers, method)).toBe(await asNarrow(nowhere, headers, method))
    expect(await asNarrow('/api2/jobs')).not.toContain(OTHER_STUDY)
    // Nor does it end the job of somebody who may.
    expect(((await (await service.get(`/api2/jobs/${id}`)).json()) as JobView).state).toBe('queued')
  },
)

test('no token appears in the logs or in any file', async () => {
  await service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?itemId=${ITEM}`, {
    prefer: 'respond-async',
  })
  await service.get(`/api2/studies?token=${service.read}&limit=0`)
  await fetch(`${service.url}/api2/studies`, { headers: { 'x-auth-token': service.read.replace('-', '_') } })
  await fetch(`${service.url}/ops/metrics`, { headers: { authorization: `Basic ${btoa(`x:${service.ops}`)}` } })
  const tokens = [service.read, service.ops, service.narrow, btoa(`x:${service.ops}`)]
  const said = service.logged.join('\n')
  expect(said.length).toBeGreaterThan(1000)
  for (const token of tokens) expect(said).not.toContain(token)
  for (const entry of await readdir(service.dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = await readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => '')
    for (const token of tokens) expect(text.includes(token), entry.name).toBe(false)
  }
})

test('a client that never ends its request is disconnected, and delays nobody else', async () => {
  const { hostname, port } = new URL(service.url)
  const sockets = Array.from({ length: 200 }, () => createConnection({ host: hostname, port: Number(port) }))
  for (const socket of sockets) {
    socket.on('error', () => undefined)
    socket.write('GET /api2/studies HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  }
  expect((await service.get('/api2/studies')).status).toBe(200)
  const [first] = sockets
  const closed = new Promise((resolve) => first.once('close', resolve))
  let answer = ''
  first.on('data', (piece) => {
    answer += piece
  })
  await closed
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  for (const socket of sockets) socket.destroy()
})

test('a client that does not read its answer keeps no file open for ever, and others get theirs', async () => {
  await until(async () => (await service.get('/api2/studies')).status === 200)
  const { hostname, port } = new URL(service.url)
  const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/gazes/raw-denoises-normalized-split`
  const sockets = Array.from({ length: 100 }, () => createConnection({ host: hostname, port: Number(port) }).pause())
  for (const socket of sockets) {
    socket.on('error', () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Auth-Token: ${service.read}\r\n\r\n`)
  }
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.get(path)))
  for (const answer of answers) expect([answer.status, (await answer.text()).length > 1000]).toEqual([200, true])
  for (const socket of sockets) socket.destroy()
  await until(async () => service.parts.pool.load().running === 0)
})
