import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A thing that somebody did to data or tokens; what does not apply is left out.
 *
 * `by` is a token's id, or the user of this machine who gave a command. Of an `export`, `job` says that it was put into
 * the queue, and `bytes` that it was sent; a `download` is that of a job's file. `bytes` are those that were to be
 * sent, all of them unless `complete` is false. `did` says in words what was changed or removed by HTTP. `jobs` are
 * those that draining the queue canceled.
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
 * Opens the audit log of a data directory, to which any number of processes append lines of JSON. It is opened anew for
 * each few lines, so that it may be renamed at any time.
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
