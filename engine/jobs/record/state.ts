import type { ErrorCode } from '../../model/errors.ts'

/** The way in which a job ended; `expired` when its file has been deleted since. */
type EndState = 'succeeded' | 'failed' | 'canceled' | 'expired'

/** The progress of a running job. `rows` is without the header; `etaSeconds` is null until it is known. */
type JobProgress = {
  percent: number
  samplesDone: number
  samplesTotal: number
  rows: number
  bytes: number
  etaSeconds: number | null
}

/** Running job; `startedAt`, RFC 3339, is the start of this try. */
export type RunningJob = JobProgress & { startedAt: string; parts?: PartsThere }

/** Parts of a job in parts: their number, and the numbers of those that exist. */
type PartsThere = { of: number; there: number[] }

/** A file on disk: its SHA-256 in hex, and the sums of its blocks (block-sums.ts). */
export type StoredFile = { bytes: number; sha256: string; sums: string }

/**
 * The published file of a job: `plain` in the format of its plan, and a gzip version if the format has one. `rows` is
 * without the header.
 */
export type FinishedFile = { rows: number; samples: number; plain: StoredFile; gzip: StoredFile | null }

/** Returns the size of a job's file and its gzip version, in bytes. */
export function fileBytesOf(file: FinishedFile | null): number {
  return (file?.plain.bytes ?? 0) + (file?.gzip?.bytes ?? 0)
}

export type FileKind = 'plain' | 'gzip'

/** The end of an attempt at a job. Times are RFC 3339 in UTC. */
export type JobEnd = {
  state: EndState
  startedAt: string | null
  finishedAt: string
  /** Expiry of the file; null without one. */
  expiresAt: string | null
  /** The published file; remembered after expiry, when the file itself has been deleted. */
  file: FinishedFile | null
  /**
   * Reason for the failure; for an expired job, the damage (`corrupt`) or the removal of data (`gone`) that expired its
   * file early.
   */
  error: { code: ErrorCode | 'internal'; message: string } | null
}
