import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isCode, isDiskFull, isShortage } from '../engine/files/durable.ts'
import { formatOf } from '../engine/formats/formats.ts'
import { endJob, publishFile } from '../engine/jobs/end-job.ts'
import type { Job } from '../engine/jobs/job.ts'
import { newPartFiles } from '../engine/jobs/job-paths.ts'
import type { Jobs } from '../engine/jobs/open-jobs.ts'
import type { JobEnd } from '../engine/jobs/state.ts'
import { beginTry, handBackTry } from '../engine/jobs/tries.ts'
import { type ErrorCode, ServiceError } from '../engine/model/errors.ts'
import type { FilePlan } from '../engine/model/plan.ts'
import type { PackageOptions } from '../engine/package/package-members.ts'
import { zipPackage } from '../engine/package/zip-package.ts'
import type { EnginePool } from '../engine/run/pool.ts'
import { type Block, type RunProgress, runExport } from '../engine/run/run-export.ts'
import type { Store } from '../engine/snapshot/snapshots.ts'
import type { RunningJob } from './queue.ts'
import { writeParts } from './write-export.ts'

/** The parts of a process that a job needs. */
export type Bench = {
  store: Store
  jobs: Jobs
  pool: EnginePool
  ttlMs: number
  log: Log
  /** What computes an export's bytes: the engine, unless something else is given. */
  blocksOf?: typeof blocksOf
}
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** The reason why a try stops before its end: it is handed back, or another worker has taken it. */
export type StopReason = 'handed back' | 'lost'

/**
 * `superseded`: the attempt had ended, or does not exist any more. `put off`: the system had too little of something for the
 * moment, and it is to be tried again later.
 */
export type Outcome = 'succeeded' | 'failed' | 'superseded' | 'put off' | StopReason

/** Computing must stop within a second of a DELETE: this, and what is left of a test at work. */
const LOOK_EVERY_MS = 250
const REPORT_EVERY_MS = 500
/** A plan that takes its worker down with it every time must not do so for ever, nor be put off for ever. */
const TRIES_MAX = 20

/**
 * Runs one try at an attempt: computes the export from its first byte, writes it, publishes it, and ends the attempt,
 * unless it is told to stop or finds that the attempt has ended, for example because it was canceled. Then it leaves
 * nothing behind.
 *
 * @param stop aborted with a StopReason
 * @param onProgress called at most twice a second
 * @throws only when not even the end could be written
 */
export async function runJob(
  { jobId, attempt }: { jobId: string; attempt: number },
  bench: Bench,
  stop: AbortSignal,
  onProgress: (progress: RunningJob) => void,
): Promise<Outcome> {
  const { jobs, log } = bench
  const job = await current(jobs, jobId, attempt)
  if (job === null) return 'superseded'
  const startedAt = new Date()
  const over = new AbortController()
  const signal = AbortSignal.any([stop, over.signal])
  const looking = lookWhether(async () => (await current(jobs, jobId, attempt)) === null, over, log)
  const reporting = report(startedAt, job.samplesTotal, onProgress)
  let tries = 0
  try {
    tries = await beginTry(jobs, jobId, attempt)
    if (tries > TRIES_MAX)
      throw new ServiceError('corrupt', `Given up after ${TRIES_MAX} tries that ended their worker`)
    const end = await compute(job, bench, startedAt, signal, reporting.set)
    if (!end) return 'superseded'
    log.info({ jobId, attempt, ms: Date.now() - startedAt.getTime(), ...factsOf(end.file) }, 'job succeeded')
    return 'succeeded'
  } catch (error) {
    if (over.signal.aborted) return 'superseded'
    if (stop.aborted) {
      await handBackTry(jobs, jobId, attempt)
      return stop.reason as StopReason
    }
    if (isPassing(error) && tries < TRIES_MAX) {
      log.warn({ jobId, attempt, tries, err: error }, 'job put off')
      return 'put off'
    }
    const told = tell(error)
    log.error({ jobId, attempt, code: told.code, err: error }, 'job failed')
    const finishedAt = new Date().toISOString()
    const failed = { startedAt: startedAt.toISOString(), finishedAt, expiresAt: null, file: null, error: told }
    return (await endJob(jobs, jobId, attempt, { state: 'failed', ...failed })) ? 'failed' : 'superseded'
  } finally {
    reporting.stop()
    over.abort()
    await looking
  }
}

function factsOf(file: JobEnd['file']): object {
  return { bytes: file?.plain.bytes, gzipBytes: file?.gzip?.bytes, rows: file?.rows, samples: file?.samples }
}

/** Computes and publishes the file. Returns how the attempt ended; null if another try ended it. */
async function compute(
  job: Job,
  { store, jobs, pool, ttlMs, blocksOf: computed = blocksOf }: Bench,
  startedAt: Date,
  signal: AbortSignal,
  onProgress: (progress: RunProgress) => void,
): Promise<JobEnd | null> {
  const { id, attempt, plan } = job
  const snapshot = await store.load(plan.studyId, plan.snapshotId)
  const parts = newPartFiles(jobs.root, id, attempt)
  const { hasTwin } = formatOf(plan)
  const blocks = computed(plan, { snapshot, pool, signal, onProgress })
  const file = await writeParts(blocks, parts, { hasTwin, giveWay: pool.giveWay })
  const finishedAt = new Date()
  const end: JobEnd = {
    state: 'succeeded',
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    expiresAt: new Date(finishedAt.getTime() + ttlMs).toISOString(),
    file,
    error: null,
  }
  return (await publishFile(jobs, job, parts, end)) ? end : null
}

function blocksOf(plan: FilePlan, options: Omit<PackageOptions, 'plan'>): AsyncGenerator<Block, RunProgress> {
  return plan.export === 'package'
    ? zipPackage({ plan, ...options })
    : runExport({ plan, gzip: formatOf(plan).hasTwin, ...options })
}

async function current(jobs: Jobs, jobId: string, attempt: number): Promise<Job | null> {
  const job = await jobs.read(jobId)
  return job && job.attempt === attempt && job.end === null ? job : null
}

/** Aborts `over` once it is; ends when `over` is aborted by anyone. */
async function lookWhether(isOver: () => Promise<boolean>, over: AbortController, log: Log): Promise<void> {
  while (!over.signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined)
    if (over.signal.aborted) return
    try {
      if (await isOver()) over.abort()
    } catch (error) {
      log.warn({ err: error }, 'cannot look whether a job is still wanted')
    }
  }
}

/** Passes progress on at most twice a second, the latest. */
function report(
  startedAt: Date,
  total: number,
  onProgress: (progress: RunningJob) => void,
): { set: (progress: RunProgress) => void; stop: () => void } {
  let latest: RunProgress | null = { samplesDone: 0, samplesTotal: total, rows: 0, bytes: 0 }
  const pass = () => {
    if (latest === null) return
    const { samplesDone, samplesTotal } = latest
    const share = samplesTotal > 0 ? samplesDone / samplesTotal : 0
    const seconds = (Date.now() - startedAt.getTime()) / 1000
    const etaSeconds = share > 0 ? Math.ceil((seconds / share) * (1 - share)) : null
    onProgress({ ...latest, percent: Math.floor(share * 100), etaSeconds, startedAt: startedAt.toISOString() })
    latest = null
  }
  pass()
  const timer = setInterval(pass, REPORT_EVERY_MS)
  return {
    set: (progress) => {
      latest = progress
    },
    stop: () => clearInterval(timer),
  }
}

/** Returns whether an error may pass: too many open files, too little memory, a disk that failed once. */
function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'overloaded'
  return isShortage(error) || isCode(error, 'EIO')
}

/** Returns what a client may be told of an error: no path, no SQL, no stack. */
function tell(error: unknown): { code: ErrorCode | 'internal'; message: string } {
  if (isDiskFull(error)) return { code: 'disk_full', message: 'There is no space left on the disk' }
  if (error instanceof ServiceError && ['corrupt', 'not_found', 'disk_full'].includes(error.code)) {
    return { code: error.code, message: error.message }
  }
  if (isPassing(error)) {
    return {
      code: 'overloaded',
      message: `Given up after ${TRIES_MAX} tries: too many open files, or too little memory`,
    }
  }
  return { code: 'internal', message: 'The export failed by a fault of Gazette; its log says more' }
}
