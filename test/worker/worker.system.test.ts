import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { publishFile } from '../../engine/jobs/end-job.ts'
import { type Jobs, openJobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { filePath, newPartFiles } from '../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { withdrawInterest } from '../../engine/jobs/withdraw-job.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import type { Plan } from '../../engine/model/plan.ts'
import { readConfig } from '../../engine/model/settings.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { directoryHome } from '../../engine/study/home.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { openQueue } from '../../worker/queue/queue.ts'
import { startSweep } from '../../worker/sweep.ts'
import { type ExportWorker, startWorker } from '../../worker/worker.ts'
import { keptDirectory, keptPool } from '../engine/kept.ts'
import { BACK_ENDS, type BackEnd, until } from './back-ends.ts'
import { asked, importStudy, planOf, STUDY } from './study.ts'

const CONFIG = readConfig({ WORKER_CONCURRENCY: '1', EXPORT_TTL_HOURS: '1', EXPORTS_MAX_GIB: '1' })
const silent = () => undefined
const LOG = { debug: silent, info: silent, warn: silent, error: silent }
const large = await keptDirectory()
const pool = keptPool()
await importStudy(large, 12, 100_000)

/** The bytes as the engine makes them without a queue. */
async function straight(dataDir: string, plan: Plan): Promise<Buffer> {
  const snapshot = await openStudies(dataDir).load(plan.studyId, plan.snapshotId)
  const signal = new AbortController().signal
  const blocks: Uint8Array[] = []
  for await (const { bytes } of runExport({ plan, snapshot, pool, signal, gzip: false })) blocks.push(bytes.slice())
  return Buffer.concat(blocks)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const leftovers = async (dataDir: string, id: string) =>
  (await readdir(join(dataDir, 'exports', id))).filter((name) => name.endsWith('.part') || name.endsWith('.tmp'))

/** Begins an export as the server does, on files alone; the sweep puts it into the queue. */
async function begin(dataDir: string, jobs: Jobs, name: ExportName): Promise<Job> {
  return requestJob(jobs, await planOf(dataDir, name), asked())
}
const hasEnded = (jobs: Jobs, id: string) => async () => (await jobs.read(id))?.end != null

/** Returns whether a try has written something. @param before what tries before it have left */
const isWriting =
  (dataDir: string, id: string, before: string[] = []) =>
  async () => {
    for (const name of await leftovers(dataDir, id)) {
      if (!before.includes(name) && (await stat(join(dataDir, 'exports', id, name)).catch(() => null))?.size)
        return true
    }
    return false
  }

async function expectWhole(dataDir: string, jobs: Jobs, id: string): Promise<void> {
  const job = (await jobs.read(id)) as Job
  expect(job.end).toMatchObject({ state: 'succeeded', error: null })
  const expected = await straight(dataDir, job.plan as Plan)
  const csv = await readFile(join(dataDir, filePath(job, 'plain')))
  const gzip = await readFile(join(dataDir, filePath(job, 'gzip')))
  expect(sha256(csv)).toBe(sha256(expected))
  expect(sha256(gunzipSync(gzip))).toBe(sha256(expected))
  expect(job.end?.file?.plain).toMatchObject({ bytes: csv.length, sha256: sha256(csv) })
  expect(job.end?.file?.gzip).toMatchObject({ bytes: gzip.length, sha256: sha256(gzip) })
  expect(job.end?.file?.rows).toBe(csv.toString('latin1').split('\n').length - 2)
  expect(await leftovers(dataDir, id)).toEqual([])
}

for (const { name, missing, start } of BACK_ENDS) {
  describe.skipIf(missing)(`a worker (${name})`, () => {
    let backEnd: BackEnd
    let dataDir: string
    let queue: JobQueue
    let jobs: Jobs
    let worker: ExportWorker
    const open = async (directory: string) => {
      queue = await openQueue({ queueUrl: backEnd.url, dataDir: directory, onError: silent })
      jobs = openJobs(directory)
      await until(() => queue.ping())
      const config = { ...CONFIG, dataDir: directory, workerConcurrency: 2 }
      worker = await startWorker({ ...directoryHome(directory), config, queue, jobs, pool, log: LOG })
    }
    beforeAll(async () => {
      backEnd = await start()
      dataDir = await mkdtemp(join(tmpdir(), 'gazette-worker-'))
      await importStudy(dataDir, 3, 200)
    })
    afterAll(async () => {
      await backEnd.stop()
      await rm(dataDir, { recursive: true, force: true })
      await rm(join(large, 'exports'), { recursive: true, force: true })
    })
    afterEach(async () => {
      await worker.close(5000)
      await queue.close()
    })

    it('makes the same bytes as the engine by itself, plain and coded, and counts and hashes them', async () => {
      await open(dataDir)
      const { id, attempt } = await begin(dataDir, jobs, 'gazes-split')
      await queue.add(id, attempt)
      await until(hasEnded(jobs, id))
      await expectWhole(dataDir, jobs, id)
      const { end: how } = (await jobs.read(id)) as Job
      expect(Date.parse(how?.expiresAt ?? '') - Date.parse(how?.finishedAt ?? '')).toBe(3_600_000)
    })

    it('ends a job on data that is gone, and tells no more than that', async () => {
      await open(dataDir)
      const plan = { ...(await planOf(dataDir, 'fixations')), snapshotId: 'f'.repeat(64) }
      const { id, attempt } = await requestJob(jobs, plan, asked())
      await queue.add(id, attempt)
      await until(hasEnded(jobs, id))
      const job = await jobs.read(id)
      expect(job?.end).toMatchObject({ state: 'failed', file: null, error: { code: 'not_found' } })
      expect(job?.end?.error?.message).not.toContain(dataDir)
      // What an operator sees on the board.
      await until(async () => (await queue.state(id, attempt)) === 'ended')
      const logsOf = () => queue.bull.getJobLogs(`${id}-${attempt}`)
      await until(async () => (await logsOf()).count === 2)
      const { logs } = await logsOf()
      expect(logs.map((line) => line.replace(/^\S+Z /, ''))).toEqual([`begun by process ${process.pid}`, 'failed'])
      const { failedReason } = (await queue.bull.getJob(`${id}-${attempt}`))!
      expect(failedReason).toBe(`${job?.end?.error?.message} (not_found); see the job's problem`)
      expect(await leftovers(dataDir, id)).toEqual([])
    })

    it('stops a job that nobody wants any more, and leaves nothing of it', async () => {
      await open(large)
      const { id, attempt } = await begin(large, jobs, 'gazes-normalized')
      await queue.add(id, attempt)
      await until(isWriting(large, id))
      await withdrawInterest(jobs, id, 'anna', new Date())
      // The queue forgets it: it is no job that was completed.
      await until(async () => (await queue.state(id, attempt)) === 'unknown')
      expect((await jobs.read(id))?.end?.state).toBe('canceled')
      expect((await readdir(join(large, 'exports', id))).sort()).toEqual(['1.end.json', '1.tries', 'by', 'plan.json'])
    })

    it('hands a job back when it is stopped, and the next one finishes it', async () => {
      await open(large)
      const { id, attempt } = await begin(large, jobs, 'gazes-split')
      await queue.add(id, attempt)
      await until(isWriting(large, id))
      await worker.close(0)
      // Where the shard under way takes longer than a close without grace waits, the job is handed back behind it.
      await until(async () => (await queue.state(id, attempt)) === 'waiting')
      expect((await jobs.read(id))?.end).toBeNull()
      expect(await leftovers(large, id)).toEqual([])
      await queue.close()
      await open(large)
      await until(hasEnded(jobs, id))
      await expectWhole(large, jobs, id)
    })
  })
}

describe('a sweep', () => {
  let dataDir: string
  let queue: JobQueue
  let jobs: Jobs
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gazette-sweep-'))
    queue = await openQueue({ queueUrl: '', dataDir, onError: silent })
    jobs = openJobs(dataDir)
    await importStudy(dataDir, 1, 50)
  })
  afterEach(async () => {
    await queue.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  const swept = (now?: Date) => {
    const config = { ...CONFIG, dataDir }
    return startSweep({ ...directoryHome(dataDir), jobs, queue, config, log: LOG, ...(now && { now: () => now }) })
  }
  const finish = async (name: ExportName, finishedAt: Date, bytes: number) => {
    const { id } = await begin(dataDir, jobs, name)
    const parts = newPartFiles(id, 1)
    await writeFile(join(dataDir, parts.plain), 'a\n')
    await writeFile(join(dataDir, parts.gzip), 'b')
    await publishFile(jobs, { id, attempt: 1 }, parts, {
      state: 'succeeded',
      startedAt: finishedAt.toISOString(),
      finishedAt: finishedAt.toISOString(),
      expiresAt: new Date(finishedAt.getTime() + 10_000).toISOString(),
      file: {
        rows: 0,
        samples: 0,
        plain: { bytes, sha256: '0'.repeat(64), sums: '' },
        gzip: { bytes: 1, sha256: '0'.repeat(64), sums: '' },
      },
      error: null,
    })
    return id
  }
  const state = async (id: string) => (await jobs.read(id))?.end?.state ?? null

  it('puts back what the queue does not know, or has ended without an end', async () => {
    const { id } = await begin(dataDir, jobs, 'fixations')
    const sweep = swept()
    await sweep.pass()
    expect(await queue.state(id, 1)).toBe('waiting')
    const taker = queue.takeJobs(async () => undefined, {
      concurrency: 1,
      lockDurationMs: 5000,
      stalledIntervalMs: 5000,
    })
    await until(async () => (await queue.state(id, 1)) === 'ended')
    await taker.close()
    // A pass that was on its way already may have looked before.
    await until(async () => {
      await sweep.pass()
      return (await queue.state(id, 1)) === 'waiting'
    })
    await sweep.close()
  })

  it('expires files by age, and the oldest when they take too much space', async () => {
    const day = (n: number) => new Date(Date.UTC(2026, 0, n))
    const gib = 2 ** 30
    const old = await finish('mouse', day(1), 10)
    const large1 = await finish('gazes-raw', day(2), gib * 0.6)
    const large2 = await finish('gazes-split', day(3), gib * 0.6)
    const sweep = swept(new Date(day(1).getTime() + 10_000))
    await sweep.pass()
    await sweep.close()
    expect([await state(old), await state(large1), await state(large2)]).toEqual(['expired', 'expired', 'succeeded'])
    expect(await readdir(join(dataDir, 'exports', old))).not.toContain('1.csv')
  })

  it('forgets ended jobs after a week', async () => {
    const { id } = await begin(dataDir, jobs, 'fixations')
    await withdrawInterest(jobs, id, 'all', new Date(0))
    // One after the other: each makes a pass of its own when it starts.
    const before = swept(new Date(7 * 86_400_000))
    await before.pass()
    expect(await state(id)).toBe('canceled')
    await before.close()
    const after = swept(new Date(7 * 86_400_000 + 1))
    await after.pass()
    expect(await jobs.read(id)).toBeNull()
    await after.close()
  })

  it('removes snapshots that are not current, once no unfinished plan names them', async () => {
    const { id, plan } = await begin(dataDir, jobs, 'fixations')
    await importStudy(dataDir, 2, 50)
    const study = join(dataDir, 'studies', STUDY)
    const hourAgo = new Date(Date.now() - 3_600_000)
    await utimes(join(study, 'current'), hourAgo, hourAgo)
    const kept = swept()
    await kept.pass()
    await kept.close()
    expect(await readdir(study)).toContain(plan.snapshotId)
    await withdrawInterest(jobs, id, 'all', new Date())
    const removed = swept()
    await removed.pass()
    await removed.close()
    expect(await readdir(study)).not.toContain(plan.snapshotId)
    expect(await openStudies(dataDir).current(STUDY)).not.toBeNull()
  })

  it('is held by one process at a time, and is taken over', async () => {
    const first = swept()
    await first.pass()
    const second = startSweep({
      ...directoryHome(dataDir),
      jobs,
      queue,
      config: { ...CONFIG, dataDir },
      log: LOG,
      now: () => new Date('2030-01-01'),
    })
    const id = await finish('mouse', new Date(), 1)
    await second.pass()
    expect(await state(id)).toBe('succeeded')
    await first.close()
    await until(async () => {
      await second.pass()
      return (await state(id)) === 'expired'
    })
    await second.close()
  })
})
