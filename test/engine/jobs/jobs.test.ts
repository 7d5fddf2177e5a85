import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endJob, publishFile } from '../../../engine/jobs/end-job.ts'
import { expireJob, removeJob } from '../../../engine/jobs/expire-job.ts'
import { interestedIn } from '../../../engine/jobs/interest.ts'
import { filePath, newPartFiles } from '../../../engine/jobs/job-paths.ts'
import { listJobs } from '../../../engine/jobs/list-jobs.ts'
import { openFile } from '../../../engine/jobs/open-file.ts'
import { type Jobs, openJobs } from '../../../engine/jobs/open-jobs.ts'
import { requestJob, takeBackRequest } from '../../../engine/jobs/request-job.ts'
import type { JobEnd } from '../../../engine/jobs/state.ts'
import { tidyJobs } from '../../../engine/jobs/tidy-jobs.ts'
import { beginTry, handBackTry } from '../../../engine/jobs/tries.ts'
import { dropStudyJobs, withdrawInterest } from '../../../engine/jobs/withdraw-job.ts'
import { defaultParameters } from '../../../engine/params.ts'
import { jobId, type Plan } from '../../../engine/plan.ts'

const STUDY = '0b6f1c4e-2f5f-4f8e-9a51-1d1c5a0d7f10'
const T0 = new Date('2026-01-01T00:00:00.000Z')
const later = (ms: number) => new Date(T0.getTime() + ms)

const planOf = (snapshotId = 'a'.repeat(64), studyId = STUDY): Plan => ({
  export: 'fixations',
  studyId,
  snapshotId,
  parameters: { itemId: null },
  version: '0.1.0',
  formulaGuard: true,
})
const asked = (tokenId = 'anna', now = T0) => ({
  tokenId,
  parameters: defaultParameters(),
  samplesTotal: 12,
  fileName: 'study-fixations.csv',
  now,
})
const succeeded: JobEnd = {
  state: 'succeeded',
  startedAt: T0.toISOString(),
  finishedAt: later(1000).toISOString(),
  expiresAt: later(3_600_000).toISOString(),
  file: { bytes: 4, gzipBytes: 5, rows: 1, samples: 12, sha256: 'aa', gzipSha256: 'bb' },
  error: null,
}
const failed: JobEnd = {
  state: 'failed',
  startedAt: T0.toISOString(),
  finishedAt: later(1000).toISOString(),
  expiresAt: null,
  file: null,
  error: { code: 'corrupt', message: 'A shard has other rows than its manifest says' },
}

let dataDir: string
let jobs: Jobs
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-jobs-'))
  jobs = openJobs(dataDir)
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

async function finish(id: string, attempt = 1): Promise<boolean> {
  const parts = newPartFiles(jobs.root, id, attempt)
  await writeFile(parts.csv, 'a,b\n')
  await writeFile(parts.gzip, 'gzip!')
  return publishFile(jobs, { id, attempt }, parts, succeeded)
}
const interested = async (id: string) => (await interestedIn(jobs.root, (await jobs.read(id))!)).sort()
const countOpen = async (tokenId: string) => (await jobs.unfinished.of(tokenId)).size
/** What other processes do is seen a little later. */
async function untilCount(tokenId: string, count: number): Promise<void> {
  const deadline = performance.now() + 30_000
  while ((await countOpen(tokenId)) !== count) {
    if (performance.now() > deadline) throw new Error('waited in vain')
    await sleep(25)
  }
}
const newest = async () => {
  const ids: string[] = []
  for (const { id } of await listJobs(jobs)) ids.push(id)
  return ids
}

describe('a request', () => {
  it('is one job for equal plans, whoever asks, and says who asked', async () => {
    const first = await requestJob(jobs, planOf(), asked('anna'))
    const second = await requestJob(openJobs(dataDir), planOf(), asked('ben'))
    expect(first).toMatchObject({ id: jobId(planOf()), attempt: 1, end: null, begun: true })
    expect(second).toMatchObject({ id: first.id, attempt: 1, begun: false, createdAt: T0.toISOString() })
    expect(await interested(first.id)).toEqual(['anna', 'ben'])
  })

  it('is begun once by 200 at once from three stores', async () => {
    const stores = [jobs, openJobs(dataDir), openJobs(dataDir)]
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, i) => requestJob(stores[i % 3], planOf(), asked(`token-${i % 7}`))),
    )
    expect(all.filter(({ begun }) => begun)).toHaveLength(1)
    expect(new Set(all.map(({ id, attempt }) => `${id} ${attempt}`)).size).toBe(1)
    expect(await interested(all[0].id)).toHaveLength(7)
    expect((await readdir(join(dataDir, 'exports', all[0].id))).sort()).toEqual(['by', 'plan.json'])
  })

  it('is counted for its token until it ends', async () => {
    const { id } = await requestJob(jobs, planOf(), asked('anna'))
    await requestJob(jobs, planOf('b'.repeat(64)), asked('anna'))
    expect([await countOpen('anna'), await countOpen('ben')]).toEqual([2, 0])
    await endJob(jobs, id, 1, failed)
    expect(await countOpen('anna')).toBe(1)
  })

  it('is counted for its token as soon as it is asked for, taken back, withdrawn or begun anew', async () => {
    const plans = ['a', 'b', 'c'].map((letter) => planOf(letter.repeat(64)))
    const counts = []
    const records = []
    for (const plan of plans) {
      records.push(await requestJob(jobs, plan, asked('anna')))
      counts.push(await countOpen('anna'))
    }
    await requestJob(jobs, plans[0], asked('anna'))
    await requestJob(jobs, plans[0], asked('ben'))
    counts.push(await countOpen('anna'))
    await takeBackRequest(jobs, records[1], 'anna')
    counts.push(await countOpen('anna'))
    await withdrawInterest(jobs, records[2].id, 'anna', later(1))
    counts.push(await countOpen('anna'))
    await requestJob(jobs, plans[2], asked('anna', later(2)))
    counts.push(await countOpen('anna'))
    await withdrawInterest(jobs, records[0].id, 'all', later(3))
    counts.push(await countOpen('anna'), await countOpen('ben'))
    expect(counts).toEqual([1, 2, 3, 3, 2, 1, 2, 1, 0])
  })

  it('is counted also when another process began or ended it, a little later', async () => {
    const [other, third] = [openJobs(dataDir), openJobs(dataDir)]
    expect(await countOpen('anna')).toBe(0)
    const { id } = await requestJob(other, planOf(), asked('anna'))
    expect((await openJobs(dataDir).unfinished.of('anna', { fresh: true })).size).toBe(1)
    await untilCount('anna', 1)
    await endJob(third, id, 1, failed)
    await untilCount('anna', 0)
  })

  it('taken back leaves nothing, unless somebody else asked too', async () => {
    const record = await requestJob(jobs, planOf(), asked('anna'))
    await requestJob(jobs, planOf(), asked('ben'))
    await takeBackRequest(jobs, record, 'anna')
    expect(await interested(record.id)).toEqual(['ben'])
    await takeBackRequest(jobs, record, 'ben')
    expect(await readdir(join(dataDir, 'exports'))).toEqual([])
  })

  it('taken back after a failed attempt brings the failure back', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    await endJob(jobs, id, 1, failed)
    const again = await requestJob(jobs, planOf(), asked('anna', later(62_000)))
    expect(again).toMatchObject({ attempt: 2, end: null, begun: true })
    await takeBackRequest(jobs, again, 'anna')
    expect(await jobs.read(id)).toMatchObject({ attempt: 1, end: { state: 'failed' }, createdAt: T0.toISOString() })
  })

  it('of a token that is no file name is refused', async () => {
    await expect(requestJob(jobs, planOf(), asked('../anna'))).rejects.toThrow('safe in file names')
    expect(await jobs.read('../../etc')).toBeNull()
  })
})

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
    expect(await interested(id)).toEqual(['ben'])
  })

  it('publishes whole files, which outlive expiry for those who have them open', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    expect(await finish(id)).toBe(true)
    const job = (await jobs.read(id))!
    expect(job.end).toEqual(succeeded)
    expect(await requestJob(jobs, planOf(), asked('ben', later(1e9)))).toMatchObject({ attempt: 1, begun: false })
    const file = (await openFile(jobs, job, 'csv'))!
    await expireJob(jobs, job, later(5000))
    expect(await file.readFile('utf8')).toBe('a,b\n')
    await file.close()
    expect(await openFile(jobs, job, 'gzip')).toBeNull()
    expect((await jobs.read(id))?.end).toMatchObject({ state: 'expired', expiresAt: later(5000).toISOString() })
    expect(await requestJob(jobs, planOf(), asked())).toMatchObject({ attempt: 2, begun: true })
  })

  it('that is not current or was canceled publishes nothing and leaves no file', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    expect(await finish(id, 2)).toBe(false)
    await withdrawInterest(jobs, id, 'anna', later(10))
    expect(await finish(id)).toBe(false)
    expect((await readdir(join(dataDir, 'exports', id))).sort()).toEqual(['1.end.json', 'by', 'plan.json'])
  })

  it('whose file somebody deleted by hand is computed anew', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    await finish(id)
    await rm(filePath(jobs.root, (await jobs.read(id))!, 'csv'))
    expect(await requestJob(jobs, planOf(), asked())).toMatchObject({ attempt: 2, begun: true })
  })

  it('counts the tries that did not come back', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    expect([await beginTry(jobs, id, 1), await beginTry(jobs, id, 1)]).toEqual([1, 2])
    await handBackTry(jobs, id, 1)
    expect(await beginTry(jobs, id, 1)).toBe(2)
  })
})

describe('a withdrawal', () => {
  it('cancels once nobody is left, and for all at once', async () => {
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
    await finish(id)
    const job = (await jobs.read(id))!
    await withdrawInterest(jobs, id, 'anna', later(2000))
    expect(await openFile(jobs, job, 'csv')).toBeNull()
    expect((await jobs.read(id))?.end?.state).toBe('expired')
  })

  it('never cancels a job that another was told is under way', async () => {
    for (let round = 0; round < 30; round++) {
      const plan = planOf(round.toString(16).padStart(64, '0'))
      const { id } = await requestJob(jobs, plan, asked('anna'))
      const [joined] = await Promise.all([
        requestJob(openJobs(dataDir), plan, asked('ben')),
        withdrawInterest(jobs, id, 'anna', later(1)),
      ])
      const job = await jobs.read(id)
      expect(joined.end).toBeNull()
      expect(job?.end).toBeNull()
      expect(await interested(id)).toEqual(['ben'])
    }
  })

  it('for a study ends its jobs on every other snapshot', async () => {
    const old = await requestJob(jobs, planOf('a'.repeat(64)), asked())
    const kept = await requestJob(jobs, planOf('b'.repeat(64)), asked())
    const other = await requestJob(jobs, planOf('a'.repeat(64), '11111111-2f5f-4f8e-9a51-1d1c5a0d7f10'), asked())
    await writeFile(newPartFiles(jobs.root, old.id, 1).csv, 'half')
    await dropStudyJobs(jobs, STUDY, 'b'.repeat(64), later(1))
    expect((await readdir(join(dataDir, 'exports', old.id))).sort()).toEqual(['1.end.json', 'by', 'plan.json'])
    const states = await Promise.all(
      [old, kept, other].map(async ({ id }) => (await jobs.read(id))?.end?.state ?? 'open'),
    )
    expect(states).toEqual(['canceled', 'open', 'open'])
  })
})

describe('the list', () => {
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
    for (const { id } of records) await utimes(join(dataDir, 'exports', id), T0, T0)
    await newest()
    await endJob(jobs, ids[0], 1, failed)
    const states = []
    for (const { end } of await listJobs(jobs)) states.push(end?.state ?? 'open')
    expect(states).toEqual(['failed', 'open', 'open', 'open', 'open'])
  })
})

describe('a look', () => {
  it('reads once what lies unchanged, and sees every change', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    expect(await jobs.look(jobId(planOf('e'.repeat(64))))).toBeNull()
    expect(await jobs.look('../../etc')).toBeNull()
    await utimes(join(dataDir, 'exports', id), T0, T0)
    const seen = await jobs.look(id)
    expect(seen).toMatchObject({ id, attempt: 1, end: null })
    expect(await jobs.look(id)).toBe(seen)
    await endJob(openJobs(dataDir), id, 1, failed)
    expect(await jobs.look(id)).toMatchObject({ attempt: 1, end: { state: 'failed' } })
    await utimes(join(dataDir, 'exports', id), later(1), later(1))
    await jobs.look(id)
    await requestJob(openJobs(dataDir), planOf(), asked('ben', later(62_000)))
    expect(await jobs.look(id)).toMatchObject({ attempt: 2, end: null })
    await removeJob(openJobs(dataDir), (await jobs.read(id))!)
    expect(await jobs.look(id)).toBeNull()
  })
})

describe('tidying', () => {
  const old = new Date('2020-01-01')
  it('removes parts and files without an end that no try is writing, and half-made directories', async () => {
    const dead = await requestJob(jobs, planOf('a'.repeat(64)), asked())
    const alive = await requestJob(jobs, planOf('b'.repeat(64)), asked())
    for (const { id } of [dead, alive]) {
      for (const path of [newPartFiles(jobs.root, id, 1).csv, filePath(jobs.root, { ...dead, id }, 'csv')]) {
        await writeFile(path, 'half')
        await utimes(path, old, old)
      }
    }
    const half = `x${'e'.repeat(64)}`
    await requestJob(openJobs(dataDir), planOf('c'.repeat(64)), asked())
    await mkdir(join(dataDir, 'exports', half, 'by'), { recursive: true })
    await utimes(join(dataDir, 'exports', half), old, old)
    await tidyJobs(jobs, later(0), async (id) => id === alive.id)
    expect((await readdir(join(dataDir, 'exports', dead.id))).sort()).toEqual(['by', 'plan.json'])
    expect(await readdir(join(dataDir, 'exports', alive.id))).toHaveLength(4)
    expect(await readdir(join(dataDir, 'exports'))).not.toContain(half)
    expect(await newest()).toHaveLength(3)
  })

  it('forgets how often an ended job was tried, and how its earlier attempts ended', async () => {
    const { id } = await requestJob(jobs, planOf('a'.repeat(64)), asked())
    for (const attempt of [1, 2]) {
      await beginTry(jobs, id, attempt)
      await withdrawInterest(jobs, id, 'all', later(attempt))
      if (attempt === 1) await requestJob(jobs, planOf('a'.repeat(64)), asked())
    }
    await tidyJobs(jobs, later(0), async () => false)
    expect((await readdir(join(dataDir, 'exports', id))).sort()).toEqual(['2.end.json', 'by', 'plan.json'])
    expect((await jobs.read(id))?.end?.state).toBe('canceled')
  })

  it('keeps published files, however old', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    await finish(id)
    const job = (await jobs.read(id))!
    for (const kind of ['csv', 'gzip'] as const) await utimes(filePath(jobs.root, job, kind), old, old)
    await tidyJobs(jobs, later(0), async () => false)
    expect(await openFile(jobs, job, 'csv').then((file) => file?.close())).toBeUndefined()
    expect(await readdir(join(dataDir, 'exports', id))).toContain('1.csv')
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
    expect(await readdir(join(dataDir, 'exports'))).toEqual([])
  })
})
