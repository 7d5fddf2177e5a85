import { execFileSync } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { makeDirectory } from '../../../engine/storage/files/durable.ts'
import { asProblem, PROBLEMS } from '../../../server/http/problems.ts'
import { isWritable } from '../../../server/operations/health.ts'
import { mountSmallDisk } from '../../chaos/disk.ts'
import { asked, type JobFixture, openJobFixture, planOf } from './job-fixture.ts'

const fixture: JobFixture = await openJobFixture()
const root = join(fixture.dataDir, 'exports')
await mkdir(root)
/** Only root may mount one. */
const unmount = await mountSmallDisk(root, 4)
afterAll(async () => {
  await unmount?.()
  await rm(fixture.dataDir, { recursive: true, force: true })
})

test.skipIf(unmount === null)(
  'a disk that became read-only is 503 for a new job, until it can be written',
  async () => {
    const { id } = await requestJob(fixture.jobs, planOf(), asked())
    expect(await isWritable(root)).toBe(true)
    execFileSync('mount', ['-o', 'remount,ro', root])
    expect(await isWritable(root)).toBe(false)
    await expect(makeDirectory(join(root, 'some', 'folder'))).rejects.toMatchObject({ code: 'EROFS' })
    const refused = await requestJob(fixture.jobs, planOf('b'.repeat(64)), asked()).catch(asProblem)
    expect(refused).toMatchObject({ code: 'store_away', message: 'The disk of studies and jobs is read-only.' })
    expect(PROBLEMS.store_away.status).toBe(503)
    expect((await fixture.jobs.read(id))?.end).toBe(null)
    execFileSync('mount', ['-o', 'remount,rw', root])
    expect(await isWritable(root)).toBe(true)
    expect(await requestJob(fixture.jobs, planOf('b'.repeat(64)), asked())).toMatchObject({ begun: true })
  },
)
