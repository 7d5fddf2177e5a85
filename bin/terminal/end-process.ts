import { queriesRunning } from '../../engine/duckdb/query.ts'

/** Time for closing files and connections after the grace. */
const AFTER_GRACE_MS = 5000

/**
 * Ends the process some seconds after its grace at the latest, whatever still runs. `process.exit` waits for native
 * threads, and so for a query that does not notice its interruption. SIGKILL waits for nothing, and damages nothing on
 * disk.
 */
export function endAfterGrace(graceMs: number): void {
  const end = () => {
    console.error('gazette: not everything could be stopped in time; ending by SIGKILL')
    killProcess()
  }
  setTimeout(end, graceMs + AFTER_GRACE_MS).unref()
}

/** Exits at once, even while queries run. */
export function exitAtOnce(code: number): void {
  if (queriesRunning() > 0) killProcess()
  process.exit(code)
}

const LOOK_EVERY_MS = 50

/** Exits as soon as no query runs; a running query would block the exit and all timers. @param afterMs to wait first */
export function exitWhenIdle(afterMs: number): void {
  const exit = () => {
    if (queriesRunning() === 0) process.exit()
    setTimeout(exit, LOOK_EVERY_MS).unref()
  }
  setTimeout(exit, afterMs).unref()
}

function killProcess(): void {
  process.kill(process.pid, 'SIGKILL')
}
