import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expireJob } from '../../../engine/jobs/expire-job.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { fillDisk, mountSmallDisk } from '../../chaos/disk.ts'
import { asked, type Lab, later, openLab, planOf } from './lab.ts'

const lab: Lab = await openLab()
const root = join(lab.dataDir, 'exports')
await mkdir(root)
/** Only root may mount one. */
const unmount = await mountSmallDisk(root, 4)
let id = ''
beforeAll(async () => {
  id = (await requestJob(lab.jobs, planOf(), asked())).id
  await lab.finish(id)
  if (unmount) await fillDisk(root)
})
afterAll(async () => {
  await unmount?.()
  await rm(lab.dataDir, { recursive: true, force: true })
})

test.skipIf(unmount === null)('a request on a disk without a free byte is refused', async () => {
  await expect(requestJob(lab.jobs, planOf('b'.repeat(64)), asked())).rejects.toMatchObject({ code: 'disk_full' })
})

test.skipIf(unmount === null)('a file expires on a disk without a free byte, and makes room', async () => {
  await expireJob(lab.jobs, (await lab.jobs.read(id))!, later(1))
  expect((await lab.jobs.read(id))?.end?.state).toBe('expired')
  expect(await lab.names(id)).toEqual(['1.end.json', 'by', 'plan.json'])
  expect(await requestJob(lab.jobs, planOf(), asked())).toMatchObject({ attempt: 2, begun: true })
})
