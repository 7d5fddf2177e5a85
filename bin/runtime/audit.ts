import { userInfo } from 'node:os'
import { type Audited, openAuditLog } from '../../engine/access/audit-log.ts'

/**
 * Appends a line to the audit log about a finished action of a command. If that fails, it prints a warning; the action
 * is done, so the command does not fail.
 */
export async function audit(dataDir: string, what: Omit<Audited, 'by'>): Promise<void> {
  const log = openAuditLog(dataDir, (error) =>
    console.error(`gazette: no line was added to audit.jsonl: ${(error as NodeJS.ErrnoException).code ?? error}`),
  )
  log.write({ ...what, by: { user: userName() } }, new Date())
  await log.flush()
}

/** Returns the user's name; containers may run as a user without one. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
