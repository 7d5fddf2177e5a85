import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { endJob } from '../../../engine/jobs/end-job.ts'
import { endedAs } from '../../../engine/jobs/ended-as.ts'
import { expireJob } from '../../../engine/jobs/expire-job.ts'
import { nextAfter, publicError, TRIES_MAX } from '../../../engine/jobs/faults.ts'
import { planPath } from '../../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { ServiceError } from '../../../engine/model/errors.ts'
import { asked, failed, jobFixtureForEach, planOf } from './job-fixture.ts'

const fixture = jobFixtureForEach()
const { jobs } = fixture
const fault = (code: string) => Object.assign(new Error(code), { code })

it('a fault that passes costs a try, work of another process costs none, and all else is final', () => {
  for (const code of ['EIO', 'EROFS', 'ENOENT', 'EMFILE', 'ENOMEM']) {
    expect(nextAfter(fault(code), 1)).toBe('tried again')
    expect(nextAfter(fault(code), TRIES_MAX)).toBe('over')
  }
  expect(nextAfter(new ServiceError('store_away', 'away'), 3)).toBe('tried again')
  expect(nextAfter(new ServiceError('busy', 'another import'), TRIES_MAX)).toBe('waits')
  for (const error of [
    fault('ENOSPC'),
    new ServiceError('disk_full', 'full'),
    new ServiceError('corrupt', 'bad'),
    null,
  ])
    expect(nextAfter(error, 1)).toBe('over')
})

it('a client is told what its kind of work may tell, and nothing of a fault of Gazette', () => {
  const kind = { name: 'import', tells: ['usage'] as const }
  expect(publicError(new ServiceError('usage', 'leave out --name'), kind).code).toBe('usage')
  expect(publicError(new ServiceError('usage', 'leave out --name'), { name: 'export', tells: [] })).toEqual({
    code: 'internal',
    message: 'The export failed by a fault of Gazette; its log says more',
  })
  expect(publicError(fault('EMFILE'), kind).code).toBe('overloaded')
})

it('the record of its end decides how an attempt ended, whatever the plan; an unreadable one is read again', async () => {
  const { id, attempt } = await requestJob(jobs, planOf(), asked())
  const path = join(fixture.dataDir, planPath(id))
  const plan = await readFile(path)
  await writeFile(path, plan.subarray(0, 20))
  expect(await endedAs(jobs, { id, attempt, state: 'failed' })).toBeNull()
  await writeFile(path, plan)
  expect(await endedAs(jobs, { id, attempt, state: 'failed' })).toBeNull()
  await endJob(jobs, id, attempt, failed)
  await writeFile(path, plan.subarray(0, 20))
  expect(await endedAs(jobs, { id, attempt, state: 'failed' })).toBe(true)
  expect(await endedAs(jobs, { id, attempt, state: 'succeeded' })).toBe(false)
  expect(await endedAs(jobs, { id: `x${'0'.repeat(64)}`, attempt, state: 'failed' })).toBe(false)
})

it('a job that was set aside has failed, also for a webhook that is told once that has ended', async () => {
  const { id, attempt } = await requestJob(jobs, planOf(), asked())
  const error = { code: 'set_aside' as const, message: 'its worker died' }
  await endJob(jobs, id, attempt, { ...failed, error })
  await expireJob(jobs, (await jobs.read(id))!, new Date())
  expect((await jobs.read(id))!.end!.state).toBe('expired')
  expect(await endedAs(jobs, { id, attempt, state: 'failed' })).toBe(true)
  expect(await endedAs(jobs, { id, attempt, state: 'succeeded' })).toBe(false)
})
