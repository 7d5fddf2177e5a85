import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * An action on data or tokens; fields that do not apply are absent. `by` is a token's id, or the user of this machine
 * who ran a command. For an `export`, `job` means that it was queued, and `bytes` that it was sent. A `download` is
 * that of a job's file. All `bytes` were sent, unless `complete` is false. `did` names a change over HTTP in words.
 * `jobs` are those that draining the queue canceled.
 */
export type Audited = {
  event:
    | 'export'
    | 'download'
    | 'import'
    | 'change'
    | 'removal'
    | 'token made'
    | 'token revoked'
    | 'link made'
    | 'link revoked'
    | 'link opened'
    | 'signed in'
    | 'webhook made'
    | 'webhook changed'
    | 'webhook removed'
    | 'job withdrawn'
    | 'job retried'
    | 'queue paused'
    | 'queue resumed'
    | 'queue drained'
  by: { token: string } | { user: string }
  did?: string
  token?: string
  webhook?: string
  study?: string
  participant?: string
  snapshot?: string
  export?: string
  job?: string
  jobs?: number
  bytes?: number
  complete?: boolean
  requestId?: string
}

export type AuditLog = {
  write: (audited: Audited, now: Date) => void
  /** Flushes: waits until all lines are written. */
  flush: () => Promise<void>
}

export const AUDIT_LOG = 'audit.jsonl'

/**
 * Opens the audit log of a data directory. Any number of processes append lines of JSON to it. The file is reopened for
 * every few lines, so it may be renamed at any time (rotation).
 *
 * @param onError gets lines that could not be written
 */
export function openAuditLog(dataDir: string, onError: (error: unknown, lines: string) => void): AuditLog {
  let pending = ''
  let writing: Promise<void> | null = null
  async function writeAll(): Promise<void> {
    while (pending !== '') {
      const lines = pending
      pending = ''
      await appendFile(join(dataDir, AUDIT_LOG), lines, { mode: 0o600 }).catch((error) => onError(error, lines))
    }
    writing = null
  }
  return {
    write: (audited, now) => {
      pending += `${JSON.stringify({ time: now.toISOString(), ...audited })}\n`
      writing ??= writeAll()
    },
    flush: async () => {
      await writing
    },
  }
}
