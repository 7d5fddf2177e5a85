import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { openPublished } from '../../../engine/jobs/published-file.ts'
import { filesOf } from '../../../engine/jobs/record/job-files.ts'
import { newPartFiles } from '../../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { dropStudyJobs, withdrawInterest } from '../../../engine/jobs/withdraw-job.ts'
import { jobId } from '../../../engine/model/plan.ts'
import { asked, jobFixtureForEach, later, planOf, STUDY, T0 } from './job-fixture.ts'

const fixture = jobFixtureForEach()
const { jobs } = fixture

describe('a withdrawal', () => {
  it('cancels when the last interest is withdrawn, or for all at once', async () => {
    const { id } = await requestJob(jobs, planOf(), asked('anna'))
    await requestJob(jobs, planOf(), asked('ben'))
    await withdrawInterest(jobs, id, 'anna', later(5))
    expect((await jobs.read(id))?.end).toBeNull()
    await withdrawInterest(jobs, id, 'all', later(6))
    expect((await jobs.read(id))?.end).toMatchObject({ state: 'canceled', finishedAt: later(6).toISOString() })
    expect(await requestJob(jobs, planOf(), asked('ben', later(7)))).toMatchObject({ attempt: 2, begun: true })
    expect(await withdrawInterest(jobs, jobId(planOf('d'.repeat(64))), 'anna', T0)).toBe(false)
  })

  it('of the last one takes the file of a finished job', async () => {
    const { id } = await requestJob(jobs, planOf(), asked('anna'))
    await fixture.finish(id)
    const job = (await jobs.read(id))!
    await withdrawInterest(jobs, id, 'anna', later(2000))
    expect(await openPublished(jobs, job, filesOf(job)[0])).toBeNull()
    expect((await jobs.read(id))?.end?.state).toBe('expired')
  })

  it('never cancels a job that another was told is under way', async () => {
    for (let round = 0; round < 30; round++) {
      const plan = planOf(round.toString(16).padStart(64, '0'))
      const { id } = await requestJob(jobs, plan, asked('anna'))
      const [joined] = await Promise.all([
        requestJob(openJobs(fixture.dataDir), plan, asked('ben')),
        withdrawInterest(jobs, id, 'anna', later(1)),
      ])
      const job = await jobs.read(id)
      expect(joined.end).toBeNull()
      expect(job?.end).toBeNull()
      expect(await fixture.interested(id)).toEqual(['ben'])
    }
  })

  it('for a study ends its jobs on every other snapshot', async () => {
    const old = await requestJob(jobs, planOf('a'.repeat(64)), asked())
    const kept = await requestJob(jobs, planOf('b'.repeat(64)), asked())
    const other = await requestJob(jobs, planOf('a'.repeat(64), '11111111-2f5f-4f8e-9a51-1d1c5a0d7f10'), asked())
    await writeFile(join(fixture.dataDir, newPartFiles(old.id, 1).plain), 'half')
    await dropStudyJobs(jobs, STUDY, 'b'.repeat(64), later(1))
    expect(await fixture.names(old.id)).toEqual(['1.end.json', 'by', 'plan.json'])
    const states = await Promise.all(
      [old, kept, other].map(async ({ id }) => (await jobs.read(id))?.end?.state ?? 'open'),
    )
    expect(states).toEqual(['failed', 'open', 'open'])
    expect((await jobs.read(old.id))?.end?.error).toEqual({
      code: 'gone',
      message: `data were removed from study ${STUDY} after this export was requested: request it again for the study as it is now`,
    })
  })

  it('for a study says why the file of a finished job is gone', async () => {
    const { id } = await requestJob(jobs, planOf('a'.repeat(64)), asked())
    await fixture.finish(id)
    await dropStudyJobs(jobs, STUDY, null, later(2000))
    const error = { code: 'gone', message: `study ${STUDY} was deleted` }
    expect((await jobs.read(id))?.end).toMatchObject({ state: 'expired', error })
    // Nothing is damaged.
    expect((await jobs.find(id)).damage).toBeNull()
  })
})
