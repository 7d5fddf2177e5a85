import { describe, expect, it } from 'vitest'
import { endJob } from '../../../engine/jobs/end-job.ts'
import { expireJob } from '../../../engine/jobs/expire-job.ts'
import { openPublished } from '../../../engine/jobs/published-file.ts'
import { filesOf } from '../../../engine/jobs/record/job-files.ts'
import { filePath, triesPath } from '../../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { withdrawInterest } from '../../../engine/jobs/withdraw-job.ts'
import { jobId } from '../../../engine/model/plan.ts'
import { asked, failed, jobFixtureForEach, later, planOf, succeeded } from './job-fixture.ts'

const fixture = jobFixtureForEach()
const { jobs } = fixture

describe('an attempt', () => {
  it('ends once', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    const ends = await Promise.all(Array.from({ length: 20 }, () => endJob(jobs, id, 1, failed)))
    expect(ends.filter(Boolean)).toHaveLength(1)
    expect(await endJob(jobs, id, 2, failed)).toBe(false)
    expect(await endJob(jobs, jobId(planOf('c'.repeat(64))), 1, failed)).toBe(false)
  })

  it('that failed stands for 60 s, then the next one begins', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    await endJob(jobs, id, 1, failed)
    expect(await requestJob(jobs, planOf(), asked('anna', later(60_000)))).toMatchObject({ attempt: 1, begun: false })
    const next = await requestJob(jobs, planOf(), asked('ben', later(61_001)))
    expect(next).toMatchObject({ attempt: 2, end: null, begun: true })
    expect(await fixture.interested(id)).toEqual(['ben'])
  })

  it('publishes whole files, which go when they expire', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    expect(await fixture.finish(id)).toBe(true)
    const job = (await jobs.read(id))!
    expect(job.end).toEqual(succeeded)
    expect(await requestJob(jobs, planOf(), asked('ben', later(1e9)))).toMatchObject({ attempt: 1, begun: false })
    const [plain, gzip] = filesOf(job)
    expect((await openPublished(jobs, job, plain))?.first.toString()).toBe('a,b\n')
    expect((await openPublished(jobs, job, gzip))?.first.toString()).toBe('gzip!')
    await expireJob(jobs, job, later(5000))
    expect(await openPublished(jobs, job, gzip)).toBeNull()
    expect((await jobs.read(id))?.end).toMatchObject({ state: 'expired', expiresAt: later(5000).toISOString() })
    expect(await requestJob(jobs, planOf(), asked())).toMatchObject({ attempt: 2, begun: true })
  })

  it('that is not current or was canceled publishes nothing and leaves no file', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    expect(await fixture.finish(id, 2)).toBe(false)
    await withdrawInterest(jobs, id, 'anna', later(10))
    expect(await fixture.finish(id)).toBe(false)
    expect(await fixture.names(id)).toEqual(['1.end.json', 'by', 'plan.json'])
  })

  it('whose file somebody deleted by hand is computed anew', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    await fixture.finish(id)
    await jobs.storage.remove(filePath((await jobs.read(id))!, 'plain'))
    expect(await requestJob(jobs, planOf(), asked())).toMatchObject({ attempt: 2, begun: true })
  })

  it('counts the tries that did not come back', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    const path = triesPath(id, 1)
    expect([await jobs.storage.append(path, '.'), await jobs.storage.append(path, '.')]).toEqual([1, 2])
    await jobs.storage.shorten(path, 1)
    expect(await jobs.storage.append(path, '.')).toBe(2)
  })
})
