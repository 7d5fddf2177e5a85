import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRemoteJobs } from '../../../../engine/jobs/bucket/remote-jobs.ts'
import { requestJob } from '../../../../engine/jobs/request-job.ts'
import { dropStudyJobs } from '../../../../engine/jobs/withdraw-job.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import { sendJobs } from '../../../../engine/study/bucket/copy-jobs.ts'
import { asked, openJobFixture, planOf, STUDY } from '../../jobs/job-fixture.ts'

test('a copy deletes from the bucket the files that were deleted since, and jobs that name people', async () => {
  const fixture = await openJobFixture()
  const dir = await mkdtemp(join(tmpdir(), 'gazette-copy-jobs-'))
  const store = openDirectory(dir)
  const copy = () => sendJobs(fixture.dataDir, store, { files: 0, bytes: 0, known: 0 }, () => {}, true)
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of store.list('exports/')) found.push(key)
    return found
  }
  try {
    const { jobs } = fixture
    const plain = await requestJob(jobs, planOf(), asked())
    const parameters = { ...defaultParameters(), filter: 'name == "Anna"' }
    const filtered = await requestJob(jobs, planOf('b'.repeat(64)), { ...asked(), parameters })
    for (const { id } of [plain, filtered]) expect(await fixture.finish(id)).toBe(true)
    expect(await copy()).toBe(2)
    expect((await keys()).filter((key) => key.endsWith('/1.csv'))).toHaveLength(2)
    expect((await openRemoteJobs(store).read(plain.id))?.end?.state).toBe('succeeded')
    // As the removal of a participant does.
    await dropStudyJobs(jobs, STUDY, null, new Date())
    expect(await copy()).toBe(0)
    expect((await keys()).filter((key) => /csv|gz/.test(key))).toEqual([])
    expect((await keys()).filter((key) => key.includes(filtered.id))).toEqual([])
    expect((await openRemoteJobs(store).read(plain.id))?.end?.state).toBe('expired')
  } finally {
    await fixture.remove()
    await rm(dir, { recursive: true, force: true })
  }
})

test('a copy names the file that a job lacks, and gives the job no plan', async () => {
  const fixture = await openJobFixture()
  const dir = await mkdtemp(join(tmpdir(), 'gazette-copy-lacking-'))
  const store = openDirectory(dir)
  try {
    const { id } = await requestJob(fixture.jobs, planOf(), asked())
    expect(await fixture.finish(id)).toBe(true)
    await rm(join(fixture.dataDir, 'exports', id, '1.csv'))
    const copying = sendJobs(fixture.dataDir, store, { files: 0, bytes: 0, known: 0 }, () => {}, true)
    await expect(copying).rejects.toMatchObject({
      code: 'corrupt',
      message: `exports/${id}/1.csv is missing, which its job promises`,
    })
    expect(await openRemoteJobs(store).read(id)).toBeNull()
  } finally {
    await fixture.remove()
    await rm(dir, { recursive: true, force: true })
  }
})
