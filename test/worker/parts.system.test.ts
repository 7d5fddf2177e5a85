import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Jobs, openJobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { filesOf } from '../../engine/jobs/record/job-files.ts'
import { partsThere } from '../../engine/jobs/record/job-parts.ts'
import { filePath } from '../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { tidyJobs } from '../../engine/jobs/tidy-jobs.ts'
import { withdrawInterest } from '../../engine/jobs/withdraw-job.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import type { Plan } from '../../engine/model/plan.ts'
import { readConfig } from '../../engine/model/settings.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { directoryHome } from '../../engine/study/home.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { openQueue } from '../../worker/queue/queue.ts'
import { type ExportWorker, startWorker } from '../../worker/worker.ts'
import { keptDirectory, keptPool } from '../engine/kept.ts'
import { ran } from '../engine/studies.ts'
import { BACK_ENDS, type BackEnd, end, says, until } from './back-ends.ts'
import { asked, importStudy, planOf } from './study.ts'

/** Tests, each with a file of samples of its own: as many parts. */
const TESTS = 8
const SAMPLES = 70_000
/** A lock of a killed worker runs out in 8 s, on a machine at rest. */
const PATIENCE_MS = 100_000
/** These workers are killed on purpose, so that no job is set aside. */
const SPLIT = { SPLIT_SAMPLES: '200000', JOB_DEATHS_MAX: '20' }
const silent = () => undefined
const LOG = { debug: silent, info: silent, warn: silent, error: silent }

const SCRIPT = fileURLToPath(new URL('process.mjs', import.meta.url))
const dataDir = await keptDirectory()
const pool = keptPool()
await importStudy(dataDir, TESTS, SAMPLES)

async function begin(jobs: Jobs, name: ExportName, tokenId = 'anna', parts?: number): Promise<Job> {
  const plan = { ...(await planOf(dataDir, name)), ...(parts === undefined ? {} : { parts }) }
  return requestJob(jobs, plan, { ...asked(tokenId), samplesTotal: TESTS * SAMPLES })
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const names = async (id: string) => (await readdir(join(dataDir, 'exports', id))).sort()
const shardFiles = async (id: string) => (await names(id)).filter((name) => name.endsWith('.shards'))
const hasEnded = (jobs: Jobs, id: string) => async () => (await jobs.read(id))?.end != null

/** The file and its gzip version are those of one machine without a queue, and of the parts nothing is left. */
async function expectWhole(jobs: Jobs, id: string): Promise<void> {
  const job = (await jobs.read(id)) as Job
  expect(job.end).toMatchObject({ state: 'succeeded', error: null })
  const plan = job.plan as Plan
  const snapshot = await openStudies(dataDir).load(plan.studyId, plan.snapshotId)
  const { signal } = new AbortController()
  const { csv, gzip, progress } = await ran({ plan, snapshot, pool, signal, gzip: true })
  const [plain, gzipped] = [
    await readFile(join(dataDir, filePath(job, 'plain'))),
    await readFile(join(dataDir, filePath(job, 'gzip'))),
  ]
  expect([sha256(plain), sha256(gzipped)]).toEqual([sha256(csv), sha256(gzip)])
  expect(sha256(gunzipSync(gzipped))).toBe(sha256(csv))
  expect(job.end?.file).toMatchObject({ rows: progress.rows, samples: TESTS * SAMPLES })
  // The parts go just after the end is written.
  await until(async () => !(await names(id)).some((each) => /-of-|\.shards$/.test(each)))
  expect((await names(id)).filter((each) => each !== '1.tries')).toEqual([
    '1.csv',
    '1.csv.gz',
    '1.end.json',
    'by',
    'plan.json',
  ])
}

/** The rows of the files, one after the other, are those of the one file, and nothing else is left. */
async function expectFiles(jobs: Jobs, id: string): Promise<void> {
  const job = (await jobs.read(id)) as Job
  expect(job.end).toMatchObject({ state: 'succeeded', error: null, file: null })
  const { parts: _, ...plan } = job.plan as Plan
  const snapshot = await openStudies(dataDir).load(plan.studyId, plan.snapshotId)
  const { csv } = await ran({ plan, snapshot, pool, signal: new AbortController().signal, gzip: false })
  const files = filesOf(job)
  const texts = await Promise.all(
    files.filter(({ kind }) => kind === 'plain').map(({ path }) => readFile(join(dataDir, path), 'utf8')),
  )
  const rows = texts.map((text) => text.slice(text.indexOf('\n') + 1))
  expect(sha256(Buffer.from([texts[0].slice(0, texts[0].indexOf('\n') + 1), ...rows].join('')))).toBe(sha256(csv))
  await until(async () => !(await names(id)).some((each) => /-of-/.test(each)))
  expect((await names(id)).filter((each) => each !== '1.tries')).toEqual(
    [...files.map(({ path }) => basename(path)), '1.end.json', 'by', 'plan.json'].sort(),
  )
}

for (const { name, missing, start } of BACK_ENDS) {
  describe.skipIf(missing)(`a job in parts (${name})`, () => {
    let backEnd: BackEnd
    let queue: JobQueue
    let jobs: Jobs
    let workers: ExportWorker[]
    beforeAll(async () => {
      backEnd = await start()
    })
    afterAll(async () => {
      await backEnd.stop()
    })
    beforeEach(async () => {
      queue = await openQueue({ queueUrl: backEnd.url, dataDir, onError: silent })
      jobs = openJobs(dataDir)
      workers = []
      await until(() => queue.ping())
    })
    afterEach(async () => {
      await Promise.all(workers.map((worker) => worker.close(5000)))
      await queue.close()
      await rm(join(dataDir, 'exports'), { recursive: true, force: true })
    })
    const hire = async (count = 1) => {
      const config = { ...readConfig(SPLIT), dataDir }
      for (let i = 0; i < count; i++)
        workers.push(await startWorker({ ...directoryHome(dataDir), config, queue, jobs, pool, log: LOG }))
    }

    it('has the bytes of a whole one, of 1, 2 and 7 workers, and its progress never falls', async () => {
      for (const [more, exportName] of [
        [1, 'fixations'],
        [1, 'gazes-raw'],
        [5, 'aoi-overall-stats'],
      ] as const) {
        await hire(more)
        const { id, attempt } = await begin(jobs, exportName)
        await queue.add(id, attempt)
        const seen: number[] = []
        await until(async () => {
          const progress = await queue.progress(id, attempt)
          if (progress !== null) seen.push(progress.percent)
          return hasEnded(jobs, id)()
        })
        expect(seen.length).toBeGreaterThan(1)
        expect(seen).toEqual([...seen].sort((a, b) => a - b))
        await expectWhole(jobs, id)
      }
    })

    it('may end in its parts, of 1 and 3 workers, and its progress never falls', async () => {
      for (const [more, exportName] of [
        [1, 'fixations'],
        [2, 'gazes-raw'],
      ] as const) {
        await hire(more)
        const { id, attempt } = await begin(jobs, exportName, 'anna', TESTS)
        await queue.add(id, attempt)
        const seen: number[] = []
        await until(async () => {
          const progress = await queue.progress(id, attempt)
          if (progress !== null) seen.push(progress.percent)
          return hasEnded(jobs, id)()
        })
        expect(seen).toEqual([...seen].sort((a, b) => a - b))
        await expectFiles(jobs, id)
      }
    })

    it('comes to its end though the queue loses everything, parts are made twice, and one is damaged', async () => {
      const job = await begin(jobs, 'gazes-normalized')
      const { id, attempt } = job
      await hire(2)
      await queue.add(id, attempt)
      await until(async () => (await shardFiles(id)).length >= 4)
      await queue.bull.obliterate({ force: true })
      const [file] = await shardFiles(id)
      const path = join(dataDir, 'exports', id, file)
      const bytes = await readFile(path)
      bytes[Math.floor(bytes.length / 2)] ^= 1
      await writeFile(path, bytes)
      // As the sweep puts it back; and a part that is there, once more.
      await queue.add(id, attempt)
      const [number] = (await partsThere(jobs, job, TESTS)).keys()
      await queue.addParts(job, {
        ...(await queue.progress(id, attempt))!,
        startedAt: new Date().toISOString(),
        parts: { of: TESTS, there: [...Array(TESTS)].map((_, i) => i + 1).filter((other) => other !== number) },
      })
      await until(hasEnded(jobs, id))
      await expectWhole(jobs, id)
    })

    it('that nobody wants any more stops within a second, and the sweep removes its parts', async () => {
      const { id, attempt } = await begin(jobs, 'gazes-split')
      await hire(1)
      await queue.add(id, attempt)
      await until(async () => (await shardFiles(id)).length >= 2)
      await withdrawInterest(jobs, id, 'anna', new Date())
      await until(async () => (await queue.counts()).active === 0 && (await queue.counts()).waiting <= 1)
      expect(await shardFiles(id)).toEqual([])
      // One that dead workers have left goes with the sweep.
      await writeFile(join(dataDir, 'exports', id, `1.${'a'.repeat(12)}.shards`), 'left')
      for (const each of await names(id)) await utimes(join(dataDir, 'exports', id, each), 0, 0)
      await tidyJobs(jobs, new Date(), async () => false)
      expect(await names(id)).toEqual(['1.end.json', 'by', 'plan.json'])
    })

    it('lets others between its parts', async () => {
      const [large, small] = [await begin(jobs, 'gazes-raw'), await begin(jobs, 'fixations', 'bert')]
      await queue.add(large.id, large.attempt)
      await hire(1)
      await until(async () => (await shardFiles(large.id)).length >= 1)
      await queue.add(small.id, small.attempt)
      await until(async () => (await shardFiles(small.id)).length >= 1)
      expect((await jobs.read(large.id))?.end).toBeNull()
      await until(hasEnded(jobs, large.id))
    })
  })

  // It waits for locks to run out: the others are tried by command, as test/chaos is, which kills the embedded one
  // anyhow.
  describe.skipIf(missing || (name !== 'redis' && process.env.CHAOS_KILLS === undefined))(
    `killed workers of a job in parts (${name})`,
    () => {
      let backEnd: BackEnd
      let children: ChildProcess[] = []
      beforeAll(async () => {
        backEnd = await start()
      })
      afterAll(async () => {
        await killAll()
        await backEnd.stop()
        for (const each of ['exports', 'queue']) await rm(join(dataDir, each), { recursive: true, force: true })
      })
      const run = async (count = name === 'embedded' ? 1 : 2) => {
        const env = { ...process.env, ...SPLIT }
        const spawned = () =>
          spawn(process.execPath, [SCRIPT, dataDir, backEnd.url], { env, stdio: ['ignore', 'pipe', 'pipe'] })
        children = Array.from({ length: count }, spawned)
        await Promise.all(children.map((child) => says(child, 'ready')))
      }
      const killAll = async () => {
        await Promise.all(children.map((child) => end(child, 'SIGKILL')))
        children = []
      }

      it(
        'leave its parts, and others finish it, killed while it is composed, too',
        async () => {
          const jobs = openJobs(dataDir)
          const { id } = await begin(jobs, 'gazes-split')
          const isWriting = async () => (await names(id)).some((each) => each.endsWith('.part'))
          // One alone: it could make all parts while another still starts.
          await run(1)
          await until(async () => (await shardFiles(id)).length >= 1 && (await isWriting()), PATIENCE_MS)
          await killAll()
          const made = await shardFiles(id)
          expect(made.length).toBeLessThan(TESTS)
          await run()
          // It may have ended between two looks: then only the file is looked at.
          const isComposing = async () => {
            const shards = await shardFiles(id)
            if (shards.length === TESTS) expect(shards).toEqual(expect.arrayContaining(made))
            return shards.length === TESTS && isWriting()
          }
          await until(async () => (await isComposing()) || (await hasEnded(jobs, id)()), PATIENCE_MS)
          await killAll()
          await run()
          await until(hasEnded(jobs, id), PATIENCE_MS)
          await killAll()
          await tidyJobs(jobs, new Date(Date.now() + 1000), async () => false)
          await expectWhole(jobs, id)
        },
        3 * PATIENCE_MS,
      )

      it(
        'leave files of a job that ends in its parts, and others make the rest',
        async () => {
          const jobs = openJobs(dataDir)
          const { id } = await begin(jobs, 'gazes-split', 'anna', TESTS)
          const made = async () => (await names(id)).filter((each) => /-of-\d+\.json$/.test(each))
          const isWriting = async () => (await names(id)).some((each) => each.endsWith('.part'))
          await run(1)
          await until(async () => (await made()).length >= 1 && (await isWriting()), PATIENCE_MS)
          await killAll()
          expect((await made()).length).toBeLessThan(TESTS)
          await run()
          await until(hasEnded(jobs, id), PATIENCE_MS)
          await killAll()
          await tidyJobs(jobs, new Date(Date.now() + 1000), async () => false)
          await expectFiles(jobs, id)
        },
        3 * PATIENCE_MS,
      )
    },
  )
}
