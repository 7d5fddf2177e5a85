import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'

/**
 * A queue server of our own on a free loopback port, for QUEUE_URL; the embedded one has no server and '' for a URL.
 */
export type BackEnd = { url: string; pid: number | null; stop: () => Promise<void> }

const run = promisify(execFile)

export const BACK_ENDS: { name: string; missing: boolean; start: () => Promise<BackEnd> }[] = [
  { name: 'embedded', missing: false, start: async () => ({ url: '', pid: null, stop: async () => undefined }) },
  { name: 'redis', missing: find('redis-server') === null, start: () => startRedis() },
  { name: 'postgres', missing: find('postgres') === null || find('initdb') === null, start: () => startPostgres() },
]

export async function startRedis(port?: number): Promise<BackEnd & { kill: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-redis-'))
  const used = port ?? (await freePort())
  const options = [
    '--port',
    String(used),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
  ]
  const server = spawn(find('redis-server') as string, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  await says(server, 'Ready to accept connections')
  return {
    url: `redis://127.0.0.1:${used}`,
    pid: server.pid as number,
    kill: async () => {
      await end(server, 'SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
    stop: async () => {
      await end(server, 'SIGTERM')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root: then as the user `postgres`. */
export async function startPostgres(usedPort?: number): Promise<BackEnd> {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-postgres-'))
  const { program, args, options, url } = await initPostgres(directory, usedPort ?? (await freePort()))
  const server = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  await says(server, 'ready to accept connections')
  return {
    url,
    pid: server.pid as number,
    stop: async () => {
      await end(server, 'SIGINT')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Creates a database in an empty directory, and returns the command that starts it. */
export async function initPostgres(directory: string, port: number) {
  let identity = {}
  if (process.getuid?.() === 0) {
    const ids = await Promise.all(['-u', '-g'].map(async (of) => Number((await run('id', [of, 'postgres'])).stdout)))
    identity = { uid: ids[0], gid: ids[1] }
    await chown(directory, ids[0], ids[1])
  }
  const options = { ...identity, cwd: directory }
  await run(find('initdb') as string, ['-D', directory, '-U', 'gazette', '-A', 'trust', '-N'], options)
  const args = ['-D', directory, '-p', String(port), '-h', '127.0.0.1', '-k', directory, '-c', 'fsync=off']
  return { program: find('postgres') as string, args, options, url: `postgres://gazette@127.0.0.1:${port}/postgres` }
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/** Resolves once the child has printed it. */
export function says(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes) => {
        text += bytes
        if (text.includes(words)) resolve()
      })
    }
    child.once('exit', () => reject(new Error(`ended without saying "${words}": ${text.slice(-2000)}`)))
  })
}

/** Polls until it holds. */
export async function until(holds: () => Promise<boolean> | boolean, deadlineMs = 40_000): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not come to hold in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function find(program: string): string | null {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']
  return directories.map((directory) => join(directory, program)).find((path) => existsSync(path)) ?? null
}
