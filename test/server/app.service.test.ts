import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { EXPORT_NAMES } from '../../engine/model/export-names.ts'
import { kept } from '../engine/kept.ts'
import { ITEM, OTHER_STUDY, STUDY, shareTestServer } from './test-server.ts'

const service = kept(await shareTestServer())

const flow = `/api2/studies/${STUDY}/flow`

/** A request that fetch would not send. @param text without the blank line at its end */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname, () => socket.write(`${text}\r\n\r\n`))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const body = (await response.json()) as Record<string, unknown>
  expect(body.status).toBe(response.status)
  expect(body.instance).toBe(response.headers.get('x-request-id'))
  const page = await fetch(service.url + body.type)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await page.text()).toContain('What to do')
  return body
}

test('the flow is served as it was imported', async () => {
  const response = await service.get(flow)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await response.json()).toEqual({
    study: { id: STUDY },
    steps: [{ type: 'countdown', durationMs: 3000, later: true }],
    isServiceBasicSurveyEnabled: false,
  })
  expect((await service.get(`${flow}?studyId=${STUDY.toUpperCase()}`)).status).toBe(200)
  expect((await service.get(flow.replace(STUDY, STUDY.toUpperCase()))).status).toBe(200)
})

test('no token, a malformed, an unknown, an expired and a doubled one are refused alike', async () => {
  const expired = await service.parts.tokens.create({
    role: 'ops',
    studies: 'all',
    expiresAt: new Date(Date.now() + 5).toISOString(),
    now: new Date(),
  })
  await sleep(10)
  const bodies = []
  for (const token of [undefined, 'x', STUDY, expired.token, `${service.read}, ${service.read}`]) {
    const response = await fetch(service.url + flow, { headers: token === undefined ? {} : { 'x-auth-token': token } })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBeTruthy()
    const { instance: _, ...body } = await problemOf(response)
    bodies.push(JSON.stringify(body))
  }
  expect(new Set(bodies).size).toBe(1)
})

test('two token headers are refused, even if both are good', async () => {
  const answer = await raw(
    `GET ${flow} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Auth-Token: ${service.read}\r\nX-Auth-Token: ${service.read}`,
  )
  expect(answer).toMatch(/^HTTP\/1.1 401 /)
})

test('a study that the token may not read is as absent as an unknown and a malformed one', async () => {
  const bodies = []
  for (const id of [OTHER_STUDY, '0c000000-0000-4000-8000-000000000009', 'lab-1', '..%2F..']) {
    for (const path of ['', '/flow', '/collected-data/eye-tracking/fixations?nonsense=1']) {
      const response = await service.get(`/api2/studies/${id}${path}`, { 'x-auth-token': service.narrow })
      expect(response.status).toBe(404)
      const { instance: _, ...body } = await problemOf(response)
      bodies.push(JSON.stringify(body))
    }
  }
  expect(new Set(bodies).size).toBe(1)
})

test('the checks run in the order 401, 404, 400', async () => {
  const path = '/collected-data/eye-tracking/fixations?movingMedianRangeMs=1'
  expect((await fetch(`${service.url}/api2/studies/x${path}`)).status).toBe(401)
  expect((await service.get(`/api2/studies/x${path}`)).status).toBe(404)
  expect((await service.get(`/api2/studies/${STUDY}${path}`)).status).toBe(400)
})

test('all faults of a request are reported at once', async () => {
  const query = `studyId=${OTHER_STUDY}&itemId=${OTHER_STUDY}&movingMedianRangeMs=19&gazeVelocityTreshold=1&saccadeMaxDurationMs=20&saccadeMaxDurationMs=20&maxFixationDurationMs=70&variant=raw`
  const response = await service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?${query}`)
  expect(response.status).toBe(400)
  const { errors } = (await problemOf(response)) as { errors: { parameter: string; nearest?: string }[] }
  expect(errors.map(({ parameter }) => parameter).sort()).toEqual([
    'gazeVelocityTreshold',
    'itemId',
    'maxFixationDurationMs',
    'movingMedianRangeMs',
    'saccadeMaxDurationMs',
    'studyId',
    'variant',
  ])
  expect(errors.find(({ parameter }) => parameter === 'gazeVelocityTreshold')?.nearest).toBe('gazeVelocityThreshold')
})

test('variant is checked on the path that three exports share', async () => {
  const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/gazes/raw`
  for (const query of ['variant=all', 'variant=raw&variant=raw', 'variant=']) {
    const { errors } = (await problemOf(await service.get(`${path}?${query}`))) as { errors: { parameter: string }[] }
    expect(errors.map(({ parameter }) => parameter)).toEqual(['variant'])
  }
})

test('broken % escapes, unknown paths and wrong methods are problems too', async () => {
  expect((await problemOf(await service.get('/api2/studies/%zz/flow'))).status).toBe(400)
  expect((await problemOf(await service.get('/api2/nothing'))).status).toBe(404)
  expect((await problemOf(await service.get('/nothing'))).status).toBe(404)
  expect((await problemOf(await service.get('/%c3%28'))).status).toBe(404)
  const response = await service.get(flow, {}, 'POST')
  expect((await problemOf(response)).status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
  const job = await service.get('/api2/jobs/x', {}, 'PUT')
  expect(job.status).toBe(405)
  expect(job.headers.get('allow')).toBe('GET, HEAD, DELETE')
  expect((await service.get('/API2/studies')).status).toBe(404)
})

test('malformed HTTP, too many headers or an unexpected body get a problem, too', async () => {
  expect(await raw('NONSENSE')).toMatch(/^HTTP\/1.1 400 [\s\S]*application\/problem\+json[\s\S]*malformed-request/)
  const large = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}`)
  expect(large).toMatch(/^HTTP\/1.1 431 [\s\S]*headers-too-large/)
  const body = await raw(`GET ${flow} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000`)
  expect(body).toMatch(/^HTTP\/1.1 413 [\s\S]*body-too-large/)
})

test('a request without Host or with an odd expectation is answered like any other', async () => {
  expect(await raw('GET /healthz HTTP/1.0')).toMatch(/^HTTP\/1.1 200 /)
  expect(await raw('GET /docs/problems/ HTTP/1.1\r\nConnection: close')).toMatch(
    /^HTTP\/1.1 400 [\s\S]*malformed-request/,
  )
  expect(await raw('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: gold\r\nConnection: close')).toMatch(/^HTTP\/1.1 200 /)
})

test('nonsense after a request never gets into its answer', async () => {
  const head = `Host: x\r\nX-Auth-Token: ${service.read}`
  const answer = await raw(
    `GET /api2/studies/${STUDY}/collected-data/eye-tracking/fixations HTTP/1.1\r\n${head}\r\n\r\nNONSENSE`,
  )
  expect(answer).not.toContain('malformed-request')
})

test('a HEAD answer has the headers of its GET and no body', async () => {
  const response = await service.get(flow, {}, 'HEAD')
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('')
  expect((await service.get('/nothing', {}, 'HEAD')).status).toBe(404)
})

test('neither a token nor a query reaches the log', async () => {
  await service.get(`${flow}?token=${service.read}`, {
    authorization: `Basic ${btoa(`x:${service.ops}`)}`,
    cookie: 'a=secret',
  })
  service.parts.log.info(
    { req: { headers: { 'x-auth-token': service.read, authorization: service.ops } } },
    'by mistake',
  )
  const all = service.logged.join('')
  expect(all).toContain('by mistake')
  expect(all).toContain(flow)
  for (const secret of [service.read, service.ops, service.narrow, 'a=secret', btoa(`x:${service.ops}`)])
    expect(all).not.toContain(secret)
})

test('studies are listed page by page, those alone that the token may read', async () => {
  const first = (await (await service.get('/api2/studies?limit=1')).json()) as { nextCursor: string }
  expect(first).toMatchObject({
    studies: [
      { id: STUDY, name: 'Café, naïve – 2', participantCount: 2, itemCount: 1, testCount: 2, sampleCount: 120 },
    ],
  })
  const second = await (await service.get(`/api2/studies?limit=1&cursor=${first.nextCursor}`)).json()
  expect(second).toMatchObject({ studies: [{ id: OTHER_STUDY }], nextCursor: null })
  const narrow = await (await service.get('/api2/studies', { 'x-auth-token': service.narrow })).json()
  expect(narrow).toMatchObject({ studies: [{ id: STUDY }], nextCursor: null })
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'cursor=', 'page=2'])
    expect((await service.get(`/api2/studies?${query}`)).status).toBe(400)
})

test('a study tells its items with their test counts, and its AOIs', async () => {
  const study = await (await service.get(`/api2/studies/${STUDY}`)).json()
  expect(study).toMatchObject({
    id: STUDY,
    items: [{ id: ITEM, filename: 'a.png', testCount: 2 }],
    aois: [{ name: 'left' }],
  })
})

test('an unknown address is a page in a browser, and a problem for everybody else', async () => {
  const asked = (path: string, headers: Record<string, string>) => fetch(service.url + path, { headers })
  const page = await asked('/no-such-page', { accept: 'text/html,*/*;q=0.8' })
  expect([page.status, page.headers.get('content-type')]).toEqual([404, expect.stringContaining('text/html')])
  for (const [path, headers] of [
    ['/no-such-page', {}],
    ['/docs/no-such-page', { accept: 'text/html' }],
    ['/api2/no-such-path', { accept: 'text/html', 'x-auth-token': service.narrow }],
  ] as const) {
    const answer = await asked(path, headers)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  }
})

test('the drop rate counts all participants as started', async () => {
  const body = await (await service.get('/api2/studies-all/drop-rate', { 'x-auth-token': service.narrow })).json()
  expect(body).toEqual({
    studies: [{ study: { id: STUDY }, startedCount: 2, completedCount: 1, dropRatePercents: 50 }],
  })
})

test('exports, schemas and problem pages need no token', async () => {
  const { exports } = (await (await fetch(`${service.url}/api2/exports`)).json()) as {
    exports: { schema: string; path: string }[]
  }
  expect(exports).toHaveLength(EXPORT_NAMES.length)
  for (const { schema, path } of exports) {
    const { fields } = (await (await fetch(service.url + schema)).json()) as { fields: { name: string }[] }
    expect(fields.map(({ name }) => name)).toContain('notes')
    expect(path).toMatch(/^\/api2\/studies\/\{studyId\}\/collected-data\//)
  }
  expect((await fetch(`${service.url}/api2/exports/nothing/schema`)).status).toBe(404)
  expect(await (await fetch(`${service.url}/docs/problems/`)).text()).toContain('/docs/problems/disk-full')
})

test('requests per token are limited, and say so', async () => {
  const limited = await shareTestServer({ REQUESTS_PER_MINUTE: '2' })
  try {
    const first = await limited.get(flow)
    expect(first.status).toBe(200)
    expect(first.headers.get('ratelimit')).toMatch(/r=1/)
    await limited.get(flow)
    const third = await limited.get(flow)
    expect(third.status).toBe(429)
    expect(third.headers.get('content-type')).toBe('application/problem+json')
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await limited.get(flow, { 'x-auth-token': limited.narrow })).status).toBe(200)
  } finally {
    await limited.close()
  }
})

test('a client that sends its request slowly does not hold up others', async () => {
  const { hostname, port } = new URL(service.url)
  const slow = httpRequest({
    hostname,
    port,
    path: flow,
    method: 'GET',
    headers: { 'content-length': 100, 'x-auth-token': service.read },
  })
  slow.on('error', () => {})
  slow.flushHeaders()
  expect((await service.get(flow)).status).toBe(200)
  slow.destroy()
})

test('a compressed study has the same content as an uncompressed one', async () => {
  const ask = (coding: string) => service.get(`/api2/studies/${STUDY}`, { 'accept-encoding': coding })
  const [zipped, plain] = [await ask('gzip'), await ask('identity')]
  expect([zipped.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
  expect(zipped.headers.get('vary')).toBe('Accept-Encoding')
  expect(Number(zipped.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')))
  expect(await zipped.text()).toBe(await plain.text())
})

test.each([
  ['a chart', `charts/heatmap?itemId=${ITEM}`],
  ['an analysis', 'analysis/quality'],
  ['methods', 'methods'],
])('%s has an entity tag for each coding, with the same content', async (_, path) => {
  const ask = (coding: string, more = {}) =>
    service.get(`/api2/studies/${STUDY}/${path}`, { 'accept-encoding': coding, accept: 'application/json', ...more })
  const [zipped, plain] = [await ask('gzip'), await ask('identity')]
  expect([zipped.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
  expect(zipped.headers.get('vary')).toMatch(/Accept-Encoding$/)
  expect(Number(zipped.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')))
  expect(await zipped.text()).toBe(await plain.text())
  const tags = [zipped.headers.get('etag')!, plain.headers.get('etag')!]
  expect(tags[0]).not.toBe(tags[1])
  const again = async (coding: string, tag: string) => (await ask(coding, { 'if-none-match': tag })).status
  expect([await again('gzip', tags[0]), await again('identity', tags[1])]).toEqual([304, 304])
  expect(await again('gzip', tags[1])).toBe(200)
})
