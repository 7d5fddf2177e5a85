import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { listJobs } from '../../engine/jobs/list-jobs.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { planId } from '../../engine/model/plan.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { fileNameOf } from '../../server/exports/read-request.ts'
import { kept } from '../engine/kept.ts'
import { openTestServer, STUDY, shareTestServer, type TestServer, until } from './test-server.ts'

const service = kept(await shareTestServer())

const collected = `/api2/studies/${STUDY}/collected-data`
const fixations = `${collected}/eye-tracking/fixations`

function pathOf(name: ExportName): string {
  const { path, variant } = EXPORTS.find((entry) => entry.name === name)!
  return `${collected}/${path}${variant === null ? '' : `?variant=${variant}`}`
}

/** Returns an export from the engine, with default parameters. */
async function expected(at: TestServer, exportName: ExportName): Promise<{ id: string; csv: Buffer; gzip: Buffer }> {
  const snapshot = (await at.parts.studies.current(STUDY))!
  const plan = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true })
  const csv: Uint8Array[] = []
  const gzip: Uint8Array[] = []
  const signal = new AbortController().signal
  for await (const block of runExport({ plan, snapshot, pool: at.parts.pool, signal, gzip: true })) {
    csv.push(block.bytes.slice())
    gzip.push(block.gzip.slice())
  }
  return { id: planId(plan), csv: Buffer.concat(csv), gzip: Buffer.concat(gzip) }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')

/** Bytes as they come: fetch would unzip them. */
function rawGet(
  at: TestServer,
  path: string,
  headers: Record<string, string>,
): Promise<{ response: IncomingMessage; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const req = httpRequest(at.url + path, { headers: { 'x-auth-token': at.read, ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ response, bytes: Buffer.concat(chunks) }))
      response.on('error', reject)
    })
    req.on('error', reject)
    req.end()
  })
}

test('every export answers at once with the bytes that the engine makes', async () => {
  for (const { name } of EXPORTS) {
    const { response, bytes } = await rawGet(service, pathOf(name), {})
    const { id, csv } = await expected(service, name)
    expect(response.statusCode).toBe(200)
    expect(bytes.equals(csv)).toBe(true)
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-length': String(csv.byteLength),
      'content-disposition': `attachment; filename="study-cafe-naive-2-${STUDY}-${name}.csv"`,
      etag: `"${id}"`,
      'cache-control': 'private, no-cache',
      vary: 'Accept, Accept-Encoding',
      'repr-digest': `sha-256=:${sha256(csv)}:`,
      link: `</api2/exports/${name}/schema>; rel="describedby"`,
    })
  }
})

test('a client that accepts gzip gets one member of it, with a tag and digest of its own', async () => {
  const { id, csv, gzip } = await expected(service, 'fixations')
  const { response, bytes } = await rawGet(service, fixations, { 'accept-encoding': 'br, gzip;q=0.8' })
  expect(response.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-length': String(gzip.byteLength),
    etag: `"${id}-gz-${process.versions.zlib}"`,
    'repr-digest': `sha-256=:${sha256(gzip)}:`,
  })
  expect(gunzipSync(bytes).equals(csv)).toBe(true)
  for (const accept of ['', 'identity', 'gzip;q=0', 'gzip;q=0.5, identity;q=1', 'br']) {
    const plain = await rawGet(service, fixations, { 'accept-encoding': accept })
    expect(plain.response.headers['content-encoding']).toBeUndefined()
  }
})

test('a known tag is answered 304, before anything is computed', async () => {
  const { response } = await rawGet(service, fixations, {})
  const etag = String(response.headers.etag)
  for (const given of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await rawGet(service, fixations, { 'if-none-match': given })
    expect(again.response.statusCode).toBe(304)
    expect(again.response.headers.etag).toBe(etag)
    expect(again.bytes.byteLength).toBe(0)
  }
  expect((await rawGet(service, fixations, { 'if-none-match': '"x"' })).response.statusCode).toBe(200)
  const other = await rawGet(service, `${fixations}?movingMedianRangeMs=201`, { 'if-none-match': etag })
  expect(other.response.statusCode).toBe(200)
})

test('parameters that do not bear on an export do not change its tag', async () => {
  const path = pathOf('keyboard-mouse-overall')
  const plain = await service.get(path)
  const with400 = await service.get(`${path}?gazeVelocityThreshold=400`)
  expect(with400.headers.get('etag')).toBe(plain.headers.get('etag'))
})

test('HEAD answers from known facts, and computes and queues nothing', async () => {
  const path = `${fixations}?movingMedianRangeMs=333`
  const before = await listJobs(service.parts.jobs)
  const response = await service.get(path, { prefer: 'respond-async' }, 'HEAD')
  expect(response.status).toBe(200)
  expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]{64}/)
  expect(response.headers.get('content-length')).toBeNull()
  expect(response.headers.get('repr-digest')).toBeNull()
  expect(await listJobs(service.parts.jobs)).toEqual(before)
})

test('equal requests at the same moment give equal bytes', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => rawGet(service, fixations, i % 2 ? {} : { 'accept-encoding': 'gzip' })),
  )
  expect(answers.map(({ response }) => response.statusCode)).toEqual(answers.map(() => 200))
  const { csv } = await expected(service, 'fixations')
  for (const [i, { bytes }] of answers.entries()) expect((i % 2 ? bytes : gunzipSync(bytes)).equals(csv)).toBe(true)
})

test('more different requests at once than places and line are refused with 503, and never wrongly answered', async () => {
  const narrow = await openTestServer({ SYNC_CONCURRENCY: '1' })
  try {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => narrow.get(`${fixations}?movingMedianRangeMs=${100 + i}`)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(9)
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
    for (const answer of answers.filter(({ status }) => status === 503)) {
      expect(answer.headers.get('retry-after')).toBeTruthy()
      expect(await answer.json()).toMatchObject({ type: '/docs/problems/overloaded' })
    }
    expect((await narrow.get(fixations)).status).toBe(200)
  } finally {
    await narrow.close()
  }
})

test('a client that leaves frees its place', async () => {
  const narrow = await openTestServer({ SYNC_CONCURRENCY: '1' })
  try {
    for (let i = 0; i < 30; i++) {
      const req = httpRequest(`${narrow.url}${fixations}?movingMedianRangeMs=${100 + i}`, {
        headers: { 'x-auth-token': narrow.read },
      })
      req.on('error', () => {})
      req.end()
      await once(req, 'socket')
      if (i % 2) await new Promise((resolve) => setTimeout(resolve, 3))
      req.destroy()
    }
    const response = await until(async () => {
      const answer = await narrow.get(fixations)
      return answer.status === 200 ? answer : null
    })
    expect((await response.text()).startsWith('study_id,')).toBe(true)
  } finally {
    await narrow.close()
  }
})

test('the file name holds a slug of the study name, which may be empty', () => {
  const slugOf = (name: string) =>
    fileNameOf({ id: 'ID', name }, { name: 'mouse' }, { extension: 'csv' }).slice(
      'study-'.length,
      -'-ID-mouse.csv'.length,
    )
  expect(slugOf('Größe Ångström ﬁve')).toBe('gro-e-angstrom-five')
  expect(slugOf('  A/B "test"\r\n')).toBe('a-b-test')
  expect(slugOf('研究')).toBe('')
  expect(slugOf('x'.repeat(99))).toBe('x'.repeat(60))
})
