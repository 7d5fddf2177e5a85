import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FORMATS } from '../../../engine/formats/formats.ts'
import { checkJobs } from '../../../engine/jobs/check-jobs.ts'
import { publishFile } from '../../../engine/jobs/end-job.ts'
import { expireJob } from '../../../engine/jobs/expire-job.ts'
import { type Jobs, openJobs } from '../../../engine/jobs/open-jobs.ts'
import { filePath, newPartFiles } from '../../../engine/jobs/record/job-paths.ts'
import type { JobEnd } from '../../../engine/jobs/record/state.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { tidyJobs } from '../../../engine/jobs/tidy-jobs.ts'
import { dropStudyJobs } from '../../../engine/jobs/withdraw-job.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { Plan } from '../../../engine/model/plan.ts'

const STUDY = '0b6f1c4e-2f5f-4f8e-9a51-1d1c5a0d7f10'
const NOW = new Date('2026-01-01T00:00:00.000Z')
const SHA256_OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

let dataDir: string
let jobs: Jobs
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-jobs-formats-'))
  jobs = openJobs(dataDir)
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

describe.each(FORMATS)('a job whose file is $title', ({ name, extension, hasGzip }) => {
  const plan: Plan = {
    export: 'fixations',
    studyId: STUDY,
    snapshotId: 'a'.repeat(64),
    parameters: { itemId: null },
    version: '0.1.0',
    formulaGuard: false,
    ...(name === 'csv' ? {} : { format: name }),
  }
  const asked = {
    tokenId: 'anna',
    parameters: defaultParameters(),
    samplesTotal: 1,
    fileName: `a.${extension}`,
    now: NOW,
  }
  const stored = { bytes: 3, sha256: SHA256_OF_ABC, sums: '' }
  const end: JobEnd = {
    state: 'succeeded',
    startedAt: NOW.toISOString(),
    finishedAt: NOW.toISOString(),
    expiresAt: new Date(NOW.getTime() + 3_600_000).toISOString(),
    file: { rows: 1, samples: 1, plain: stored, gzip: hasGzip ? stored : null },
    error: null,
  }
  const published = async (): Promise<string> => {
    const { id } = await requestJob(jobs, plan, asked)
    const parts = newPartFiles(id, 1)
    await writeFile(join(dataDir, parts.plain), 'abc')
    if (hasGzip) await writeFile(join(dataDir, parts.gzip), 'abc')
    expect(await publishFile(jobs, { id, attempt: 1 }, parts, end)).toBe(true)
    return id
  }
  const filesOf = async (id: string) =>
    (await readdir(join(dataDir, 'exports', id))).filter((each) => /^1\.(?!end)/.test(each)).sort()
  const whole = hasGzip ? [`1.${extension}`, `1.${extension}.gz`] : [`1.${extension}`]

  it('has the ending of its format, and a gzip version only if the format has one', async () => {
    const id = await published()
    const job = (await jobs.read(id))!
    expect(await filesOf(id)).toEqual(whole)
    expect(basename(filePath(job, 'plain'))).toBe(`1.${extension}`)
    expect((await requestJob(jobs, plan, asked)).begun).toBe(false)
    const found: string[] = []
    const files = await checkJobs(jobs, async ({ sentence }) => void found.push(sentence))
    // And plan, end and interest.
    expect(files).toBe(whole.length + 3)
    expect(found).toEqual([])
  })

  it('is begun anew when one of its files is gone', async () => {
    const id = await published()
    await rm(join(dataDir, 'exports', id, whole.at(-1)!))
    expect(await requestJob(jobs, plan, asked)).toMatchObject({ begun: true, attempt: 2 })
  })

  it('loses all its files when it expires, and when its study is dropped', async () => {
    const id = await published()
    await expireJob(jobs, (await jobs.read(id))!, NOW)
    expect(await filesOf(id)).toEqual([])
    const again = await requestJob(jobs, plan, asked)
    await writeFile(join(dataDir, filePath(again, 'plain')), 'abc')
    await dropStudyJobs(jobs, STUDY, null, NOW)
    expect(
      (await readdir(join(dataDir, 'exports', id))).filter((each) => each.startsWith('2.') && !each.endsWith('.json')),
    ).toEqual([])
  })

  it('is tidied up after a process that died while it published', async () => {
    const { id, ...record } = await requestJob(jobs, plan, asked)
    for (const kind of ['plain', 'gzip'] as const) {
      const path = join(dataDir, filePath({ id, ...record }, kind))
      await writeFile(path, 'abc')
      await utimes(path, NOW, NOW)
    }
    await tidyJobs(jobs, new Date(NOW.getTime() + 60_000), async () => false)
    expect(await filesOf(id)).toEqual([])
    expect(await jobs.read(id)).toMatchObject({ end: null, attempt: 1 })
  })
})
