import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { endJob } from '../../engine/jobs/end-job.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { kept } from '../engine/kept.ts'
import { importStudy, STUDY as LARGE_STUDY } from '../worker/study.ts'
import { OTHER_STUDY, openBeside, openTestServer, STUDY, type TestServer, until } from './test-server.ts'

/** A test server where everything is too large for an answer at once, with a worker; and one where nobody works. */
const busy = kept(
  await openTestServer({ SYNC_MAX_SAMPLES: '0', SYNC_MAX_BYTES: '0', SPLIT_SAMPLES: '1000' }, { hasWorker: true }),
)
const idle = kept(await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' }))

const fixations = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
/** Each test its own plan. */
let median = 20
const newPath = () => `${fixations}?movingMedianRangeMs=${median++}`

async function accepted(response: Response): Promise<JobView> {
  expect(response.status).toBe(202)
  const job = (await response.json()) as JobView
  expect(response.headers.get('location')).toBe(`/api2/jobs/${job.id}`)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(response.headers.get('cache-control')).toBe('no-store')
  return job
}

const jobOf = async (service: TestServer, id: string) =>
  (await (await service.get(`/api2/jobs/${id}`)).json()) as JobView

/** A finished job and the bytes of its file. */
async function finished(): Promise<{ path: string; job: JobView; csv: Buffer }> {
  const path = newPath()
  const { id } = await accepted(await busy.get(path, { prefer: 'respond-async' }))
  const job = await until(async () => {
    const now = await jobOf(busy, id)
    return now.state === 'succeeded' ? now : null
  })
  const csv = Buffer.from(
    await (await busy.get(`/api2/jobs/${id}/file`, { 'accept-encoding': 'identity' })).arrayBuffer(),
  )
  return { path, job, csv }
}

function rawGet(
  service: TestServer,
  path: string,
  headers: Record<string, string>,
): Promise<{ response: IncomingMessage; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const req = httpRequest(
      service.url + path,
      { headers: { 'x-auth-token': service.read, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => resolve({ response, bytes: Buffer.concat(chunks) }))
      },
    )
    req.on('error', reject)
    req.end()
  })
}

test('a large export is held and answered 200 with the file', async () => {
  const path = newPath()
  const response = await busy.get(path)
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(text.startsWith('study_id,')).toBe(true)
  expect(response.headers.get('content-length')).toBeTruthy()
  const again = await busy.get(path, { prefer: 'respond-async' })
  expect(again.status).toBe(200)
  expect(again.headers.get('preference-applied')).toBeNull()
  expect(await again.text()).toBe(text)
})

test('respond-async is 202 at once, also for a small export', async () => {
  const small = await openBeside(idle, {})
  try {
    const response = await small.get(fixations, { prefer: 'respond-async' })
    expect(response.headers.get('preference-applied')).toBe('respond-async')
    expect(await accepted(response)).toMatchObject({ state: 'queued', export: 'fixations', file: null, error: null })
    expect((await small.get(fixations)).status).toBe(200)
  } finally {
    await small.close()
  }
})

test('wait=N sets the hold, and an answer says so', async () => {
  const response = await busy.get(newPath(), { prefer: 'wait=30' })
  expect(response.status).toBe(200)
  expect(response.headers.get('preference-applied')).toBe('wait=30')
  const none = await idle.get(newPath(), { prefer: 'wait=0' })
  expect(none.headers.get('preference-applied')).toBe('wait=0')
  await accepted(none)
  const odd = await idle.get(newPath(), { prefer: 'wait=61, handling=lenient' })
  expect(odd.headers.get('preference-applied')).toBeNull()
  await accepted(odd)
})

test('a job tells all that docs/jobs.md lists, and a file with its hashes', async () => {
  const { job, csv } = await finished()
  expect(Object.keys(job)).toEqual([
    'id',
    'export',
    'study',
    'snapshot',
    'parameters',
    'state',
    'progress',
    'createdAt',
    'startedAt',
    'finishedAt',
    'expiresAt',
    'file',
    'error',
  ])
  expect(job).toMatchObject({
    study: { id: STUDY },
    parameters: { itemId: null, gazeVelocityThreshold: 150, participantQualityGradeItemMin: 1 },
    progress: { percent: 100, samplesDone: 120, samplesTotal: 120, bytes: csv.byteLength, etaSeconds: 0 },
    file: {
      href: `/api2/jobs/${job.id}/file`,
      name: `study-cafe-naive-2-${STUDY}-fixations.csv`,
      bytes: csv.byteLength,
      sha256: createHash('sha256').update(csv).digest('hex'),
    },
    error: null,
  })
  expect(Date.parse(job.expiresAt!)).toBeGreaterThan(Date.parse(job.finishedAt!))
})

test('a job has a tag, and 304 while nothing changed', async () => {
  const { id } = await accepted(await idle.get(newPath()))
  const first = await idle.get(`/api2/jobs/${id}`)
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0)
  const etag = first.headers.get('etag')!
  expect((await idle.get(`/api2/jobs/${id}`, { 'if-none-match': etag })).status).toBe(304)
  await idle.get(`/api2/jobs/${id}`, {}, 'DELETE')
  expect((await idle.get(`/api2/jobs/${id}`, { 'if-none-match': etag })).status).toBe(200)
})

test('identical requests of several tokens share one job', async () => {
  const path = newPath()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => idle.get(path, { 'x-auth-token': i % 2 ? idle.read : idle.narrow })),
  )
  const ids = new Set((await Promise.all(answers.map(accepted))).map(({ id }) => id))
  expect(ids.size).toBe(1)
})

test('the file comes with gzip from its gzip version, and HEAD without a body', async () => {
  const { job, csv } = await finished()
  const path = `/api2/jobs/${job.id}/file`
  const zipped = await rawGet(busy, path, { 'accept-encoding': 'gzip' })
  expect(zipped.response.headers['content-encoding']).toBe('gzip')
  expect(zipped.bytes.byteLength).toBe(job.file?.gzipBytes)
  expect(gunzipSync(zipped.bytes).equals(csv)).toBe(true)
  const head = await busy.get(path, { 'accept-encoding': 'identity' }, 'HEAD')
  expect(head.headers.get('content-length')).toBe(String(csv.byteLength))
  expect(head.headers.get('repr-digest')).toBe(`sha-256=:${createHash('sha256').update(csv).digest('base64')}:`)
  expect(await head.text()).toBe('')
  expect((await busy.get(path, { 'if-none-match': head.headers.get('etag')! })).status).toBe(304)
})

test('ranges give the bytes they name, of the plain file', async () => {
  const { job, csv } = await finished()
  const n = csv.byteLength
  const cases: [string, number, number][] = [
    ['bytes=0-0', 0, 1],
    ['bytes=10-19', 10, 20],
    [`bytes=${n - 1}-`, n - 1, n],
    ['bytes=5-999999999', 5, n],
    ['bytes=-7', n - 7, n],
    ['bytes=-999999999', 0, n],
  ]
  for (const [range, start, end] of cases) {
    const { response, bytes } = await rawGet(busy, `/api2/jobs/${job.id}/file`, { range, 'accept-encoding': 'gzip' })
    expect(response.statusCode).toBe(206)
    expect(response.headers['content-range']).toBe(`bytes ${start}-${end - 1}/${n}`)
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(bytes.equals(csv.subarray(start, end))).toBe(true)
  }
  for (const range of ['bytes=0-1,3-4', 'bytes=9-1', 'lines=1-2', 'bytes=x'])
    expect((await busy.get(`/api2/jobs/${job.id}/file`, { range })).status).toBe(200)
  for (const range of [`bytes=${n}-`, 'bytes=-0']) {
    const beyond = await busy.get(`/api2/jobs/${job.id}/file`, { range })
    expect(beyond.status).toBe(416)
    expect(beyond.headers.get('content-range')).toBe(`bytes */${n}`)
    expect(beyond.headers.get('content-type')).toBe('application/problem+json')
  }
})

test('If-Range gives the range of the same file, and the whole of another', async () => {
  const { job } = await finished()
  const get = (ifRange: string) => busy.get(`/api2/jobs/${job.id}/file`, { range: 'bytes=0-3', 'if-range': ifRange })
  expect((await get(`"${job.id.slice(1)}"`)).status).toBe(206)
  for (const other of ['"x"', `W/"${job.id.slice(1)}"`, 'Wed, 01 May 2024 00:00:00 GMT'])
    expect((await get(other)).status).toBe(200)
})

test('the file is 409 before the job ends, and 410 after it was withdrawn', async () => {
  const { id } = await accepted(await idle.get(newPath()))
  expect((await idle.get(`/api2/jobs/${id}/file`)).status).toBe(409)
  expect((await idle.get(`/api2/jobs/${id}`, {}, 'DELETE')).status).toBe(204)
  expect(await jobOf(idle, id)).toMatchObject({ state: 'canceled', file: null })
  expect((await idle.get(`/api2/jobs/${id}/file`)).status).toBe(410)
})

test('a finished file is deleted once nobody is interested, and recomputed on request', async () => {
  const { path, job, csv } = await finished()
  expect((await busy.get(`/api2/jobs/${job.id}`, {}, 'DELETE')).status).toBe(204)
  expect(await jobOf(busy, job.id)).toMatchObject({ state: 'expired', file: null })
  expect((await busy.get(`/api2/jobs/${job.id}/file`)).status).toBe(410)
  const again = await busy.get(path, { 'accept-encoding': 'identity' })
  expect(Buffer.from(await again.arrayBuffer()).equals(csv)).toBe(true)
})

test('a job whose file of an end is damaged is computed anew, whichever attempt ended so', async () => {
  const { path, job, csv } = await finished()
  for (const attempt of [1, 2]) {
    await writeFile(join(busy.dataDir, 'exports', job.id, `${attempt}.end.json`), '{}')
    const anew = await busy.get(path, { 'accept-encoding': 'identity' })
    expect([attempt, anew.status]).toEqual([attempt, 200])
    expect(Buffer.from(await anew.arrayBuffer()).equals(csv)).toBe(true)
  }
})

test('withdrawing leaves what another token wants; ops ends it for all', async () => {
  const path = newPath()
  const { id } = await accepted(await idle.get(path))
  await accepted(await idle.get(path, { 'x-auth-token': idle.narrow }))
  await idle.get(`/api2/jobs/${id}`, {}, 'DELETE')
  expect((await jobOf(idle, id)).state).toBe('queued')
  await idle.get(`/api2/jobs/${id}`, { 'x-auth-token': idle.ops }, 'DELETE')
  expect((await jobOf(idle, id)).state).toBe('canceled')
})

test('a job on a study that the token may not read is as absent as an unknown one', async () => {
  const path = fixations.replace(STUDY, OTHER_STUDY)
  const { id } = await accepted(await idle.get(path))
  for (const job of [id, `x${'0'.repeat(64)}`, 'x', '..%2f..']) {
    for (const suffix of ['', '/events', '/file'])
      expect((await idle.get(`/api2/jobs/${job}${suffix}`, { 'x-auth-token': idle.narrow })).status).toBe(404)
    expect((await idle.get(`/api2/jobs/${job}`, { 'x-auth-token': idle.narrow }, 'DELETE')).status).toBe(404)
  }
  expect((await jobOf(idle, id)).state).toBe('queued')
})

test('jobs are listed newest first, by state and study, page by page', async () => {
  const own = await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' })
  try {
    const ids: string[] = []
    for (const path of [newPath(), newPath(), newPath()]) ids.unshift((await accepted(await own.get(path))).id)
    await own.get(`/api2/jobs/${ids[1]}`, {}, 'DELETE')
    await accepted(await own.get(fixations.replace(STUDY, OTHER_STUDY)))
    type Page = { jobs: JobView[]; nextCursor: string | null }
    const list = async (query: string) => (await (await own.get(`/api2/jobs?${query}`)).json()) as Page
    const idsOf = ({ jobs }: Page) => jobs.map(({ id }) => id)
    expect((await list('')).jobs).toHaveLength(4)
    expect(idsOf(await list(`study=${STUDY.toUpperCase()}`))).toEqual(ids)
    expect(idsOf(await list(`study=${STUDY}&state=queued`))).toEqual([ids[0], ids[2]])
    expect(idsOf(await list('state=canceled'))).toEqual([ids[1]])
    const first = await list(`study=${STUDY}&limit=2`)
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    const second = await list(`study=${STUDY}&limit=2&cursor=${first.nextCursor}`)
    expect([idsOf(second), second.nextCursor]).toEqual([ids.slice(2), null])
    const narrow = await own.get('/api2/jobs', { 'x-auth-token': own.narrow })
    expect(idsOf((await narrow.json()) as Page)).toEqual(ids)
    for (const query of ['state=done', 'study=x', 'limit=0', 'cursor=x', 'what=1'])
      expect((await own.get(`/api2/jobs?${query}`)).status).toBe(400)
  } finally {
    await own.close()
  }
})

test('a token with too many open jobs gets 429 for a new one, not for one that it has', async () => {
  const own = await openBeside(idle, { SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0', OPEN_JOBS_PER_TOKEN: '1' })
  try {
    const path = newPath()
    await accepted(await own.get(path))
    const refused = await own.get(newPath())
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBeTruthy()
    await accepted(await own.get(path))
    await accepted(await own.get(newPath(), { 'x-auth-token': own.narrow }))
  } finally {
    await own.close()
  }
})

test('a token has as many open jobs as it may, and no more, also when it asks for all at once', async () => {
  const own = await openBeside(idle, { SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0', OPEN_JOBS_PER_TOKEN: '5' })
  try {
    const before = (await own.parts.queue.counts()).waiting
    const answers = await Promise.all(Array.from({ length: 20 }, () => own.get(newPath())))
    const accepted = answers.filter(({ status }) => status === 202).length
    expect(accepted).toBe(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
    expect(await own.parts.queue.counts()).toMatchObject({ waiting: before + 5 })
  } finally {
    await own.close()
  }
})

test('with less free disk than the floor, new jobs are refused with 507, and files are still sent', async () => {
  const full = await openBeside(idle, { SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0', DISK_FLOOR_MIB: '1000000000' })
  try {
    const before = await (await full.get('/api2/jobs')).json()
    const refused = await full.get(newPath())
    expect(refused.status).toBe(507)
    expect(await refused.json()).toMatchObject({ type: '/docs/problems/disk-full' })
    expect(await (await full.get('/api2/jobs')).json()).toEqual(before)
    expect((await fetch(`${full.url}/readyz`)).status).toBe(503)
    expect((await fetch(`${full.url}/healthz`)).status).toBe(200)
  } finally {
    await full.close()
  }
})

test('a job that failed answers its problem for a minute', async () => {
  const path = newPath()
  const { id } = await accepted(await idle.get(path))
  const end = {
    state: 'failed' as const,
    startedAt: null,
    expiresAt: null,
    file: null,
    error: { code: 'corrupt' as const, message: '/secret/path' },
  }
  await endJob(idle.parts.jobs, id, 1, { ...end, finishedAt: new Date().toISOString() })
  const response = await idle.get(path)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('secret')
  const job = await jobOf(idle, id)
  expect(job).toMatchObject({ state: 'failed', error: { type: '/docs/problems/damaged-data', status: 500 } })
  expect(JSON.stringify(job)).not.toContain('secret')
})

test('events tell the present job, each change, and the end; 204 after it', async () => {
  const { id } = await accepted(await idle.get(newPath()))
  const response = await idle.get(`/api2/jobs/${id}/events`)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const decoder = new TextDecoder()
  let text = ''
  let deleted = false
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true })
    if (!deleted && text.includes('"queued"')) {
      deleted = true
      await idle.get(`/api2/jobs/${id}`, {}, 'DELETE')
    }
  }
  const events = text.split('\n\n').filter((event) => event.includes('data: '))
  expect(events).toHaveLength(3)
  expect(events[0]).toMatch(/^data: .*"state":"queued"/)
  expect(events[1]).toMatch(/^data: .*"state":"canceled"/)
  expect(events[2]).toMatch(/^event: end\ndata: .*"state":"canceled"/)
  expect((await idle.get(`/api2/jobs/${id}/events`)).status).toBe(204)
})

test('each request is a line in the log, with the id of its answer, whether it was answered whole or broken off', async () => {
  const { id } = await accepted(await idle.get(newPath()))
  const leave = new AbortController()
  const path = `/api2/jobs/${id}/events`
  const broken = await fetch(idle.url + path, { headers: { 'x-auth-token': idle.read }, signal: leave.signal })
  leave.abort()
  const whole = await idle.get(`/api2/jobs/${id}?limit=1`)
  for (const [response, logged] of [
    [broken, { level: 30, req: { method: 'GET', path }, res: { statusCode: 200 }, msg: 'request aborted' }],
    [whole, { req: { path: `/api2/jobs/${id}` }, res: { statusCode: 400 }, msg: 'request completed' }],
  ] as const) {
    const requestId = response.headers.get('x-request-id')!
    const line = JSON.parse(await until(async () => idle.logged.find((text) => text.includes(requestId))))
    expect(line).toMatchObject(logged)
    expect(line).toMatchObject({ requestId, req: { from: '127.0.0.1' }, responseTime: expect.any(Number) })
  }
})

test('a stopping server ends event streams and held answers, and takes no more', async () => {
  const own = await openBeside(idle, { SYNC_MAX_BYTES: '0', HOLD_SECONDS: '60' })
  const held = own.get(newPath())
  const { jobs } = await until(async () => {
    const page = (await (await own.get('/api2/jobs')).json()) as { jobs: JobView[] }
    return page.jobs.length > 0 && page
  })
  const events = await own.get(`/api2/jobs/${jobs[0].id}/events`)
  await own.server.close(5000)
  expect((await held).status).toBe(202)
  await events.text()
  await expect(own.get('/healthz')).rejects.toThrow()
  await own.close()
})

test('an export in parts is a job that lists its files, each of which is downloaded like a file', async () => {
  const path = newPath()
  const { id } = await accepted(await busy.get(`${path}&output=parts`, { prefer: 'wait=0' }))
  const job = await until(async () => {
    const now = await jobOf(busy, id)
    return now.state === 'succeeded' ? now : null
  })
  expect(job).toMatchObject({ file: null, partCount: 1 })
  const [part] = job.parts!
  expect(part).toMatchObject({ number: 1, href: `/api2/jobs/${id}/parts/1`, tests: { count: expect.any(Number) } })
  expect(part.name).toMatch(/-fixations-1-of-1\.csv$/)
  const whole = await (await busy.get(path)).text()
  const answer = await busy.get(part.href, { 'accept-encoding': 'identity' })
  const text = await answer.text()
  expect(text).toBe(whole)
  expect(createHash('sha256').update(text).digest('hex')).toBe(part.sha256)
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${part.name}"`)
  expect(answer.headers.get('etag')).toBe(`"${id.slice(1)}-1"`)
  const some = await busy.get(part.href, { range: 'bytes=2-5' })
  expect([some.status, await some.text()]).toEqual([206, whole.slice(2, 6)])
  const seen = await fetch(busy.url + part.href, { method: 'HEAD', headers: { 'x-auth-token': busy.read } })
  expect([seen.status, seen.headers.get('etag')]).toEqual([200, expect.stringContaining(`${id.slice(1)}-1`)])
  expect((await busy.get(part.href, { 'if-none-match': `"${id.slice(1)}-1"` })).status).toBe(304)
  const statusOf = async (href: string) => (await busy.get(`/api2/jobs/${id}${href}`)).status
  expect(await Promise.all(['/parts/2', '/parts/0', '/parts/x', '/file'].map(statusOf))).toEqual([404, 404, 404, 404])
  // The same request is the same job, which has ended.
  expect(await accepted(await busy.get(`${path}&output=parts`))).toMatchObject({ state: 'succeeded', parts: job.parts })
  await fetch(`${busy.url}/api2/jobs/${id}`, { method: 'DELETE', headers: { 'x-auth-token': busy.read } })
  expect([await statusOf('/parts/1'), (await jobOf(busy, id)).parts]).toEqual([410, undefined])
})

test('an export that cannot have parts refuses them in one sentence', async () => {
  const refusal = async (path: string) => {
    const answer = await busy.get(path)
    return [answer.status, (await answer.json()).errors]
  }
  const rule = (why: string) => [400, [{ parameter: 'output', rule: `must be file: ${why}`, value: 'parts' }]]
  expect(await refusal(`${newPath()}&format=xlsx&output=parts`)).toEqual(
    rule('programs do not read several Excel workbook (XLSX) files as one table'),
  )
  const sums = `/api2/studies/${STUDY}/collected-data/eye-tracking/aois-all/overall-stats?output=parts`
  expect(await refusal(sums)).toEqual(rule('aoi-overall-stats adds up all tests, so its rows have no parts'))
  expect((await busy.get(`/api2/studies/${STUDY}/package?output=parts`)).status).toBe(400)
})

test('a large export has parts if the client prefers a manifest, and a small one does not', async () => {
  const manifest = { prefer: 'return=manifest, wait=0' }
  await importStudy(busy.dataDir, 2, 800)
  const large = await busy.get(fixations.replace(STUDY, LARGE_STUDY), manifest)
  expect(large.headers.get('preference-applied')).toBe('wait=0, return=manifest')
  expect(await accepted(large)).toMatchObject({ partCount: 1 })
  const small = await busy.get(newPath(), manifest)
  expect(small.headers.get('preference-applied')).toBe('wait=0')
  expect((await accepted(small)).partCount).toBeUndefined()
})
