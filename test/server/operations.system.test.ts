import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endJob } from '../../engine/jobs/end-job.ts'
import type { JobEnd } from '../../engine/jobs/record/state.ts'
import { startWorker } from '../../worker/worker.ts'
import { BACK_ENDS, type BackEnd } from '../worker/back-ends.ts'
import { openContract } from './contract.ts'
import { OTHER_STUDY, openTestServer, STUDY, type TestServer, until } from './test-server.ts'

const contract = openContract()
let backEnd: BackEnd
let service: TestServer
let narrowOps: string
beforeAll(async () => {
  const redis = BACK_ENDS[1]
  backEnd = await (redis.missing ? BACK_ENDS[0] : redis).start()
  service = await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0', QUEUE_URL: backEnd.url })
  const narrow = { role: 'ops' as const, studies: [OTHER_STUDY], expiresAt: null, now: new Date() }
  narrowOps = (await service.parts.tokens.create(narrow)).token
})
afterAll(async () => {
  await service.close()
  await backEnd.stop()
})

type Told = {
  id: string
  jobs: { id: string; state: string; attempt: number; askedBy: object[] }[]
  nextCursor: string
  ended: object
  canceled: number
}

/** Sends a request as an operator, and checks the answer against the document. */
async function ask(method: string, path: string, token = service.ops) {
  const answer = await fetch(`${service.url}/api2${path}`, { method, headers: { 'x-auth-token': token } })
  const body = Buffer.from(await answer.arrayBuffer())
  const headers = Object.fromEntries(answer.headers)
  contract.check(method, path.replace(/x[0-9a-f]{64}/, '{jobId}').split('?')[0], {
    status: answer.status,
    headers,
    body,
  })
  return { status: answer.status, told: JSON.parse(body.toString()) as Told }
}

/** Asks for a job of its own. */
async function askFor(median: number, token = service.read): Promise<string> {
  const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?movingMedianRangeMs=${median}`
  return ((await (await service.get(path, { 'x-auth-token': token })).json()) as Told).id
}

const audited = async (event: string) =>
  (await readFile(join(service.dataDir, 'audit.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => line.event === event)

test('whoever is no operator finds nothing, and an operator of some studies sees those, and leaves the queue alone', async () => {
  const id = await askFor(100)
  for (const path of ['', '/jobs', '/last-hour'])
    expect((await ask('GET', `/operations${path}`, service.read)).status).toBe(404)
  for (const path of ['queue/pause', 'queue/drain', `jobs/${id}/retry`])
    expect((await ask('POST', `/operations/${path}`, service.write)).status).toBe(404)
  expect((await ask('GET', '/operations/jobs', narrowOps)).told.jobs).toEqual([])
  expect((await ask('POST', `/operations/jobs/${id}/retry`, narrowOps)).status).toBe(404)
  for (const what of ['pause', 'resume', 'drain'])
    expect((await ask('POST', `/operations/queue/${what}`, narrowOps)).status).toBe(403)
  expect((await ask('GET', '/operations')).told).toMatchObject({ queue: { isPaused: false, jobs: { waiting: 1 } } })
  expect((await ask('GET', '/operations/jobs?limit=0&states=x')).status).toBe(400)
})

test('a paused queue takes jobs, and none of them is begun until it is resumed', async () => {
  const { token, id: tokenId } = await service.parts.tokens.create({
    ...{ name: 'Nightly', role: 'read', studies: 'all', expiresAt: null, now: new Date() },
  })
  expect((await ask('POST', '/operations/queue/pause')).told).toMatchObject({ isPaused: true, answers: true })
  const worker = await startWorker(service.parts)
  const id = await askFor(101, token)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect((await ask('GET', '/operations')).told).toMatchObject({
    queue: { isPaused: true, jobs: { waiting: 2, active: 0 } },
  })
  const { jobs } = (await ask('GET', '/operations/jobs?state=queued')).told
  expect(jobs).toHaveLength(2)
  expect(jobs[0]).toMatchObject({
    ...{ id, state: 'queued', export: 'fixations', studyName: 'Café, naïve – 2', attempt: 1, tries: 0 },
    askedBy: [{ id: tokenId, name: 'Nightly' }],
  })
  const first = (await ask('GET', '/operations/jobs?state=queued&limit=1')).told
  expect(first.jobs).toEqual([jobs[0]])
  expect((await ask('GET', `/operations/jobs?state=queued&limit=1&cursor=${first.nextCursor}`)).told.jobs).toEqual([
    jobs[1],
  ])
  expect((await ask('GET', '/operations/jobs?state=running')).told.jobs).toEqual([])
  expect((await ask('POST', `/operations/jobs/${id}/retry`)).status).toBe(409)
  expect((await ask('POST', '/operations/queue/resume')).told).toMatchObject({ isPaused: false })
  await until(async () => (await ask('GET', '/operations/jobs?state=succeeded')).told.jobs.length === 2)
  await worker.close(2000)
  expect([(await audited('queue paused')).length, (await audited('queue resumed')).length]).toEqual([1, 1])
})

test('the last hour is what became of jobs, each of which is counted once', async () => {
  const { told } = await ask('GET', '/operations/last-hour')
  expect(told).toMatchObject({ ended: { succeeded: 2, failed: 0, canceled: 0 }, samples: 240 })
  expect((await ask('GET', '/operations/last-hour', narrowOps)).told).toMatchObject({
    ended: { succeeded: 0 },
    waitSeconds: null,
  })
})

test('a job that failed is begun anew at once, for those who waited for it; draining cancels it for all', async () => {
  const id = await askFor(102)
  const now = new Date().toISOString()
  const error = { code: 'overloaded', message: 'Given up' } as const
  const failed: JobEnd = { state: 'failed', startedAt: now, finishedAt: now, expiresAt: null, file: null, error }
  expect(await endJob(service.parts.jobs, id, 1, failed)).toBe(true)
  const listed = (await ask('GET', '/operations/jobs?state=failed')).told.jobs
  expect(listed).toMatchObject([{ id, error: { title: 'Overloaded' } }])
  // Whoever asks in the ordinary way is told the failure for a minute.
  expect(await askFor(102)).toBeUndefined()
  expect((await ask('POST', `/operations/jobs/${id}/retry`)).told).toMatchObject({ id, state: 'queued' })
  const [job] = (await ask('GET', '/operations/jobs?state=queued')).told.jobs
  expect([job.attempt, job.askedBy.length]).toEqual([2, 2])
  expect((await ask('GET', '/operations')).told).toMatchObject({ queue: { jobs: { waiting: 2 } } })
  expect((await ask('POST', '/operations/queue/drain')).told).toEqual({ canceled: 1 })
  expect((await ask('GET', '/operations')).told).toMatchObject({ queue: { jobs: { waiting: 0 } } })
  expect((await ask('GET', '/operations/jobs?state=canceled')).told.jobs).toMatchObject([{ id, askedBy: [] }])
  expect((await ask('GET', '/operations/last-hour')).told.ended).toEqual({ succeeded: 2, failed: 0, canceled: 1 })
  expect(await audited('job retried')).toMatchObject([{ job: id, study: STUDY, by: { token: expect.any(String) } }])
  expect(await audited('queue drained')).toMatchObject([{ jobs: 1 }])
  expect((await service.get(`/api2/jobs/${id}`, { 'x-auth-token': service.ops }, 'DELETE')).status).toBe(204)
  expect(await audited('job withdrawn')).toMatchObject([{ job: id }])
})
