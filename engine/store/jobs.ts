import type { FileHandle } from 'node:fs/promises'
import type { ErrorCode } from '../errors.ts'
import type { Parameters } from '../params.ts'
import type { Plan } from '../plan.ts'

/** How an attempt at a job ended. Times are RFC 3339 in UTC; SHA-256 in hex. */
export type JobEnd = {
  state: 'succeeded' | 'failed' | 'canceled' | 'expired'
  attempt: number
  startedAt: string | null
  finishedAt: string
  /** When the file goes; null where there is none. */
  expiresAt: string | null
  /** What was published; kept after expiry, when the file itself is gone. `rows` without the header. */
  file: {
    bytes: number
    gzipBytes: number
    rows: number
    samples: number
    sha256: string
    gzipSha256: string
  } | null
  error: { code: ErrorCode | 'internal'; message: string } | null
}

/** A job as it lies on disk. Without an end, it is for the queue to say how far it is. */
export type JobRecord = {
  id: string
  plan: Plan
  /** All parameters of the request, those that are not in the plan too. */
  parameters: Parameters
  samplesTotal: number
  /** The name that a download gets. */
  fileName: string
  /** When this attempt was asked for. */
  createdAt: string
  /** From 1; a job whose file is gone, or that failed, is asked for anew as the next attempt. */
  attempt: number
  /** null as long as this attempt has not ended. */
  end: JobEnd | null
  /** Ids of the tokens that asked for it and have not withdrawn. */
  interested: string[]
}

export type FileKind = 'csv' | 'gzip'

/** Files of one try at an attempt, while they are written; no two tries share them. */
export type PartFiles = { csv: string; gzip: string }

export type JobRequest = {
  tokenId: string
  parameters: Parameters
  samplesTotal: number
  fileName: string
  now: Date
}

/** The jobs of a data directory: plain files, shared by any number of processes, without a lock. */
export type Jobs = {
  /**
   * Asks for a plan's file, for one token. Equal plans are one job, whoever asks and from whichever process. The plan is on
   * disk, synced, when this returns. A job whose file is gone, or that failed more than 60 s ago, begins its next attempt.
   * `begun` says whether this call began the attempt; put it into the queue whenever `end` is null (adding twice is harmless).
   */
  request: (plan: Plan, request: JobRequest) => Promise<JobRecord & { begun: boolean }>
  /** Takes a request back that could not be queued: as if this token had not asked. A plan that nobody else asked for goes. */
  undo: (record: JobRecord, tokenId: string) => Promise<void>
  get: (id: string) => Promise<JobRecord | null>
  /** Newest first, by `createdAt`, then id descending; those beyond `after` (the last one seen) where given. */
  list: (after?: { createdAt: string; id: string }) => AsyncGenerator<JobRecord>
  /** How many jobs without an end a token has asked for. */
  countOpen: (tokenId: string) => Promise<number>
  /**
   * Withdraws a token's interest, or everybody's. Once nobody is left, an unfinished job is canceled (its worker notices within
   * a second), and the file of a finished one goes, as if expired. False when there is no such job.
   */
  withdraw: (id: string, tokenId: string | 'all', now: Date) => Promise<boolean>
  /** Publishes how an attempt ended, unless it is not the current one or has ended already. Says whether it did. */
  end: (id: string, attempt: number, end: Omit<JobEnd, 'attempt'>) => Promise<boolean>
  /**
   * Opens a published file; null when it is gone. Whoever holds the handle reads on to the end, also after expiry: an open
   * file outlives its name. So open once, take sizes from the handle, and read from it.
   */
  openFile: (record: JobRecord, kind: FileKind) => Promise<FileHandle | null>
  filePath: (record: JobRecord, kind: FileKind) => string
}

/** @param dataDir absolute; `exports` under it is made when first needed */
export function openJobs(_dataDir: string): Jobs {
  throw new Error('not yet')
}
