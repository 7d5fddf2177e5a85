import { everyJob, type Finder } from './list-jobs.ts'
import type { Job } from './record/job.ts'
import { outcomeOf, totalsOf } from './record/state.ts'

/** Numbers of ended jobs by outcome; jobs whose file has expired since count as succeeded. */
type EndCounts = { succeeded: number; failed: number; canceled: number }

/** Seconds that jobs took. */
type Spread = { median: number; p90: number; longest: number }

/** Outcomes of the jobs of an hour; `startsAt`, RFC 3339. */
type LastHour = {
  startsAt: string
  endsAt: string
  ended: EndCounts
  /** Totals of the succeeded jobs. */
  samples: number
  /** Total bytes of their plain files. */
  bytes: number
  /** Time from the request to the start of the try that ended the job; null if none was started. */
  waitSeconds: Spread | null
  /** Time from there to the end, for succeeded jobs; null without any. */
  runSeconds: Spread | null
  /** Twelve times five minutes, oldest first. */
  bins: (EndCounts & { startsAt: string; waitMedianSeconds: number | null })[]
}

const BINS = 12
const BIN_MS = 300_000

/**
 * Summarizes the jobs of the hour before `now` from their ends on disk, so that it covers other processes and the time
 * before this one. A job that was requested again since counts by its last attempt; a removed job does not count.
 *
 * @param isMeant which jobs to look at
 */
export async function readLastHour(finder: Finder, now: Date, isMeant: (job: Job) => boolean): Promise<LastHour> {
  const startMs = now.getTime() - BINS * BIN_MS
  const binned: Ended[][] = Array.from({ length: BINS }, () => [])
  for await (const job of everyJob(finder)) {
    if (job.end === null || !isMeant(job)) continue
    const bin = Math.floor((Date.parse(job.end.finishedAt) - startMs) / BIN_MS)
    if (bin >= 0 && bin < BINS) binned[bin].push({ createdAt: job.createdAt, end: job.end })
  }
  const all = binned.flat()
  const done = all.flatMap(({ end }) => {
    const made = totalsOf(end)
    return made === null ? [] : [{ end, made }]
  })
  return {
    startsAt: new Date(startMs).toISOString(),
    endsAt: now.toISOString(),
    ended: countEnds(all),
    samples: done.reduce((sum, { made }) => sum + made.samples, 0),
    bytes: done.reduce((sum, { made }) => sum + made.bytes, 0),
    waitSeconds: spreadOf(waits(all)),
    runSeconds: spreadOf(done.flatMap(({ end }) => secondsBetween(end.startedAt, end.finishedAt))),
    bins: binned.map((ended, i) => ({
      startsAt: new Date(startMs + i * BIN_MS).toISOString(),
      ...countEnds(ended),
      waitMedianSeconds: spreadOf(waits(ended))?.median ?? null,
    })),
  }
}

type Ended = { createdAt: string; end: NonNullable<Job['end']> }

function countEnds(jobs: Ended[]): EndCounts {
  const counts = { succeeded: 0, failed: 0, canceled: 0 }
  for (const { end } of jobs) counts[outcomeOf(end)]++
  return counts
}

const waits = (jobs: Ended[]) => jobs.flatMap(({ createdAt, end }) => secondsBetween(createdAt, end.startedAt))

/** Returns the seconds between two times, as a list; empty if either is unknown. */
function secondsBetween(from: string | null, to: string | null): number[] {
  return from === null || to === null ? [] : [Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000)]
}

/** Returns quantiles, each of which is one of the values; null without values. */
function spreadOf(seconds: number[]): Spread | null {
  if (seconds.length === 0) return null
  const sorted = seconds.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]
  return { median: at(0.5), p90: at(0.9), longest: at(1) }
}
