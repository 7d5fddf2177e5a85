import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { triesPath } from '../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { readConfig } from '../../engine/model/settings.ts'
import { directoryHome } from '../../engine/study/home.ts'
import { runningAlone } from '../../worker/alone/run-alone.ts'
import { kindOf, type WorkContext } from '../../worker/kinds/kinds.ts'
import type { JobContext } from '../../worker/tries/job-context.ts'
import { asked, importStudy, planOf } from './study.ts'

const silent = () => undefined
const queue: JobContext['queue'] = { addParts: async () => {}, noteParts: async () => {}, wake: async () => {} }
const log = { debug: silent, info: silent, warn: silent, error: silent }
let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-alone-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** Begins a job of which five workers have died. Returns a function that tries it. */
async function begin(samples: number) {
  await importStudy(dataDir, 12, samples)
  const jobs = openJobs(dataDir)
  const job = await requestJob(jobs, await planOf(dataDir, 'fixations'), asked())
  await jobs.storage.append(triesPath(job.id, job.attempt), '.....')
  const config = readConfig({ DATA_DIR: dataDir, ENGINE_THREADS: '1' })
  const runAlone = runningAlone(config, { queue, log }, 0)
  const limits = { splitSamples: 1e9, deathsMax: 5, ttlMs: 60_000 }
  const context = { ...directoryHome(dataDir), jobs, queue, log, config, runAlone, ...limits } as unknown as WorkContext
  const run = (stop: AbortSignal, onProgress: () => void) => {
    const tried = { jobId: job.id, attempt: 1, part: undefined, startedAt: undefined, stalls: 5 }
    return kindOf(job.id).run(tried, context, stop, onProgress)
  }
  return { jobs, job, run }
}

/** Finds the process of the job that runs alone. */
async function processAlone(): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const [, parent] = /^\d+ \(.*\) \S (\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) ?? []
    if (line.includes('alone-process') && Number(parent) === process.pid) return Number(pid)
  }
  throw new Error('no job runs alone')
}

const never = new AbortController().signal

it('a job that killed five workers runs alone in a process, and can still succeed', async () => {
  const { jobs, job, run } = await begin(1000)
  expect(await run(never, silent)).toBe('succeeded')
  expect((await jobs.read(job.id))?.end).toMatchObject({ state: 'succeeded', file: { samples: 12_000 } })
})

describe.skipIf(process.platform !== 'linux')('if that process', () => {
  /** Runs a job, and ends its process by a signal as soon as it computes. */
  const endedBy = async (signal: 'SIGSEGV' | 'SIGKILL') => {
    const begun = await begin(100_000)
    let isEnding = false
    const outcome = await begun.run(never, () => {
      if (!isEnding) void processAlone().then((pid) => process.kill(pid, signal))
      isEnding = true
    })
    return { ...begun, outcome }
  }
  it('ends by a fault of its own, the job is set aside', async () => {
    const { jobs, job, outcome } = await endedBy('SIGSEGV')
    expect(outcome).toBe('failed')
    const message = 'its worker died, also of this job alone (SIGSEGV)'
    expect((await jobs.read(job.id))?.end?.error).toEqual({ code: 'set_aside', message })
  })
  it('is killed by somebody else, the job is tried again', async () => {
    const { jobs, job, outcome } = await endedBy('SIGKILL')
    expect(outcome).toBe('put off')
    expect((await jobs.read(job.id))?.end).toBeNull()
  })
})

it('a job that runs alone is handed back when its worker stops', async () => {
  const { jobs, job, run } = await begin(100_000)
  const stop = new AbortController()
  expect(await run(stop.signal, () => stop.abort('handed back'))).toBe('handed back')
  expect(await jobs.storage.readText(triesPath(job.id, 1))).toBe('.....')
})
