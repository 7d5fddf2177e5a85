import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))
/** The root, where no `data` is: a command that forgot `--data` fails here. */
const elsewhere = fileURLToPath(new URL('../..', import.meta.url))

export type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string }
export type Running = {
  process: ChildProcess
  /** Waits until standard output holds a match. */
  said: (pattern: RegExp) => Promise<RegExpExecArray>
  ended: Promise<Ended>
}

/** The built program, as a user runs it, with no settings but these. */
export function launch(args: string[], settings: Record<string, string> = {}): Running {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings }
  const child = spawn(process.execPath, [program, ...args], { env, cwd: elsewhere, stdio: ['ignore', 'pipe', 'pipe'] })
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
  return { process: child, said, ended }
}

export function gazette(args: string[], settings?: Record<string, string>): Promise<Ended> {
  return launch(args, settings).ended
}
