import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endJob } from '../../../engine/jobs/end-job.ts'
import { removeJob } from '../../../engine/jobs/expire-job.ts'
import { listJobs } from '../../../engine/jobs/list-jobs.ts'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { filePath, newPartFiles, triesPath } from '../../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { tidyJobs } from '../../../engine/jobs/tidy-jobs.ts'
import { withdrawInterest } from '../../../engine/jobs/withdraw-job.ts'
import { asked, failed, jobFixtureForEach, later, planOf } from './job-fixture.ts'

const fixture = jobFixtureForEach()
const { jobs } = fixture

const newest = async () => (await listJobs(jobs)).map(({ id }) => id)

describe('tidying', () => {
  const old = new Date('2020-01-01')
  it('removes parts and files without an end that no try is writing, and half-made directories', async () => {
    const dead = await requestJob(jobs, planOf('a'.repeat(64)), asked())
    const alive = await requestJob(jobs, planOf('b'.repeat(64)), asked())
    for (const { id } of [dead, alive]) {
      for (const name of [newPartFiles(id, 1).plain, filePath({ ...dead, id }, 'plain')]) {
        const path = join(fixture.dataDir, name)
        await writeFile(path, 'half')
        await utimes(path, old, old)
      }
    }
    const half = `x${'e'.repeat(64)}`
    await requestJob(openJobs(fixture.dataDir), planOf('c'.repeat(64)), asked())
    await mkdir(fixture.path(half, 'by'), { recursive: true })
    await utimes(fixture.path(half), old, old)
    await tidyJobs(jobs, later(0), async (id) => id === alive.id)
    expect(await fixture.names(dead.id)).toEqual(['by', 'plan.json'])
    expect(await fixture.names(alive.id)).toHaveLength(4)
    expect(await jobs.storage.names('exports')).not.toContain(half)
    expect(await newest()).toHaveLength(3)
  })

  it('forgets how often an ended job was tried, and how its earlier attempts ended', async () => {
    const { id } = await requestJob(jobs, planOf('a'.repeat(64)), asked())
    for (const attempt of [1, 2]) {
      await jobs.storage.append(triesPath(id, attempt), '.')
      await withdrawInterest(jobs, id, 'all', later(attempt))
      if (attempt === 1) await requestJob(jobs, planOf('a'.repeat(64)), asked())
    }
    await tidyJobs(jobs, later(0), async () => false)
    expect(await fixture.names(id)).toEqual(['2.end.json', 'by', 'plan.json'])
    expect((await jobs.read(id))?.end?.state).toBe('canceled')
  })

  it('keeps published files, however old', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    await fixture.finish(id)
    const job = (await jobs.read(id))!
    for (const kind of ['plain', 'gzip'] as const) await utimes(join(fixture.dataDir, filePath(job, kind)), old, old)
    await tidyJobs(jobs, later(0), async () => false)
    expect(await fixture.names(id)).toEqual(['1.csv', '1.csv.gz', '1.end.json', 'by', 'plan.json'])
  })

  it('does not remove a job that was asked for anew meanwhile', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    await endJob(jobs, id, 1, failed)
    const seen = (await jobs.read(id))!
    await requestJob(jobs, planOf(), asked('anna', later(100_000)))
    await removeJob(jobs, seen)
    expect(await jobs.read(id)).toMatchObject({ attempt: 2, end: null })
    await removeJob(jobs, (await jobs.read(id))!)
    expect(await jobs.read(id)).toBeNull()
    expect(await jobs.storage.names('exports')).toEqual([])
  })
})
