import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Processes for work that this one does not survive, or cannot stop: their memory is limited, and they end with their
 * parent.
 */
type LimitedProcess = {
  child: ChildProcess
  /** Resolves at its end: to its signal, its exit code, or why it did not start. */
  ended: Promise<{ how: string | number; said: string }>
}

/** Signals that end a process by a fault of its own, such as memory that it does not get, and not by anybody else's. */
export const OWN_SIGNALS: unknown[] = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP']

/**
 * Limits the data of a process before it begins: all memory that it may write, but not the addresses that Node only
 * reserves. Where the system does not heed that limit, the process watches itself (`keepLimits`).
 */
const LIMITED = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"'

const SAID_MAX = 4000

/**
 * Starts a compiled module in a process of its own.
 *
 * @param file compiled module, which calls `keepLimits`
 * @param maxMib memory that the process may write
 */
export function startLimitedProcess(file: string, maxMib: number, env: NodeJS.ProcessEnv = {}): LimitedProcess {
  const own = [process.execPath, file, String(maxMib)]
  const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', String(maxMib * 1024), ...own], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    // Ctrl-C on a terminal reaches only the parent, which ends the process or lets it finish.
    detached: true,
    env: { ...process.env, ...env },
  })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-SAID_MAX)
  })
  const ended = new Promise<{ how: string | number; said: string }>((resolve) => {
    child.once('error', (error) => resolve({ how: error.message, said }))
    child.once('exit', (code, signal) => resolve({ how: signal ?? code ?? 0, said }))
  })
  return { child, ended }
}

const WATCH_EVERY_MS = 20

/**
 * Ends this process once it has taken more memory than it may, where the system does not limit it, as macOS; and once
 * its parent is gone. Call it first in the module of a limited process. The timer is on time while DuckDB works, which
 * it does on other threads.
 */
export function keepLimits(): void {
  const maxBytes = Number(process.argv[2]) * 2 ** 20
  setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes) process.abort()
  }, WATCH_EVERY_MS).unref()
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
}
