import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Job } from '../engine/jobs/job.ts'
import { everyJob } from '../engine/jobs/list-jobs.ts'
import type { Jobs } from '../engine/jobs/open-jobs.ts'
import { sizeOf } from '../engine/jobs/state.ts'
import type { JobQueue } from '../worker/queue.ts'

const WAITS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 43_200]

/**
 * What the jobs of the data directory come to. They end in other processes, so each look finds those that ended since the one
 * before; whoever looks first, at its first look, counts from there on. Every server on a data directory tells the same.
 */
export function measureJobs(jobs: Jobs, queue: JobQueue, register: Registry): void {
  const registers = [register]
  const ended = new Counter({
    name: 'gazette_jobs_ended_total',
    help: 'Jobs that ended since this server was first asked, by how',
    labelNames: ['state'],
    registers,
  })
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
  const files = new Gauge({ name: 'gazette_exports_bytes', help: 'Bytes of published files, twins too', registers })
  /** The last attempt of each job that was seen ended. */
  let seen: Map<string, number> | null = null

  function note({ createdAt, end }: Job): void {
    if (end === null) return
    ended.inc({ state: end.state === 'expired' ? 'succeeded' : end.state })
    if (end.startedAt !== null) waited.observe(Math.max(0, secondsBetween(createdAt, end.startedAt)))
    if (end.file === null || end.startedAt === null) return
    ran.observe(secondsBetween(end.startedAt, end.finishedAt))
    samples.inc(end.file.samples)
    bytes.inc(end.file.plain.bytes)
  }

  new Gauge({
    name: 'gazette_job_oldest_waiting_seconds',
    help: 'How long the oldest job waits that no worker is at; 0 without one',
    registers,
    async collect() {
      const stateOf = await queue.lookUp().catch(() => null)
      const now = new Map<string, number>()
      let oldestMs = Number.POSITIVE_INFINITY
      let published = 0
      for await (const job of everyJob(jobs)) {
        const { id, attempt, createdAt, end } = job
        if (end === null) {
          if (stateOf?.(id, attempt) !== 'active') oldestMs = Math.min(oldestMs, Date.parse(createdAt))
          continue
        }
        if (end.state === 'succeeded') published += sizeOf(end.file)
        now.set(id, attempt)
        if (seen !== null && seen.get(id) !== attempt) note(job)
      }
      seen = now
      files.set(published)
      this.set(Number.isFinite(oldestMs) ? (Date.now() - oldestMs) / 1000 : 0)
    },
  })
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000
}
