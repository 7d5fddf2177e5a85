import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../worker/back-ends.ts'

/** A process that somebody would start again when it dies, as systemd does. */
export type Resident = {
  name: string
  kind: 'server' | 'worker' | 'redis' | 'postgres' | 's3' | 'start'
  /** Address of a server; null for other processes. */
  url: string | null
  pid: () => number | null
  start: () => Promise<void>
  kill: () => Promise<void>
  /** SIGTERM; the exit code. */
  stop: () => Promise<number | null>
}

const START_MS = 90_000

/** Kind of a resident, and how to start it. */
type Life = Pick<Resident, 'name' | 'kind'> & {
  /** File for its output. */
  outputDir: string
  program: string
  args: string[]
  options: SpawnOptions
  url?: string
  /** Told when it ended by itself. @param wasReady whether it had been ready before */
  onDeath: (words: string, wasReady: boolean) => void
}

/** Makes a resident, which is not started yet. */
export function resident({ name, kind, outputDir, program, args, options, url, onDeath }: Life): Resident {
  let child: ChildProcess | null = null
  const log = join(outputDir, `${name}.log`)
  const start = async () => {
    // To a file: a process that is killed leaves no pipe that somebody would have to read on.
    const output = openSync(log, 'a')
    const mine = spawn(program, args, { ...options, stdio: ['ignore', output, output] })
    closeSync(output)
    child = mine
    let wasReady = false
    mine.once('exit', async (code) => {
      // Ended by itself, as on a full disk: whoever keeps it starts it again.
      if (child !== mine) return
      onDeath(`${name} ended by itself with ${code}`, wasReady)
      await sleep(500)
      if (child === mine) await start()
    })
    if (kind === 'worker') await saysReady(log, mine)
    else if (url !== undefined) await until(async () => hasDied(mine) || (await answers(`${url}/healthz`)), START_MS)
    wasReady = !hasDied(mine)
  }
  const ended = (signal: NodeJS.Signals): Promise<number | null> => {
    const now = child
    child = null
    if (now === null || hasDied(now)) return Promise.resolve(now?.exitCode ?? null)
    return new Promise((resolve) => {
      now.once('exit', (code) => resolve(code))
      now.kill(signal)
    })
  }
  return {
    name,
    kind,
    url: url ?? null,
    pid: () => (child !== null && !hasDied(child) ? (child.pid ?? null) : null),
    start,
    kill: async () => void (await ended('SIGKILL')),
    stop: () => ended('SIGTERM'),
  }
}

const hasDied = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Waits until the log says again that a worker is ready; lines of earlier starts do not count. */
async function saysReady(log: string, child: ChildProcess): Promise<void> {
  const count = () => readFileSync(log, 'utf8').split('waiting for jobs').length
  const before = count()
  await until(() => hasDied(child) || count() > before, START_MS)
}

/** Returns whether it answers 200 within 3 s. */
export function answers(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const req = request(url, { agent: false, timeout: 3000, headers }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    req.on('timeout', () => req.destroy())
    req.on('error', () => resolve(false))
    req.end()
  })
}
