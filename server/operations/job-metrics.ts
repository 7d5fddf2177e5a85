import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { outcomeOf, totalsOf } from '../../engine/jobs/record/state.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'

const WAITS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 43_200]

/**
 * Measures the jobs of the data directory. Jobs end in other processes, so each scrape counts those that ended since
 * the one before; the first scrape starts the count. All servers on a data directory report the same numbers.
 *
 * @returns a function to call before the registry is serialized
 */
export function measureJobs(jobs: Jobs, queue: JobQueue, register: Registry): () => Promise<void> {
  const registers = [register]
  const noteEnd = countEnds(registers)
  const files = new Gauge({
    name: 'gazette_exports_bytes',
    help: 'Bytes of published files, with their gzip versions',
    registers,
  })
  const damaged = new Gauge({ name: 'gazette_jobs_damaged', help: 'Jobs that are damaged on disk', registers })
  /** Last attempt of each job that was seen as ended. */
  let seen: Map<string, number> | null = null

  const oldest = new Gauge({
    name: 'gazette_job_oldest_waiting_seconds',
    help: 'How long the oldest job waits that no worker is at; 0 without one',
    registers,
  })
  return async () => {
    const stateOf = await queue.lookUp().catch(() => null)
    const ended = new Map<string, number>()
    let [oldestMs, published, damages] = [Number.POSITIVE_INFINITY, 0, 0]
    for await (const { job, damage } of jobs.every()) {
      if (damage !== null) damages++
      if (job?.end === null) {
        const isWaiting = stateOf?.(job.id, job.attempt) !== 'active'
        if (isWaiting) oldestMs = Math.min(oldestMs, Date.parse(job.createdAt))
      } else if (job !== null) {
        if (job.end.state === 'succeeded') published += totalsOf(job.end)?.storedBytes ?? 0
        ended.set(job.id, job.attempt)
        if (seen !== null && seen.get(job.id) !== job.attempt) noteEnd(job)
      }
    }
    seen = ended
    files.set(published)
    damaged.set(damages)
    oldest.set(Number.isFinite(oldestMs) ? (Date.now() - oldestMs) / 1000 : 0)
  }
}

/** Counts ended jobs by outcome, and measures how long they waited and ran, and how much they computed. */
function countEnds(registers: Registry[]): (job: Job) => void {
  const ended = new Counter({
    name: 'gazette_jobs_ended_total',
    help: 'Jobs that ended since this server was first asked, by how',
    labelNames: ['state'],
    registers,
  })
  for (const state of ['succeeded', 'failed', 'canceled']) ended.inc({ state }, 0)
  const waited = new Histogram({
    name: 'gazette_job_wait_seconds',
    help: 'From being asked for to being begun',
    buckets: WAITS,
    registers,
  })
  const ran = new Histogram({
    name: 'gazette_job_run_seconds',
    help: 'From being begun to the end, of jobs that succeeded',
    buckets: WAITS,
    registers,
  })
  const samples = new Counter({ name: 'gazette_job_samples_total', help: 'Samples that jobs computed', registers })
  const bytes = new Counter({ name: 'gazette_job_bytes_total', help: 'Bytes of CSV that jobs wrote', registers })
  return ({ createdAt, end }) => {
    if (end === null) return
    ended.inc({ state: outcomeOf(end) })
    if (end.startedAt !== null) waited.observe(Math.max(0, secondsBetween(createdAt, end.startedAt)))
    const made = totalsOf(end)
    if (made === null || end.startedAt === null) return
    ran.observe(secondsBetween(end.startedAt, end.finishedAt))
    samples.inc(made.samples)
    bytes.inc(made.bytes)
  }
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000
}
