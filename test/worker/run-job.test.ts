import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { triesPath } from '../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { withdrawInterest } from '../../engine/jobs/withdraw-job.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { VERSION } from '../../engine/model/version.ts'
import { createPool, type EnginePool } from '../../engine/run/pool/pool.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { runJob } from '../../worker/exports/run-job.ts'
import { blocksOf } from '../../worker/tries/blocks-of.ts'
import type { JobContext } from '../../worker/tries/job-context.ts'
import { asked, importStudy, planOf } from './study.ts'

const silent = () => undefined
const queue: JobContext['queue'] = { addParts: async () => {}, noteParts: async () => {}, wake: async () => {} }
let dataDir: string
let pool: EnginePool
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-run-job-'))
  pool = createPool({ threads: 1 })
  await importStudy(dataDir, 2, 100)
})
afterEach(async () => {
  await pool.close()
  await rm(dataDir, { recursive: true, force: true })
})

const { signal } = new AbortController()

/** Asks for an export. Returns what tries it, and what it is tried with. */
async function begin(version = VERSION) {
  const jobs = openJobs(dataDir)
  const plan = { ...(await planOf(dataDir, 'fixations')), version }
  const job = await requestJob(jobs, plan, asked())
  const context = {
    ...{ jobs, pool, queue, studies: openStudies(dataDir), splitSamples: 1e6, deathsMax: 2, ttlMs: 60_000 },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  }
  const tried = { jobId: job.id, attempt: job.attempt, part: undefined, startedAt: undefined, stalls: 0 }
  return { jobs, plan, job, context, tried }
}

it('a job that cannot be read, since its store is away, is put off, and that is no try', async () => {
  const { jobs, job, context, tried } = await begin()
  const away = { ...jobs, read: async () => Promise.reject(new ServiceError('store_away', 'it cannot be reached')) }
  expect(await runJob(tried, { ...context, jobs: away }, signal, silent)).toBe('put off')
  expect(await jobs.storage.readText(triesPath(job.id, job.attempt))).toBeNull()
  expect(await runJob(tried, context, signal, silent)).toBe('succeeded')
})

it('a job of a later version of Gazette waits for a worker of that version, and that is no try', async () => {
  const { jobs, job, context, tried } = await begin('999.0.0')
  const told: string[] = []
  const log = { ...context.log, warn: ({ err }: { err: Error }) => void told.push(err.message) }
  expect(await runJob(tried, { ...context, log }, signal, silent)).toBe('put off')
  expect(told).toEqual([`the job is for Gazette 999.0.0, and waits for it: this worker is ${VERSION}`])
  expect(await jobs.storage.readText(triesPath(job.id, job.attempt))).toBeNull()
  const earlier = await begin('0.0.9')
  expect(await runJob(earlier.tried, earlier.context, signal, silent)).toBe('succeeded')
})

it('a job that was removed and asked for again in mid-try is not ended by that try, and the next one does it', async () => {
  const { jobs, plan, job, context, tried } = await begin()
  const removedMeanwhile: JobContext['blocksOf'] = async function* (...given) {
    // As a sweep does with one whose plan it cannot read.
    await jobs.remove(job.id, async () => true)
    expect(await requestJob(jobs, plan, asked())).toMatchObject({ id: job.id, attempt: job.attempt })
    return yield* blocksOf(...given)
  }
  expect(await runJob(tried, { ...context, blocksOf: removedMeanwhile }, signal, silent)).toBe('put off')
  expect(((await jobs.read(job.id)) as Job).end).toBeNull()
  expect(await runJob(tried, context, signal, silent)).toBe('succeeded')
  expect(((await jobs.read(job.id)) as Job).end).toMatchObject({ state: 'succeeded', error: null })
})

describe('a job whose workers died', () => {
  const short: JobContext['blocksOf'] = () => {
    throw new ServiceError('overloaded', 'too little memory')
  }
  const dies: JobContext['runAlone'] = () => {
    throw new ServiceError('set_aside', 'its worker died, also of this job alone (SIGSEGV)')
  }
  const never: JobContext['runAlone'] = () => {
    throw new Error('it ran alone')
  }

  it('goes on among others while they are few; being put off, or tried twice at once, is no death', async () => {
    const { jobs, job, context, tried } = await begin()
    const shortOfMemory = { ...context, blocksOf: short, runAlone: never }
    for (let n = 0; n < 5; n++) expect(await runJob(tried, shortOfMemory, signal, silent)).toBe('put off')
    // A lock that ran out once; and a queue that lost the job while two workers were at it.
    expect(await runJob({ ...tried, stalls: 1 }, shortOfMemory, signal, silent)).toBe('put off')
    expect((await jobs.read(job.id))?.end).toBeNull()
  })

  it('runs alone then, and is not counted twice', async () => {
    const { jobs, job, context, tried } = await begin()
    const path = triesPath(job.id, job.attempt)
    await jobs.storage.append(path, '..')
    const alone: JobContext['runAlone'] = async (given, stop, note) => {
      expect(await jobs.storage.readText(path)).toBe('..')
      return runJob(given, context, stop, note)
    }
    expect(await runJob({ ...tried, stalls: 2 }, { ...context, runAlone: alone }, signal, silent)).toBe('succeeded')
  })

  it('is not set aside if that process was ended by somebody else', async () => {
    const { jobs, job, context, tried } = await begin()
    await jobs.storage.append(triesPath(job.id, job.attempt), '..')
    const ended: JobContext['runAlone'] = () => {
      throw new ServiceError('overloaded', 'the process of the job was ended by somebody else')
    }
    expect(await runJob({ ...tried, stalls: 2 }, { ...context, runAlone: ended }, signal, silent)).toBe('put off')
    expect((await jobs.read(job.id))?.end).toBeNull()
  })

  /** Sets a job aside. */
  async function setAside() {
    const begun = await begin()
    const { jobs, job, context, tried } = begun
    await jobs.storage.append(triesPath(job.id, job.attempt), '..')
    expect(await runJob({ ...tried, stalls: 2 }, { ...context, runAlone: dies }, signal, silent)).toBe('failed')
    const error = { code: 'set_aside', message: 'its worker died, also of this job alone (SIGSEGV)' }
    expect((await jobs.read(job.id))?.end).toMatchObject({ state: 'failed', error })
    return begun
  }

  it('is set aside for an hour if it killed that, too; the next attempt runs alone at once', async () => {
    const { jobs, job, context, tried } = await setAside()
    const requestAfter = (ms: number) => requestJob(jobs, job.plan, { ...asked(), now: new Date(Date.now() + ms) })
    expect(await requestAfter(3_500_000)).toMatchObject({ attempt: 1, end: { state: 'failed' } })
    expect(await requestAfter(3_700_000)).toMatchObject({ attempt: 2, end: null })
    const again = { ...tried, attempt: 2 }
    expect(await runJob(again, { ...context, runAlone: dies }, signal, silent)).toBe('failed')
    expect(await requestJob(jobs, job.plan, { ...asked(), isRetry: true })).toMatchObject({ attempt: 3 })
  })

  it('starts anew once its owner has withdrawn it', async () => {
    const { jobs, job, context, tried } = await setAside()
    await withdrawInterest(jobs, job.id, asked().tokenId, new Date())
    expect(await requestJob(jobs, job.plan, asked())).toMatchObject({ attempt: 2, end: null })
    expect(await runJob({ ...tried, attempt: 2 }, { ...context, runAlone: never }, signal, silent)).toBe('succeeded')
  })
})
