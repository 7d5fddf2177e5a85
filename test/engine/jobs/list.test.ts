import { utimes } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { endJob } from '../../../engine/jobs/end-job.ts'
import { removeJob } from '../../../engine/jobs/expire-job.ts'
import { listJobs } from '../../../engine/jobs/list-jobs.ts'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import { jobId } from '../../../engine/model/plan.ts'
import { asked, failed, jobFixtureForEach, later, planOf, T0 } from './job-fixture.ts'

const fixture = jobFixtureForEach()
const { jobs } = fixture

const newest = async () => (await listJobs(jobs)).map(({ id }) => id)

describe('the list', () => {
  it('reads parameters that an earlier version did not know as their defaults', async () => {
    const { detector: _, filter: _none, dispersionThresholdPercent: _no, ...former } = defaultParameters()
    const parameters = { ...former, movingMedianRangeMs: 150 } as Parameters
    await requestJob(jobs, planOf(), { ...asked(), parameters })
    const [job] = await listJobs(openJobs(fixture.dataDir))
    expect(job.parameters).toEqual({ ...defaultParameters(), movingMedianRangeMs: 150 })
  })
  it('goes from newest to oldest, on from any place, and sees every change', async () => {
    const records = []
    for (let i = 0; i < 5; i++) {
      records.push(await requestJob(jobs, planOf(String(i).repeat(64)), asked('anna', later(i * 10))))
    }
    const ids = records.map(({ id }) => id).reverse()
    expect(await newest()).toEqual(ids)
    const rest = []
    for (const { id } of await listJobs(jobs, records[2])) rest.push(id)
    expect(rest).toEqual(ids.slice(3))
    // Directories that look unchanged for long are not read again; a later change must still be seen.
    for (const { id } of records) await utimes(fixture.path(id), T0, T0)
    await newest()
    await endJob(jobs, ids[0], 1, failed)
    const states = []
    for (const { end } of await listJobs(jobs)) states.push(end?.state ?? 'open')
    expect(states).toEqual(['failed', 'open', 'open', 'open', 'open'])
  })
})

describe('a look', () => {
  it('reads once what lies unchanged, and sees every change', async () => {
    const look = async (id: string) => (await jobs.find(id)).job
    const { id } = await requestJob(jobs, planOf(), asked())
    expect(await look(jobId(planOf('e'.repeat(64))))).toBeNull()
    expect(await look('../../etc')).toBeNull()
    await utimes(fixture.path(id), T0, T0)
    const seen = await look(id)
    expect(seen).toMatchObject({ id, attempt: 1, end: null })
    expect(await look(id)).toBe(seen)
    await endJob(openJobs(fixture.dataDir), id, 1, failed)
    expect(await look(id)).toMatchObject({ attempt: 1, end: { state: 'failed' } })
    await utimes(fixture.path(id), later(1), later(1))
    await look(id)
    await requestJob(openJobs(fixture.dataDir), planOf(), asked('ben', later(62_000)))
    expect(await look(id)).toMatchObject({ attempt: 2, end: null })
    await removeJob(openJobs(fixture.dataDir), (await jobs.read(id))!)
    expect(await look(id)).toBeNull()
  })
})
