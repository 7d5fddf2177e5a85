import { expect, test } from 'vitest'
import type { JobView } from '../../server/schemas/job.ts'
import { kept } from '../engine/kept.ts'
import { openTestServer, STUDY, until } from './test-server.ts'
import { imported, upload } from './uploads.ts'

const service = kept(await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' }, { hasWorker: true }))

type Shown = { id: string; name: string; progress: Record<string, number>; returnValue: Record<string, unknown> }
type Board = { queues: { name: string; displayName: string; counts: Record<string, number>; jobs: Shown[] }[] }

const asOps = (path: string) =>
  service.get(path, { 'x-auth-token': service.ops, authorization: `Bearer ${service.ops}` })

/** Returns Bull Board's view of the queue, once nothing waits or runs. */
async function board(status: string): Promise<Board['queues'][number]> {
  const name = service.parts.queue.bull.name
  return until(async () => {
    const path = `/ops/queues/api/queues?activeQueue=${name}&status=${status}&page=1&jobsPerPage=20`
    const [queue] = ((await (await asOps(path)).json()) as Board).queues
    return queue.counts.waiting + queue.counts.active + queue.counts.delayed === 0 ? queue : null
  })
}

/** Asks for an export and waits for the end of its job. */
async function jobOf(query: string): Promise<JobView> {
  const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?${query}`
  return (await (await service.get(path, { prefer: 'respond-async' })).json()) as JobView
}
const ended = async ({ id }: JobView) => (await service.get(`/api2/jobs/${id}/events`)).text()

test('a job that is done says its state, rows and bytes, and is at 100 %, in a queue with a name', async () => {
  const job = await jobOf('movingMedianRangeMs=101')
  await ended(job)
  const { bytes, rows } = ((await (await service.get(`/api2/jobs/${job.id}`)).json()) as JobView).file!
  const { displayName, jobs } = await board('completed')
  expect(displayName).toBe('Exports')
  const done = jobs.find(({ id }) => id === `${job.id}-1`)
  expect(done).toMatchObject({
    // `progress` turns the ring of the page.
    progress: { progress: 100, percent: 100, rows, bytes },
    returnValue: { state: 'succeeded', rows, bytes },
  })
})

test('a job that was withdrawn is in no list of jobs that are done or failed', async () => {
  await service.parts.queue.pause(true)
  const job = await jobOf('movingMedianRangeMs=102')
  expect((await service.get(`/api2/jobs/${job.id}`, {}, 'DELETE')).status).toBe(204)
  await service.parts.queue.pause(false)
  for (const status of ['completed', 'failed'])
    expect((await board(status)).jobs.map(({ id }) => id)).not.toContain(`${job.id}-1`)
})

test('an analysis of an unknown table has done its work, and is no failed job', async () => {
  const id = await upload(service, service.write, 'unknown.csv', Buffer.from('a,b,c\n1,2,3\n'))
  const { state } = await imported(service, service.write, { uploads: [id], dryRun: true })
  expect(state).toBe('failed')
  expect((await board('failed')).jobs).toEqual([])
  const { jobs } = await board('completed')
  expect(jobs.map(({ returnValue }) => returnValue)).toContainEqual({
    state: 'refused',
    message: expect.stringContaining('of no known format'),
  })
  // The same files to be imported, which does fail.
  await imported(service, service.write, { uploads: [id] })
  expect((await board('failed')).jobs).toHaveLength(1)
})

test('what ended before the metrics are asked for is in them at once', async () => {
  const succeeded = async () =>
    Number(/gazette_jobs_ended_total\{state="succeeded"\} (\d+)/.exec(await (await asOps('/ops/metrics')).text())![1])
  const before = await succeeded()
  await ended(await jobOf('movingMedianRangeMs=103'))
  expect(await succeeded()).toBe(before + 1)
})
