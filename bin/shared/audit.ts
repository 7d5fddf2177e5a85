import { userInfo } from 'node:os'
import { type Audited, openAuditLog } from '../../engine/access/audit-log.ts'

/**
 * Appends a line to the audit log about what a command has done. What cannot be written is said, and is no reason to
 * fail: it is done.
 */
export async function audit(dataDir: string, what: Omit<Audited, 'by'>): Promise<void> {
  const log = openAuditLog(dataDir, (error) =>
    console.error(`gazette: no line was added to audit.jsonl: ${(error as NodeJS.ErrnoException).code ?? error}`),
  )
  log.write({ ...what, by: { user: userName() } }, new Date())
  await log.flush()
}

/** Containers may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
