import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expireJob } from '../../../engine/jobs/expire-job.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { fillDisk, mountSmallDisk } from '../../chaos/disk.ts'
import { asked, type JobFixture, later, openJobFixture, planOf } from './job-fixture.ts'

const fixture: JobFixture = await openJobFixture()
const root = join(fixture.dataDir, 'exports')
await mkdir(root)
/** Only root may mount one. */
const unmount = await mountSmallDisk(root, 4)
let id = ''
beforeAll(async () => {
  id = (await requestJob(fixture.jobs, planOf(), asked())).id
  await fixture.finish(id)
  if (unmount) await fillDisk(root)
})
afterAll(async () => {
  await unmount?.()
  await rm(fixture.dataDir, { recursive: true, force: true })
})

test.skipIf(unmount === null)('a request on a disk without a free byte is refused', async () => {
  await expect(requestJob(fixture.jobs, planOf('b'.repeat(64)), asked())).rejects.toMatchObject({ code: 'disk_full' })
})

test.skipIf(unmount === null)('a file expires on a disk without a free byte, and makes room', async () => {
  await expireJob(fixture.jobs, (await fixture.jobs.read(id))!, later(1))
  expect((await fixture.jobs.read(id))?.end?.state).toBe('expired')
  expect(await fixture.names(id)).toEqual(['1.end.json', 'by', 'plan.json'])
  expect(await requestJob(fixture.jobs, planOf(), asked())).toMatchObject({ attempt: 2, begun: true })
})
