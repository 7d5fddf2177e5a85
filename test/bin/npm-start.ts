import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { isRunning } from '../../engine/storage/files/lock.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A service that another program has started, on data of its own. */
export type Started = {
  /** What the user started: npm, a shell or a terminal. */
  started: ChildProcess
  /** Process that holds the data directory. */
  pid: number
  /** Waits until that process has ended. Returns the tokens that it left. */
  ended: () => Promise<number>
  /** Returns whether it answers a request. */
  answers: () => Promise<boolean>
}

/** Runs a command line that starts the service, and waits for its last line. The test's end removes what is left. */
export async function startBy([command, ...args]: string[], options: SpawnOptions = {}): Promise<Started> {
  const data = await mkdtemp(join(tmpdir(), 'gazette-start-'))
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: data, PORT: '0' }
  const started = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [started.stdout!, started.stderr!])
      stream.setEncoding('utf8').on('data', (text) => {
        said += text
        if (said.includes('Ctrl-C stops it all')) resolve()
      })
    started.once('close', () => reject(new Error(`it ended before it was ready: ${said}`)))
  })
  const { pid } = JSON.parse(readFileSync(join(data, 'queue', 'lock'), 'utf8')) as { pid: number }
  onTestFinished(async () => {
    for (const each of [pid, started.pid!]) if (isRunning(each)) process.kill(each, 'SIGKILL')
    await rm(data, { recursive: true, force: true, maxRetries: 3 })
  })
  const ended = async () => {
    while (isRunning(pid)) await setTimeout(20)
    return (await openTokens(data).list()).length
  }
  const [, url] = /^listening on (\S+)/m.exec(said)!
  const answers = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  return { started, pid, ended, answers }
}
