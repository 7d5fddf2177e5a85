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

/** Parts of a job in parts: their number, and the numbers of those that exist. `areFiles`: they are not composed. */
type PartsThere = { of: number; there: number[]; areFiles?: boolean }

/** A file on disk: its SHA-256 in hex, and the sums of its blocks (block-sums.ts). */
export type StoredFile = { bytes: number; sha256: string; sums: string }

/**
 * The published file of a job: `plain` in the format of its plan, and a gzip version if the format has one. `rows` is
 * without the header.
 */
export type FinishedFile = { rows: number; samples: number; plain: StoredFile; gzip: StoredFile | null }

/**
 * One of the files of a job in parts, complete by itself. `name` is that of its files in the job's folder, without the
 * extension. Its tests are consecutive in the order of the export: `first` to `last`; null without any, and once it
 * has expired.
 */
export type FinishedPart = FinishedFile & { name: string; tests: PartTests }
type PartTests = { count: number; first: TestName | null; last: TestName | null }
type TestName = { itemId: string; participantId: string }

/** Totals over all files of a job; `storedBytes` with the gzip versions. */
type Totals = { rows: number; samples: number; bytes: number; storedBytes: number }

/** Returns what a job has made, in one file or in parts; null if it has made nothing. */
export function totalsOf(end: Pick<JobEnd, 'file' | 'parts'> | null): Totals | null {
  const files: FinishedFile[] = end?.parts ?? (end?.file ? [end.file] : [])
  if (files.length === 0) return null
  const totals = { rows: 0, samples: 0, bytes: 0, storedBytes: 0 }
  for (const { rows, samples, plain, gzip } of files) {
    totals.rows += rows
    totals.samples += samples
    totals.bytes += plain.bytes
    totals.storedBytes += plain.bytes + (gzip?.bytes ?? 0)
  }
  return totals
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
  /** The published files of a job in parts, in order; absent for one file. */
  parts?: FinishedPart[]
  /**
   * Reason for the failure; for an expired job, the damage (`corrupt`) or the removal of data (`gone`) that expired its
   * file early.
   */
  error: { code: ErrorCode | 'internal'; message: string } | null
}

/**
 * Returns how an attempt ended, whatever has expired since: a file, or that it was set aside, which left none. A
 * damaged end counts as success, since only files are kept for damage to be found.
 */
export function outcomeOf(end: JobEnd): Exclude<EndState, 'expired'> {
  if (end.state !== 'expired') return end.state
  return totalsOf(end) === null && end.error?.code !== 'corrupt' ? 'failed' : 'succeeded'
}
