import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The program. */
export const BIN = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))
/** Command that the program prints in advice, as it is called here. */
export const NAME = 'node dist/bin/gazette.cjs'
/** The root, where no `data` is: a command that forgot `--data` fails here. */
const elsewhere = fileURLToPath(new URL('../..', import.meta.url))

export type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string }
export type Running = {
  process: ChildProcess
  /** Waits until standard output holds a match. */
  said: (pattern: RegExp) => Promise<RegExpExecArray>
  ended: Promise<Ended>
  /** Kills the program itself, not the terminal that it runs on: that would only hang up. */
  killNow: () => void
}

/**
 * Runs a command on a terminal of its own, passes on what it says and the signals that it gets, and ends as it ends.
 */
const TERMINAL = `
import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
for each in (signal.SIGINT, signal.SIGTERM): signal.signal(each, lambda number, _: os.kill(pid, number))
signal.signal(signal.SIGUSR1, lambda number, _: os.kill(pid, signal.SIGKILL))
while True:
  try: said = os.read(terminal, 4096)
  except OSError: break
  if not said: break
  os.write(1, said.replace(b"\\r\\n", b"\\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`
export const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0

/** The built program, as a user runs it, with no settings but these. */
export function launch(args: string[], settings: Record<string, string> = {}, { isTerminal = false } = {}): Running {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings }
  const line = [process.execPath, BIN, ...args]
  const [command, ...rest] = isTerminal ? ['python3', '-c', TERMINAL, ...line] : line
  const child = spawn(command, rest, { env, cwd: elsewhere, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  let tell = () => {}
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    tell()
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr })
      tell()
    }),
  )
  const said = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      tell = () => {
        const match = pattern.exec(stdout)
        if (match) resolve(match)
        else if (child.exitCode !== null) reject(new Error(`it ended before it said ${pattern}: ${stdout}${stderr}`))
      }
      tell()
    })
  const killNow = () => void child.kill(isTerminal ? 'SIGUSR1' : 'SIGKILL')
  return { process: child, said, ended, killNow }
}

export function gazette(args: string[], settings?: Record<string, string>): Promise<Ended> {
  return launch(args, settings).ended
}
