import { copyFile, readFile, rename, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { checkJobs } from '../../../engine/jobs/check-jobs.ts'
import { endJob } from '../../../engine/jobs/end-job.ts'
import { listDamaged, listJobs } from '../../../engine/jobs/list-jobs.ts'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { openPublished } from '../../../engine/jobs/published-file.ts'
import { filesOf } from '../../../engine/jobs/record/job-files.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { tidyJobs } from '../../../engine/jobs/tidy-jobs.ts'
import { dropStudyJobs } from '../../../engine/jobs/withdraw-job.ts'
import { asked, failed, flip, jobFixtureForEach, later, planOf, STUDY } from './job-fixture.ts'

const fixture = jobFixtureForEach()
const { jobs } = fixture

/** Runs `check` and returns its findings as lines; with `mends`, also repairs. */
async function found(mends = false): Promise<string[]> {
  const lines: string[] = []
  await checkJobs(jobs, async ({ sentence, mend }) => {
    lines.push(mends ? `${sentence} ${await mend?.()}` : sentence)
  })
  return lines
}
const begun = async () => (await requestJob(jobs, planOf(), asked())).id
async function finished(): Promise<string> {
  const id = await begun()
  await fixture.finish(id)
  return id
}

describe('a bit that turned', () => {
  it.each(['plan.json', '1.end.json'])('anywhere in %s is found, and makes nothing of it count', async (name) => {
    const id = await finished()
    const path = fixture.path(id, name)
    const { size } = await stat(path)
    for (let at = 0; at < size; at++) {
      await flip(path, at)
      const job = await openJobs(fixture.dataDir).read(id)
      if (name === 'plan.json') expect(job, `byte ${at}`).toBeNull()
      else expect(job?.end, `byte ${at}`).toMatchObject({ state: 'expired', file: null, error: { code: 'corrupt' } })
      await flip(path, at)
    }
    expect((await jobs.read(id))?.end?.state).toBe('succeeded')
    await flip(path, 100)
    expect(await found()).toEqual([`Job ${id}: ${name} is not what was written.`])
  })

  it('in a file that others than its reader mend is seen mended', async () => {
    const id = await begun()
    await utimes(fixture.path(id), later(0), later(0))
    await flip(fixture.path(id, 'plan.json'), 20)
    expect((await jobs.find(id)).job).toBeNull()
    await flip(fixture.path(id, 'plan.json'), 20)
    expect((await jobs.find(id)).job).toMatchObject({ id, attempt: 1 })
  })
})

describe('a file that is whole, but another one,', () => {
  it('is damage: the plan of another job', async () => {
    const [id, other] = [await begun(), (await requestJob(jobs, planOf('b'.repeat(64)), asked())).id]
    await copyFile(fixture.path(other, 'plan.json'), fixture.path(id, 'plan.json'))
    expect(await jobs.read(id)).toBeNull()
    await rename(fixture.path(id), fixture.path(`x${'0'.repeat(64)}`))
    expect(await jobs.read(`x${'0'.repeat(64)}`)).toBeNull()
  })

  it('is damage: the end of another attempt', async () => {
    const id = await begun()
    await endJob(jobs, id, 1, failed)
    await requestJob(jobs, planOf(), asked('anna', later(100_000)))
    await copyFile(fixture.path(id, '1.end.json'), fixture.path(id, '2.end.json'))
    expect((await jobs.read(id))?.end).toMatchObject({ state: 'expired', error: { code: 'corrupt' } })
  })
})

describe('a damaged job', () => {
  it('is begun anew with an attempt that nothing of the old ones can be taken for', async () => {
    const id = await finished()
    await requestJob(jobs, planOf(), asked('ben'))
    await writeFile(fixture.path(id, 'plan.json'), '')
    await writeFile(fixture.path(id, '7.csv'), 'left by somebody')
    expect(await requestJob(jobs, planOf(), asked('carl'))).toMatchObject({ id, attempt: 8, end: null, begun: true })
    expect(await fixture.interested(id)).toEqual(['carl'])
    await fixture.finish(id, 8)
    await tidyJobs(jobs, new Date(Date.now() + 1000), async () => false)
    expect(await fixture.names(id)).toEqual(['8.csv', '8.csv.gz', '8.end.json', 'by', 'plan.json'])
    expect(await found()).toEqual([])
  })

  it('is in the way of no other, and is named', async () => {
    const id = await begun()
    const other = await requestJob(jobs, planOf('b'.repeat(64)), asked())
    await truncate(fixture.path(id, 'plan.json'), 10)
    expect((await listJobs(jobs)).map((job) => job.id)).toEqual([other.id])
    expect([...(await openJobs(fixture.dataDir).unfinished.of('anna'))]).toEqual([other.id])
    expect(await listDamaged(jobs)).toEqual([{ id, damage: 'plan.json is not what was written' }])
    await tidyJobs(jobs, new Date(Date.now() + 1000), async () => false)
    expect(await fixture.names(id)).toEqual(['by', 'plan.json'])
  })

  it('whose plan does not tell its study goes with any study that is removed', async () => {
    const id = await finished()
    await truncate(fixture.path(id, 'plan.json'), 10)
    await dropStudyJobs(jobs, STUDY, null, later(1))
    await expect(stat(fixture.path(id))).rejects.toThrow('ENOENT')
  })

  it('of an earlier version of Gazette is told as that', async () => {
    const id = await begun()
    const { sha256: _, ...former } = JSON.parse(await readFile(fixture.path(id, 'plan.json'), 'utf8'))
    await writeFile(fixture.path(id, 'plan.json'), JSON.stringify(former, null, 2))
    expect(await found()).toEqual([`Job ${id}: plan.json has no checksum: an earlier version of Gazette wrote it.`])
  })
})

describe('check', () => {
  it.each(['1.csv', '1.csv.gz'])('finds a bit that turned in %s, and one that is missing', async (name) => {
    const id = await finished()
    expect(await found()).toEqual([])
    await flip(fixture.path(id, name), 2)
    expect(await found()).toEqual([`Job ${id}: ${name} is not what was written.`])
    await rename(fixture.path(id, name), fixture.path(id, `2.csv`))
    expect(await found()).toEqual([`Job ${id}: ${name} is missing.`])
  })

  it('finds what is no interest of anybody, and with --repair removes it', async () => {
    const id = await begun()
    await writeFile(fixture.path(id, 'by', 'anna.1'), 'x')
    expect(await found(true)).toEqual([`Job ${id}: by/anna.1 is not what was written. That file is removed.`])
    expect(await found()).toEqual([])
  })

  it.each(['plan.json', '1.end.json', '1.csv', '1.csv.gz'])(
    'with --repair removes what a damaged %s makes useless, and then all is well',
    async (name) => {
      const id = await finished()
      await flip(fixture.path(id, name), 1)
      expect(await found(true)).toEqual([
        `Job ${id}: ${name} is not what was written. It is removed, and computed anew when it is asked for.`,
      ])
      expect(await found()).toEqual([])
      const attempt = name === 'plan.json' ? 1 : 2
      expect(await requestJob(jobs, planOf(), asked())).toMatchObject({ id, attempt, begun: true, end: null })
    },
  )
})

describe('a published file', () => {
  it('of which a bit turned is not opened, and its job has expired for it', async () => {
    const id = await finished()
    await flip(fixture.path(id, '1.csv.gz'), 3)
    const job = (await jobs.read(id))!
    expect(await openPublished(jobs, job, filesOf(job)[1])).toBeNull()
    const error = { code: 'corrupt', message: '1.csv.gz is not what was written, from byte 0 on' }
    expect((await jobs.read(id))?.end).toMatchObject({ state: 'expired', error })
    expect(await fixture.names(id)).toEqual(['1.end.json', 'by', 'plan.json'])
    expect(await listDamaged(jobs)).toEqual([{ id, damage: error.message }])
  })
})
