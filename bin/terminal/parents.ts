import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isRunning } from '../../engine/storage/files/lock.ts'

/** A process, as /proc describes it. @property command words of its command line, or its title */
type Seen = { parent: number; session: number; command: string[] }

/** Programs that run a script of package.json, by the titles that they give themselves, or their files. */
const SCRIPT_RUNNER = /\b(npm|npx|pnpm|yarn|bun|node)\b/

/** Returns whether `nohup` started this process, as bash and zsh tell. Node resets the signals that it ignores. */
export function isByNohup(env: NodeJS.ProcessEnv): boolean {
  return !isScript(env) && basename(env._ ?? '') === 'nohup'
}

/** Returns whether this process has no parent that it could outlive, or leads a session of its own (`setsid`). */
export function isOnItsOwn(env: NodeJS.ProcessEnv): boolean {
  return !isScript(env) && (process.ppid <= 1 || seen(process.pid)?.session === process.pid)
}

/**
 * Returns a function that returns whether the process that started this one still runs: its parent, and npm above the
 * shell in which npm runs scripts. That shell neither passes signals on nor ends with npm.
 */
export function watchedParent(env: NodeJS.ProcessEnv): () => boolean {
  const parent = process.ppid
  const shell = isScript(env) ? seen(parent) : null
  const runner = shell?.command[1] === '-c' ? shell.parent : parent
  // A runner that was killed meanwhile has left its place to process 1, or another that adopts orphans.
  const isGone = shell !== null && !SCRIPT_RUNNER.test(seen(runner)?.command.join(' ') ?? '')
  return () =>
    !isGone && process.ppid === parent && isRunning(parent) && (runner === parent || seen(parent)?.parent === runner)
}

function isScript(env: NodeJS.ProcessEnv): boolean {
  return env.npm_lifecycle_event !== undefined
}

/** Looks a process up; null where the system has no /proc, or the process has ended. */
function seen(pid: number): Seen | null {
  try {
    // The second field is the program's name in parentheses, which may hold anything.
    const [, parent, , session] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return { parent: Number(parent), session: Number(session), command }
  } catch {
    return null
  }
}
