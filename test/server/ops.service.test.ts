import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listJobs } from '../../engine/jobs/list-jobs.ts'
import { messageId, writeMessage } from '../../engine/webhooks/message.ts'
import { createWebhook } from '../../engine/webhooks/webhook.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { kept } from '../engine/kept.ts'
import { openTestServer, STUDY, type TestServer } from './test-server.ts'

const service = kept(await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' }))
const well = kept(await openTestServer({}, { hasWorker: true }))
/** Address without a queue: nothing listens on this port. */
const away = kept(await openTestServer({ QUEUE_URL: 'redis://127.0.0.1:1' }))

const fixations = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
const basic = (password: string, user = 'anyone') => ({ authorization: `Basic ${btoa(`${user}:${password}`)}` })
const asOps = (at: TestServer, path: string, init: RequestInit = {}) =>
  fetch(at.url + path, { ...init, headers: { ...basic(at.ops), ...init.headers } })

test('only operators sign in, by HTTP Basic with an ops token as password, or by a header', async () => {
  const paths = [
    '/ops/health',
    '/ops/metrics',
    '/ops/queues',
    '/ops/queues/api/queues',
    '/ops/queues/static/js/x.js',
    '/ops/nothing',
  ]
  const strangers: Record<string, string>[] = [
    {},
    basic(service.read),
    basic(''),
    { authorization: 'Basic !' },
    { 'x-auth-token': service.read },
  ]
  const tries = paths.flatMap((path) => strangers.map((headers) => fetch(service.url + path, { headers })))
  for (const response of await Promise.all(tries)) {
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  }
  expect((await asOps(service, '/ops/nothing')).status).toBe(404)
  const byHeader = await fetch(`${service.url}/ops/metrics`, { headers: { 'x-auth-token': service.ops } })
  expect(byHeader.status).toBe(200)
})

test("the board's page and all that it loads come from here", async () => {
  const response = await asOps(service, '/ops/queues')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
  expect(response.headers.get('x-powered-by')).toBeNull()
  const html = await response.text()
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//)
  const base = /<base href="([^"]+)"/.exec(html)?.[1] ?? ''
  const assets = [...html.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map(([, path]) => path)
  expect(assets.length).toBeGreaterThan(4)
  for (const asset of assets) {
    const { pathname } = new URL(asset, service.url + base)
    const loaded = await asOps(service, pathname)
    expect([pathname, loaded.status]).toEqual([pathname, 200])
    expect(loaded.headers.get('content-security-policy')).toContain("default-src 'self'")
    if (pathname.endsWith('.css')) expect(await loaded.text()).not.toMatch(/url\(["']?(https?:)?\/\//)
  }
})

test('the board shows jobs, and lets nobody change them', async () => {
  const { id } = (await (await service.get(fixations)).json()) as JobView
  const { queues } = (await (await asOps(service, '/ops/queues/api/queues')).json()) as {
    queues: { name: string; readOnlyMode: boolean; statuses: string[]; counts: Record<string, number> }[]
  }
  expect(queues).toHaveLength(1)
  expect(queues[0]).toMatchObject({ readOnlyMode: true, counts: { waiting: 1 } })
  expect(queues[0].statuses).not.toContain('prioritized')
  const shown = (await (
    await asOps(service, `/ops/queues/api/queues?activeQueue=${queues[0].name}&status=waiting&page=1&jobsPerPage=10`)
  ).json()) as { queues: { jobs: { name: string; data: object; externalUrl: object }[] }[] }
  expect(shown.queues[0].jobs).toMatchObject([
    {
      name: `study-cafe-naive-2-${STUDY}-fixations.csv`,
      data: { export: 'fixations', study: STUDY, samples: 120, askedBy: [expect.any(String)] },
      // The dashboard's page for operators, which lists jobs.
      externalUrl: { href: '/operations' },
    },
  ])
  const job = `/ops/queues/api/queues/${queues[0].name}/${id}-1`
  expect((await asOps(service, job)).status).toBe(200)
  for (const [method, path] of [
    ['PUT', '/ops/queues/api/queues/pause'],
    ['PUT', `/ops/queues/api/queues/${queues[0].name}/empty`],
    ['PUT', `${job}/clean`],
    ['POST', `/ops/queues/api/queues/${queues[0].name}/add`],
    ['PATCH', `${job}/update-data`],
    ['DELETE', job],
  ]) {
    const response = await asOps(service, path, { method, headers: { 'x-http-method-override': 'GET' } })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  }
  expect((await asOps(service, job)).status).toBe(200)
})

test('metrics count answers by route and status, without ids', async () => {
  await service.get(`/api2/studies/${STUDY}/flow`)
  await service.get('/api2/nothing')
  const text = await (await asOps(service, '/ops/metrics')).text()
  expect(text).toMatch(
    /gazette_http_requests_total\{method="GET",route="\/api2\/studies\/:studyId\/flow",status="200"\} [1-9]/,
  )
  expect(text).toMatch(/gazette_http_requests_total\{method="GET",route="none",status="404"\} [1-9]/)
  expect(text).toMatch(/gazette_jobs\{state="waiting"\} 1/)
  expect(text).toMatch(/nodejs_eventloop_lag_seconds/)
  expect(text).toMatch(/gazette_engine_threads 1/)
  expect(text).not.toContain(STUDY)
})

test('counters begin at 0; version, workers, tokens and problems are reported', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  await well.parts.tokens.create({ role: 'read', studies: 'all', expiresAt, now: new Date() })
  const text = await (await asOps(well, '/ops/metrics')).text()
  for (const state of ['succeeded', 'failed', 'canceled'])
    expect(text).toContain(`gazette_jobs_ended_total{state="${state}"} 0`)
  for (const status of [400, 401, 429, 500, 503])
    expect(text).toContain(`gazette_http_problems_total{status="${status}"} 0`)
  expect(text).toContain(`gazette_build_info{version="${well.parts.version}",node="${process.version}"} 1`)
  expect(text).toMatch(/^gazette_workers 1$/m)
  expect(text).toMatch(/^gazette_token_expiry_seconds 3[56]\d\d/m)
  expect(text).not.toMatch(/^gazette_certificate_expiry_seconds /m)
  expect(text).toMatch(/^gazette_webhook_messages_waiting 0$/m)
  const [{ dataDir }, now] = [well.parts.config, new Date()]
  const hook = { url: 'https://receiver.example', name: '', events: ['job.failed' as const], now }
  const { id } = await createWebhook(dataDir, hook)
  const event = { type: 'job.failed' as const, studyId: STUDY, at: now, data: {} }
  await writeMessage(dataDir, id, messageId(id, 'one'), event)
  const later = await (await asOps(well, '/ops/metrics')).text()
  expect(later).toMatch(/^gazette_webhook_messages_waiting 1$/m)
  await fetch(`${well.url}/api2/studies`)
  expect(await (await asOps(well, '/ops/metrics')).text()).toContain('gazette_http_problems_total{status="401"} 1')
  expect(await (await asOps(service, '/ops/metrics')).text()).toMatch(/^gazette_workers 0$/m)
})

test('every metric that the alert rules and the dashboard name is there', async () => {
  const text = await (await asOps(service, '/ops/metrics')).text()
  for (const name of ['alerts.yml', 'grafana-dashboard.json']) {
    const file = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
    const named = [...new Set(file.match(/\b(gazette|nodejs|process)_[a-z0-9_]+/g))]
    expect(named.length).toBeGreaterThan(5)
    for (const metric of named) expect(text, metric).toContain(`# TYPE ${metric.replace(/_bucket$/, '')} `)
  }
})

test('operators see each part by name, others nothing', async () => {
  const parts = { queue: 'ok', workers: 'ok', disk: 'ok', dataDirectory: 'ok', server: 'ok' }
  const answer = await asOps(well, '/ops/health')
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok', parts, workers: 1, damagedJobs: [] }])
  const unwell = await asOps(away, '/ops/health')
  expect([unwell.status, await unwell.json()]).toMatchObject([503, { parts: { queue: 'away', disk: 'ok' } }])
  expect((await fetch(`${service.url}/ops/health`)).status).toBe(401)
})

test('health is open and says no detail', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const response = await fetch(well.url + path)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok' })
    expect((await fetch(well.url + path, { method: 'POST' })).status).toBe(405)
  }
})

test('without a worker the server is up but not ready, and operators see the reason', async () => {
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  const ready = await fetch(`${service.url}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable' }])
  const told = await asOps(service, '/ops/health')
  expect([told.status, await told.json()]).toMatchObject([503, { parts: { queue: 'ok', workers: 'none' }, workers: 0 }])
})

test('with the queue away, small exports go on, and a new job is 503 and leaves no plan behind', async () => {
  expect((await away.get(fixations)).status).toBe(200)
  const refused = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      away.get(fixations, { prefer: 'respond-async', 'x-auth-token': i % 2 ? away.read : away.narrow }),
    ),
  )
  for (const response of refused) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBeTruthy()
    expect(await response.json()).toMatchObject({ type: '/docs/problems/queue-away' })
  }
  expect(await listJobs(away.parts.jobs)).toEqual([])
})

test('without the queue, the server is up but not ready, and operators still see jobs on disk', async () => {
  expect((await fetch(`${away.url}/healthz`)).status).toBe(200)
  const ready = await fetch(`${away.url}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toEqual({ status: 'unavailable' })
  expect((await asOps(away, '/ops/metrics')).status).toBe(200)
  expect((await asOps(away, '/ops/queues')).status).toBe(200)
  const api = await asOps(away, '/ops/queues/api/queues')
  expect(api.status).toBe(503)
  expect(await api.text()).not.toContain('127.0.0.1')
})
