import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'gz-'

/**
 * Gives a run of tests a folder of its own for all temporary files, and removes it in the end, whatever a test that was
 * killed left in it. The name is short: paths of Unix sockets may have 107 bytes.
 */
export function setup(): (() => void) | undefined {
  // Each size of tests has its own set-up; the first folder serves all.
  if (process.env.TMPDIR?.includes(PREFIX)) return
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  // PostgreSQL runs as a user of its own, who has to pass through.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 9 })
}
