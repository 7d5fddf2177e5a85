import type { ErrorCode } from '../errors.ts'

/** How a job ended; `expired` when its file has gone since. */
export type EndState = 'succeeded' | 'failed' | 'canceled' | 'expired'
export type JobState = 'queued' | 'running' | EndState

/** How far a running job is. `rows` without the header; `etaSeconds` null until it can be told. */
export type JobProgress = {
  percent: number
  samplesDone: number
  samplesTotal: number
  rows: number
  bytes: number
  etaSeconds: number | null
}

/** A published file: sizes in bytes, SHA-256 in hex; of the gzip twin null when the format has none. `rows` without the header. */
export type JobFile = {
  bytes: number
  gzipBytes: number | null
  rows: number
  samples: number
  sha256: string
  gzipSha256: string | null
}

/** How an attempt at a job ended. Times are RFC 3339 in UTC. */
export type JobEnd = {
  state: EndState
  startedAt: string | null
  finishedAt: string
  /** When the file goes; null where there is none. */
  expiresAt: string | null
  /** What was published; kept after expiry, when the file itself is gone. */
  file: JobFile | null
  error: { code: ErrorCode | 'internal'; message: string } | null
}
