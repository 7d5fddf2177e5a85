import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { jobId, type Plan } from '../../../engine/model/plan.ts'
import type { JobEnd } from '../../../engine/store/job-files.ts'
import { type Jobs, openJobs } from '../../../engine/store/jobs.ts'

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
const succeeded: Omit<JobEnd, 'attempt'> = {
  state: 'succeeded',
  startedAt: T0.toISOString(),
  finishedAt: later(1000).toISOString(),
  expiresAt: later(3_600_000).toISOString(),
  file: { bytes: 4, gzipBytes: 5, rows: 1, samples: 12, sha256: 'aa', gzipSha256: 'bb' },
  error: null,
}
const failed: Omit<JobEnd, 'attempt'> = {
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
  const parts = jobs.partFiles(id, attempt)
  await writeFile(parts.csv, 'a,b\n')
  await writeFile(parts.gzip, 'gzip!')
  return jobs.publish(id, attempt, parts, succeeded)
}
const countOpen = async (tokenId: string) => (await jobs.openOf(tokenId)).size
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
  for await (const { id } of jobs.list()) ids.push(id)
  return ids
}

describe('a request', () => {
  it('is one job for equal plans, whoever asks, and says who asked', async () => {
    const first = await jobs.request(planOf(), asked('anna'))
    const second = await openJobs(dataDir).request(planOf(), asked('ben'))
    expect(first).toMatchObject({ id: jobId(planOf()), attempt: 1, end: null, begun: true, interested: ['anna'] })
    expect(second).toMatchObject({ id: first.id, attempt: 1, begun: false, createdAt: T0.toISOString() })
    expect(second.interested.sort()).toEqual(['anna', 'ben'])
  })

  it('is begun once by 200 at once from three stores', async () => {
    const stores = [jobs, openJobs(dataDir), openJobs(dataDir)]
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, i) => stores[i % 3].request(planOf(), asked(`token-${i % 7}`))),
    )
    expect(all.filter(({ begun }) => begun)).toHaveLength(1)
    expect(new Set(all.map(({ id, attempt }) => `${id} ${attempt}`)).size).toBe(1)
    expect((await jobs.get(all[0].id))?.interested).toHaveLength(7)
    expect((await readdir(join(dataDir, 'exports', all[0].id))).sort()).toEqual(['by', 'plan.json'])
  })

  it('is counted for its token until it ends', async () => {
    const { id } = await jobs.request(planOf(), asked('anna'))
    await jobs.request(planOf('b'.repeat(64)), asked('anna'))
    expect([await countOpen('anna'), await countOpen('ben')]).toEqual([2, 0])
    await jobs.end(id, 1, failed)
    expect(await countOpen('anna')).toBe(1)
  })

  it('is counted for its token as soon as it is asked for, taken back, withdrawn or begun anew', async () => {
    const plans = ['a', 'b', 'c'].map((letter) => planOf(letter.repeat(64)))
    const counts = []
    const records = []
    for (const plan of plans) {
      records.push(await jobs.request(plan, asked('anna')))
      counts.push(await countOpen('anna'))
    }
    await jobs.request(plans[0], asked('anna'))
    await jobs.request(plans[0], asked('ben'))
    counts.push(await countOpen('anna'))
    await jobs.undo(records[1], 'anna')
    counts.push(await countOpen('anna'))
    await jobs.withdraw(records[2].id, 'anna', later(1))
    counts.push(await countOpen('anna'))
    await jobs.request(plans[2], asked('anna', later(2)))
    counts.push(await countOpen('anna'))
    await jobs.withdraw(records[0].id, 'all', later(3))
    counts.push(await countOpen('anna'), await countOpen('ben'))
    expect(counts).toEqual([1, 2, 3, 3, 2, 1, 2, 1, 0])
  })

  it('is counted also when another process began or ended it, a little later', async () => {
    const [other, third] = [openJobs(dataDir), openJobs(dataDir)]
    expect(await countOpen('anna')).toBe(0)
    const { id } = await other.request(planOf(), asked('anna'))
    expect((await openJobs(dataDir).openOf('anna', { fresh: true })).size).toBe(1)
    await untilCount('anna', 1)
    await third.end(id, 1, failed)
    await untilCount('anna', 0)
  })

  it('taken back leaves nothing, unless somebody else asked too', async () => {
    const record = await jobs.request(planOf(), asked('anna'))
    await jobs.request(planOf(), asked('ben'))
    await jobs.undo(record, 'anna')
    expect((await jobs.get(record.id))?.interested).toEqual(['ben'])
    await jobs.undo(record, 'ben')
    expect(await readdir(join(dataDir, 'exports'))).toEqual([])
  })

  it('taken back after a failed attempt brings the failure back', async () => {
    const { id } = await jobs.request(planOf(), asked())
    await jobs.end(id, 1, failed)
    const again = await jobs.request(planOf(), asked('anna', later(62_000)))
    expect(again).toMatchObject({ attempt: 2, end: null, begun: true })
    await jobs.undo(again, 'anna')
    expect(await jobs.get(id)).toMatchObject({ attempt: 1, end: { state: 'failed' }, createdAt: T0.toISOString() })
  })

  it('of a token that is no file name is refused', async () => {
    await expect(jobs.request(planOf(), asked('../anna'))).rejects.toThrow('safe in file names')
    expect(await jobs.get('../../etc')).toBeNull()
  })
})

describe('an attempt', () => {
  it('ends once', async () => {
    const { id } = await jobs.request(planOf(), asked())
    const ends = await Promise.all(Array.from({ length: 20 }, () => jobs.end(id, 1, failed)))
    expect(ends.filter(Boolean)).toHaveLength(1)
    expect(await jobs.end(id, 2, failed)).toBe(false)
    expect(await jobs.end(jobId(planOf('c'.repeat(64))), 1, failed)).toBe(false)
  })

  it('that failed stands for 60 s, then the next one begins', async () => {
    const { id } = await jobs.request(planOf(), asked())
    await jobs.end(id, 1, failed)
    expect(await jobs.request(planOf(), asked('anna', later(60_000)))).toMatchObject({ attempt: 1, begun: false })
    const next = await jobs.request(planOf(), asked('ben', later(61_001)))
    expect(next).toMatchObject({ attempt: 2, end: null, begun: true, interested: ['ben'] })
  })

  it('publishes whole files, which outlive expiry for those who have them open', async () => {
    const { id } = await jobs.request(planOf(), asked())
    expect(await finish(id)).toBe(true)
    const job = (await jobs.get(id))!
    expect(job.end).toEqual({ ...succeeded, attempt: 1 })
    expect(await jobs.request(planOf(), asked('ben', later(1e9)))).toMatchObject({ attempt: 1, begun: false })
    const file = (await jobs.openFile(job, 'csv'))!
    await jobs.expire(job, later(5000))
    expect(await file.readFile('utf8')).toBe('a,b\n')
    await file.close()
    expect(await jobs.openFile(job, 'gzip')).toBeNull()
    expect((await jobs.get(id))?.end).toMatchObject({ state: 'expired', expiresAt: later(5000).toISOString() })
    expect(await jobs.request(planOf(), asked())).toMatchObject({ attempt: 2, begun: true })
  })

  it('that is not current or was canceled publishes nothing and leaves no file', async () => {
    const { id } = await jobs.request(planOf(), asked())
    expect(await finish(id, 2)).toBe(false)
    await jobs.withdraw(id, 'anna', later(10))
    expect(await finish(id)).toBe(false)
    expect((await readdir(join(dataDir, 'exports', id))).sort()).toEqual(['1.end.json', 'by', 'plan.json'])
  })

  it('whose file somebody deleted by hand is computed anew', async () => {
    const { id } = await jobs.request(planOf(), asked())
    await finish(id)
    await rm(jobs.filePath((await jobs.get(id))!, 'csv'))
    expect(await jobs.request(planOf(), asked())).toMatchObject({ attempt: 2, begun: true })
  })

  it('counts the tries that did not come back', async () => {
    const { id } = await jobs.request(planOf(), asked())
    expect([await jobs.beginTry(id, 1), await jobs.beginTry(id, 1)]).toEqual([1, 2])
    await jobs.handBackTry(id, 1)
    expect(await jobs.beginTry(id, 1)).toBe(2)
  })
})

describe('a withdrawal', () => {
  it('cancels once nobody is left, and for all at once', async () => {
    const { id } = await jobs.request(planOf(), asked('anna'))
    await jobs.request(planOf(), asked('ben'))
    await jobs.withdraw(id, 'anna', later(5))
    expect((await jobs.get(id))?.end).toBeNull()
    await jobs.withdraw(id, 'all', later(6))
    expect((await jobs.get(id))?.end).toMatchObject({ state: 'canceled', finishedAt: later(6).toISOString() })
    expect(await jobs.request(planOf(), asked('ben', later(7)))).toMatchObject({ attempt: 2, begun: true })
    expect(await jobs.withdraw(jobId(planOf('d'.repeat(64))), 'anna', T0)).toBe(false)
  })

  it('of the last one takes the file of a finished job', async () => {
    const { id } = await jobs.request(planOf(), asked('anna'))
    await finish(id)
    const job = (await jobs.get(id))!
    await jobs.withdraw(id, 'anna', later(2000))
    expect(await jobs.openFile(job, 'csv')).toBeNull()
    expect((await jobs.get(id))?.end?.state).toBe('expired')
  })

  it('never cancels a job that another was told is under way', async () => {
    for (let round = 0; round < 30; round++) {
      const plan = planOf(round.toString(16).padStart(64, '0'))
      const { id } = await jobs.request(plan, asked('anna'))
      const [joined] = await Promise.all([
        openJobs(dataDir).request(plan, asked('ben')),
        jobs.withdraw(id, 'anna', later(1)),
      ])
      const job = await jobs.get(id)
      expect(joined.end).toBeNull()
      expect(job).toMatchObject({ end: null, interested: ['ben'] })
    }
  })

  it('for a study ends its jobs on every other snapshot', async () => {
    const old = await jobs.request(planOf('a'.repeat(64)), asked())
    const kept = await jobs.request(planOf('b'.repeat(64)), asked())
    const other = await jobs.request(planOf('a'.repeat(64), '11111111-2f5f-4f8e-9a51-1d1c5a0d7f10'), asked())
    await writeFile(jobs.partFiles(old.id, 1).csv, 'half')
    await jobs.dropStudy(STUDY, 'b'.repeat(64), later(1))
    expect((await readdir(join(dataDir, 'exports', old.id))).sort()).toEqual(['1.end.json', 'by', 'plan.json'])
    const states = await Promise.all(
      [old, kept, other].map(async ({ id }) => (await jobs.get(id))?.end?.state ?? 'open'),
    )
    expect(states).toEqual(['canceled', 'open', 'open'])
  })
})

describe('the list', () => {
  it('goes from newest to oldest, on from any place, and sees every change', async () => {
    const records = []
    for (let i = 0; i < 5; i++) {
      records.push(await jobs.request(planOf(String(i).repeat(64)), asked('anna', later(i * 10))))
    }
    const ids = records.map(({ id }) => id).reverse()
    expect(await newest()).toEqual(ids)
    const rest = []
    for await (const { id } of jobs.list(records[2])) rest.push(id)
    expect(rest).toEqual(ids.slice(3))
    // Directories that look unchanged for long are not read again; a later change must still be seen.
    for (const { id } of records) await utimes(join(dataDir, 'exports', id), T0, T0)
    await newest()
    await jobs.end(ids[0], 1, failed)
    const states = []
    for await (const { end } of jobs.list()) states.push(end?.state ?? 'open')
    expect(states).toEqual(['failed', 'open', 'open', 'open', 'open'])
  })
})

describe('a look', () => {
  it('reads once what lies unchanged, and sees every change', async () => {
    const { id } = await jobs.request(planOf(), asked())
    expect(await jobs.look(jobId(planOf('e'.repeat(64))))).toBeNull()
    expect(await jobs.look('../../etc')).toBeNull()
    await utimes(join(dataDir, 'exports', id), T0, T0)
    const seen = await jobs.look(id)
    expect(seen).toMatchObject({ id, attempt: 1, end: null })
    expect(await jobs.look(id)).toBe(seen)
    await openJobs(dataDir).end(id, 1, failed)
    expect(await jobs.look(id)).toMatchObject({ attempt: 1, end: { state: 'failed' } })
    await utimes(join(dataDir, 'exports', id), later(1), later(1))
    await jobs.look(id)
    await openJobs(dataDir).request(planOf(), asked('ben', later(62_000)))
    expect(await jobs.look(id)).toMatchObject({ attempt: 2, end: null })
    await openJobs(dataDir).remove((await jobs.get(id))!)
    expect(await jobs.look(id)).toBeNull()
  })
})

describe('tidying', () => {
  const old = new Date('2020-01-01')
  it('removes parts and files without an end that no try is writing, and half-made directories', async () => {
    const dead = await jobs.request(planOf('a'.repeat(64)), asked())
    const alive = await jobs.request(planOf('b'.repeat(64)), asked())
    for (const { id } of [dead, alive]) {
      for (const path of [jobs.partFiles(id, 1).csv, jobs.filePath({ ...dead, id }, 'csv')]) {
        await writeFile(path, 'half')
        await utimes(path, old, old)
      }
    }
    const half = `x${'e'.repeat(64)}`
    await openJobs(dataDir).request(planOf('c'.repeat(64)), asked())
    await mkdir(join(dataDir, 'exports', half, 'by'), { recursive: true })
    await utimes(join(dataDir, 'exports', half), old, old)
    await jobs.tidy(later(0), async (id) => id === alive.id)
    expect((await readdir(join(dataDir, 'exports', dead.id))).sort()).toEqual(['by', 'plan.json'])
    expect(await readdir(join(dataDir, 'exports', alive.id))).toHaveLength(4)
    expect(await readdir(join(dataDir, 'exports'))).not.toContain(half)
    expect(await newest()).toHaveLength(3)
  })

  it('forgets how often an ended job was tried, and how its earlier attempts ended', async () => {
    const { id } = await jobs.request(planOf('a'.repeat(64)), asked())
    for (const attempt of [1, 2]) {
      await jobs.beginTry(id, attempt)
      await jobs.withdraw(id, 'all', later(attempt))
      if (attempt === 1) await jobs.request(planOf('a'.repeat(64)), asked())
    }
    await jobs.tidy(later(0), async () => false)
    expect((await readdir(join(dataDir, 'exports', id))).sort()).toEqual(['2.end.json', 'by', 'plan.json'])
    expect((await jobs.get(id))?.end?.state).toBe('canceled')
  })

  it('keeps published files, however old', async () => {
    const { id } = await jobs.request(planOf(), asked())
    await finish(id)
    const job = (await jobs.get(id))!
    for (const kind of ['csv', 'gzip'] as const) await utimes(jobs.filePath(job, kind), old, old)
    await jobs.tidy(later(0), async () => false)
    expect(await jobs.openFile(job, 'csv').then((file) => file?.close())).toBeUndefined()
    expect(await readdir(join(dataDir, 'exports', id))).toContain('1.csv')
  })

  it('does not remove a job that was asked for anew meanwhile', async () => {
    const { id } = await jobs.request(planOf(), asked())
    await jobs.end(id, 1, failed)
    const seen = (await jobs.get(id))!
    await jobs.request(planOf(), asked('anna', later(100_000)))
    await jobs.remove(seen)
    expect(await jobs.get(id)).toMatchObject({ attempt: 2, end: null })
    await jobs.remove((await jobs.get(id))!)
    expect(await jobs.get(id)).toBeNull()
    expect(await readdir(join(dataDir, 'exports'))).toEqual([])
  })
})
