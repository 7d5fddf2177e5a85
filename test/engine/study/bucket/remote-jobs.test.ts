import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openRemoteJobs } from '../../../../engine/jobs/bucket/remote-jobs.ts'
import { endJob } from '../../../../engine/jobs/end-job.ts'
import { openPublished } from '../../../../engine/jobs/published-file.ts'
import type { Job } from '../../../../engine/jobs/record/job.ts'
import { filesOf } from '../../../../engine/jobs/record/job-files.ts'
import { requestJob, takeBackRequest } from '../../../../engine/jobs/request-job.ts'
import { sumBlocks } from '../../../../engine/storage/files/block-sums.ts'
import type { ObjectStore } from '../../../../engine/storage/objects/object-store.ts'
import { openObjects } from '../../../../engine/storage/objects/open-objects.ts'
import { asked, failed, planOf, succeeded } from '../../jobs/job-fixture.ts'
import { keptDirectory } from '../../kept.ts'

const dir = await keptDirectory()
const store = await openObjects(`file://${dir}`)

test.each([
  ['before its length is asked for', { head: 1, get: 1 }],
  ['before its bytes are', { head: 2, get: 0 }],
])('a file that goes while it is opened, %s, is gone, and no fault', async (_when, { head, get }) => {
  const left = { head, get }
  /** Forgets what is asked for once more than so often. */
  const forgetful: ObjectStore = {
    ...store,
    head: async (key) => (key.endsWith('.csv') && left.head-- <= 0 ? null : store.head(key)),
    get: async (key, range) => (key.endsWith('.csv') && left.get-- <= 0 ? null : store.get(key, range)),
  }
  const jobs = openRemoteJobs(forgetful)
  const job: Job = await requestJob(jobs, planOf(), asked())
  const bytes = randomBytes(700_000)
  const sums = sumBlocks()
  sums.add(bytes)
  const plain = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), sums: sums.end() }
  await store.put(`exports/${job.id}/1.csv`, bytes)
  const end = { ...succeeded, file: { rows: 1, samples: 12, plain, gzip: null } }
  expect(await openPublished(jobs, { ...job, end }, filesOf({ ...job, end })[0])).toBeNull()
})

test('a failed job that is asked for again begins its next attempt for every process, until that is taken back', async () => {
  const [jobs, others] = [openRemoteJobs(store), openRemoteJobs(store)]
  const plan = planOf('b'.repeat(64))
  const { id } = await requestJob(jobs, plan, asked())
  await others.read(id)
  await endJob(jobs, id, 1, failed)
  const next = await requestJob(jobs, plan, { ...asked(), isRetry: true })
  expect(next).toMatchObject({ id, attempt: 2, end: null, begun: true })
  expect(await others.read(id)).toMatchObject({ attempt: 2, end: null })
  expect(await openRemoteJobs(store).read(id)).toMatchObject({ attempt: 2, end: null })
  await takeBackRequest(jobs, next, 'anna')
  for (const each of [jobs, others, openRemoteJobs(store)])
    expect(await each.read(id)).toMatchObject({ attempt: 1, end: { state: 'failed' } })
})
