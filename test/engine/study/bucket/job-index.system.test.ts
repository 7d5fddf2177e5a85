import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openRemoteJobs } from '../../../../engine/jobs/bucket/remote-jobs.ts'
import { endJob } from '../../../../engine/jobs/end-job.ts'
import { listJobs } from '../../../../engine/jobs/list-jobs.ts'
import type { Jobs } from '../../../../engine/jobs/open-jobs.ts'
import { requestJob } from '../../../../engine/jobs/request-job.ts'
import type { ObjectStore } from '../../../../engine/storage/objects/object-store.ts'
import { openObjects } from '../../../../engine/storage/objects/open-objects.ts'
import { asked, failed, planOf } from '../../jobs/job-fixture.ts'
import { giveCredentials, urlOf } from '../../storage/credentials.ts'
import { type S3Server, startS3 } from '../../storage/s3-server.mjs'

let takeCredentials: (() => void) | undefined
const MINUTE_MS = 60_000
const JOBS = 30
let server: S3Server
let store: ObjectStore
let first: Jobs

beforeAll(async () => {
  server = await startS3()
  takeCredentials = giveCredentials(server)
  store = await openObjects(urlOf(server))
})
afterAll(async () => {
  vi.useRealTimers()
  store?.close()
  await server?.stop()
  takeCredentials?.()
})
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  server.objects.clear()
  first = openRemoteJobs(store)
  await Promise.all(Array.from({ length: JOBS }, (_, i) => ended(first, i)))
})

const begun = (jobs: Jobs, i: number) => requestJob(jobs, planOf(String(i).padStart(64, '0')), asked())
async function ended(jobs: Jobs, i: number): Promise<void> {
  const { id, attempt } = await begun(jobs, i)
  await endJob(jobs, id, attempt, failed)
}
/** Id and state of each job, as one who has just started lists them, or another; with how many requests. */
async function listed(jobs = openRemoteJobs(store)): Promise<{ lines: string[]; requests: number }> {
  server.asked.length = 0
  const lines = (await listJobs(jobs)).map(({ id, attempt, end }) => `${id} ${attempt} ${end?.state}`).sort()
  return { lines, requests: server.asked.length }
}
const after = (ms: number) => vi.setSystemTime(Date.now() + ms)
const keys = (prefix: string) => [...server.objects.keys()].filter((key) => key.startsWith(`lab/${prefix}`))

test('who starts reads the list of all jobs and what changed since, not each job', async () => {
  const { lines, requests } = await listed()
  expect(lines).toHaveLength(JOBS)
  expect(requests).toBeGreaterThan(2 * JOBS)
  after(5 * MINUTE_MS)
  expect(await first.newSweeper().hold()).toBe(true)
  expect(await listed()).toEqual({ lines, requests: expect.any(Number) })
  // The notes of the last minutes are all that it looks at besides.
  after(10 * MINUTE_MS)
  expect(await first.newSweeper().hold()).toBe(true)
  expect(keys('changes/jobs/')).toEqual([])
  expect(keys('index/jobs/')).toHaveLength(2)
  const again = await listed()
  expect(again.lines).toEqual(lines)
  expect(again.requests).toBeLessThan(8)
  const { id } = await begun(first, JOBS)
  expect((await listed()).lines).toEqual([...lines, `${id} 1 undefined`].sort())
})

test('a change that was noted is seen however late: by who starts, and by who has not looked for long', async () => {
  const idle = openRemoteJobs(store)
  await listed(idle)
  await first.newSweeper().hold()
  after(2 * MINUTE_MS)
  await ended(first, JOBS)
  after(5 * MINUTE_MS)
  expect((await listed(idle)).lines).toHaveLength(JOBS + 1)
  await ended(first, JOBS + 1)
  // In the end the notes are gone, and a list has what they told.
  for (let i = 0; i < 2; i++) {
    after(20 * MINUTE_MS)
    await first.newSweeper().hold()
  }
  expect(keys('changes/jobs/')).toEqual([])
  expect((await listed()).lines).toHaveLength(JOBS + 2)
  expect((await listed(idle)).lines).toHaveLength(JOBS + 2)
})

test('a list that is damaged, lost or from a wrong clock is no loss: it is made of the jobs again', async () => {
  const { lines } = await listed()
  await first.newSweeper().hold()
  const [key] = keys('index/jobs/')
  server.objects.set(key, Buffer.from('no list'))
  expect((await listed()).lines).toEqual(lines)
  server.objects.delete(key)
  server.objects.set('lab/index/jobs/9999999999999', Buffer.from('no list'))
  expect((await listed()).lines).toEqual(lines)
  after(MINUTE_MS)
  await openRemoteJobs(store).newSweeper().hold()
  const made = keys('index/jobs/').filter((each) => !each.endsWith('9999999999999'))
  expect(made).toHaveLength(1)
  expect((await listed()).requests).toBeGreaterThan(2)
})
