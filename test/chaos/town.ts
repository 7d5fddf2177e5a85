import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { appendFile, cp, mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../demo/random.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { findExport } from '../../engine/exports/registry.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../engine/model/parameters.ts'
import { jobId } from '../../engine/model/plan.ts'
import type { EnginePool } from '../../engine/run/pool.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { openStore } from '../../engine/snapshot/snapshots.ts'
import { freePort, until } from '../worker/back-ends.ts'
import { importStudy, STUDY } from '../worker/study.ts'
import { mountSmallDisk } from './disk.ts'

/** `redis`: a server, two workers and Redis, each a process. `embedded`: all in one. */
export type Mode = 'redis' | 'embedded'

/** A process that somebody would start again when it dies, as systemd does. */
export type Resident = {
  name: string
  kind: 'server' | 'worker' | 'redis' | 'start'
  pid: () => number | null
  start: () => Promise<void>
  kill: () => Promise<void>
  /** SIGTERM; the exit code. */
  stop: () => Promise<number | null>
}

/** What clients ask for, and where the file lies as it was computed in peace. */
export type Wish = { name: string; path: string; jobId: string; sha256: string; peaceful: string }

export type Town = {
  mode: Mode
  root: string
  dataDir: string
  url: string
  residents: Resident[]
  wishes: Wish[]
  /** When a file of a job was damaged last, by the job's id; ms since the epoch. */
  damagedAt: Map<string, number>
  tokens: string[]
  /** The Redis data that a lost disk would take with it; null without Redis. */
  redisDir: string | null
  /** Whether the data directory has a small disk of its own, that can be filled. */
  hasSmallDisk: boolean
  /** The SHA-256 of a file as it is computed with nothing in the way. */
  inPeace: (studyId: string, name: ExportName, parameters: Partial<Parameters>) => Promise<string>
  close: () => Promise<void>
}

/** Whose samples are damaged and mended; too many for a thread to keep them from one job to the next. */
export const FRAGILE_STUDY = '0c000000-0000-4000-8000-00000000000f'

const PROGRAM = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))
/** So many that each test has a file of samples, and so a part, of its own. */
const SAMPLES_EACH = 70_000
const FRAGILE_SAMPLES = 70_000
const SMALL_DISK_MIB = 1500
const START_MS = 90_000

/** Everything that the clients will ask for. */
const WISHES: { name: ExportName; parameters?: Partial<Parameters> }[] = [
  { name: 'gazes-split' },
  { name: 'gazes-split', parameters: { movingMedianRangeMs: 100 } },
  { name: 'gazes-normalized' },
  { name: 'gazes-normalized', parameters: { movingMedianRangeMs: 333 } },
  { name: 'gazes-raw' },
  { name: 'mouse' },
  { name: 'fixations' },
  { name: 'fixations', parameters: { gazeVelocityThreshold: 400, movingMedianRangeMs: 1000 } },
  { name: 'fixations', parameters: { movingMedianRangeMs: 20 } },
  { name: 'keyboard-mouse-overall' },
]

/** Makes a town with a study, computes all wishes in peace, and starts its residents. */
export async function openTown(
  mode: Mode,
  tests: number,
  pool: EnginePool,
  onDeath: (words: string) => void,
): Promise<Town> {
  const root = await mkdtemp(join(tmpdir(), `gazette-chaos-${mode}-`))
  const dataDir = join(root, 'data')
  await Promise.all(
    [dataDir, ...['output', 'redis', 'peace'].map((name) => join(root, name))].map((path) => mkdir(path)),
  )
  const unmount = await mountSmallDisk(dataDir, SMALL_DISK_MIB)
  await importStudy(dataDir, tests, SAMPLES_EACH)
  await importStudy(dataDir, 1, FRAGILE_SAMPLES, FRAGILE_STUDY)
  const wishes = await wishesOf(dataDir, join(root, 'peace'), pool)
  const tokens = await Promise.all(
    ['anna', 'bert', 'carl', 'dora', 'emil'].map((name) =>
      openTokens(dataDir)
        .create({ name, role: 'read', studies: 'all', expiresAt: null, now: new Date() })
        .then(({ token }) => token),
    ),
  )
  const [port, redisPort] = [await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: String(port),
    QUEUE_URL: mode === 'redis' ? `redis://127.0.0.1:${redisPort}` : '',
    ENGINE_THREADS: '1',
    ENGINE_MEMORY_MIB: '128',
    DISK_FLOOR_MIB: '0',
    HOLD_SECONDS: '2',
    // All that reads samples goes to the queue, and in parts.
    SYNC_MAX_SAMPLES: '0',
    SPLIT_SAMPLES: '100000',
    REQUESTS_PER_MINUTE: '1000000',
    SHUTDOWN_GRACE_MS: '5000',
    LOG_LEVEL: 'debug',
  }
  const url = `http://127.0.0.1:${port}`
  const gazette = (name: string, kind: Resident['kind'], command: string) =>
    resident(name, kind, join(root, 'output'), process.execPath, [PROGRAM, command], env, onDeath, async (child) => {
      if (kind === 'worker') return saysReady(join(root, 'output', `${name}.log`), child)
      await until(async () => hasDied(child) || (await answers(`${url}/healthz`)), START_MS)
    })
  const redis = resident(
    'redis',
    'redis',
    join(root, 'output'),
    'redis-server',
    redisOptions(root, redisPort),
    env,
    onDeath,
  )
  const residents =
    mode === 'embedded'
      ? [gazette('start', 'start', 'start')]
      : [
          redis,
          gazette('server', 'server', 'serve'),
          gazette('worker-1', 'worker', 'work'),
          gazette('worker-2', 'worker', 'work'),
        ]
  for (const each of residents) await each.start()
  return {
    mode,
    root,
    dataDir,
    url,
    residents,
    wishes,
    damagedAt: new Map(),
    tokens,
    redisDir: mode === 'redis' ? join(root, 'redis') : null,
    hasSmallDisk: unmount !== null,
    inPeace: async (studyId, name, parameters) =>
      (await computeInPeace(dataDir, pool, studyId, name, parameters)).sha256,
    close: async () => {
      for (const each of residents) await each.kill()
      await unmount?.()
      await rm(root, { recursive: true, force: true })
    },
  }
}

function redisOptions(root: string, port: number): string[] {
  const bind = ['--port', String(port), '--bind', '127.0.0.1', '--dir', join(root, 'redis')]
  return [...bind, '--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction']
}

async function wishesOf(dataDir: string, peace: string, pool: EnginePool): Promise<Wish[]> {
  const wishes: Wish[] = []
  for (const { name, parameters = {} } of WISHES) {
    const peaceful = join(peace, `${wishes.length}.csv`)
    const { id, sha256 } = await computeInPeace(dataDir, pool, STUDY, name, parameters, peaceful)
    const entry = findExport(name)!
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(parameters)) query.set(key, String(value))
    if (entry.variant !== null) query.set('variant', entry.variant)
    wishes.push({
      name,
      path: `/api2/studies/${STUDY}/collected-data/${entry.path}?${query}`,
      jobId: id,
      sha256,
      peaceful,
    })
  }
  return wishes
}

async function computeInPeace(
  dataDir: string,
  pool: EnginePool,
  studyId: string,
  exportName: ExportName,
  parameters: Partial<Parameters>,
  keepAs: string | null = null,
): Promise<{ id: string; sha256: string }> {
  const snapshot = (await openStore(dataDir).current(studyId))!
  const all = { ...defaultParameters(), ...parameters }
  const plan = makePlan({ snapshot, exportName, parameters: all, formulaGuard: true })
  const hash = createHash('sha256')
  const signal = new AbortController().signal
  for await (const { bytes } of runExport({ plan, snapshot, pool, signal, gzip: false })) {
    hash.update(bytes)
    if (keepAs !== null) await appendFile(keepAs, bytes)
  }
  return { id: jobId(plan), sha256: hash.digest('hex') }
}

function resident(
  name: string,
  kind: Resident['kind'],
  outputDir: string,
  program: string,
  args: string[],
  env: Record<string, string | undefined>,
  onDeath: (words: string) => void,
  isReady: (child: ChildProcess) => Promise<void> = async () => undefined,
): Resident {
  let child: ChildProcess | null = null
  const start = async () => {
    // To a file: a process that is killed leaves no pipe that somebody would have to read on.
    const output = openSync(join(outputDir, `${name}.log`), 'a')
    const mine = spawn(program, args, { env, stdio: ['ignore', output, output] })
    closeSync(output)
    child = mine
    mine.once('exit', async (code) => {
      // Ended by itself, as on a full disk: whoever keeps it starts it again.
      if (child !== mine) return
      onDeath(`${name} ended by itself with ${code}`)
      await sleep(500)
      if (child === mine) await start()
    })
    await isReady(mine)
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
    pid: () => (child !== null && !hasDied(child) ? (child.pid ?? null) : null),
    start,
    kill: async () => void (await ended('SIGKILL')),
    stop: () => ended('SIGTERM'),
  }
}

const hasDied = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** How often it was said so before does not matter: a later start says it once more. */
async function saysReady(log: string, child: ChildProcess): Promise<void> {
  const count = () => readFileSync(log, 'utf8').split('waiting for jobs').length
  const before = count()
  await until(() => hasDied(child) || count() > before, START_MS)
}

/** Whether it answers 200, within 3 s. */
export function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const req = request(url, { agent: false, timeout: 3000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    req.on('timeout', () => req.destroy())
    req.on('error', () => resolve(false))
    req.end()
  })
}

/** The part files that each process has open. */
export async function openParts(pids: number[]): Promise<Map<string, number[]>> {
  const holders = new Map<string, number[]>()
  if (!existsSync('/proc/self/fd')) return holders
  for (const pid of pids) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const name of names) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')
      if (!target.endsWith('.part')) continue
      const known = holders.get(target) ?? []
      if (!known.includes(pid)) holders.set(target, [...known, pid])
    }
  }
  return holders
}

export type Damage = 'cut' | 'overwritten' | 'flipped'

/** Damages a file at a random place: cut off there, its next bytes overwritten, or one bit of it turned. */
export async function damageFile(file: string, how: Damage, random: Random): Promise<() => Promise<void>> {
  const whole = readFileSync(file)
  const at = Math.floor(random.uniform() * whole.length)
  const damaged = Buffer.from(whole)
  if (how === 'overwritten') damaged.fill(~whole[at], at, at + 8192)
  else damaged[at] ^= 1 << (at % 8)
  await cp(file, `${file}.kept`)
  await writeFile(file, how === 'cut' ? whole.subarray(0, at) : damaged)
  return async () => {
    await cp(`${file}.kept`, file)
    await rm(`${file}.kept`)
  }
}

export const pause = (ms: number) => sleep(ms)
