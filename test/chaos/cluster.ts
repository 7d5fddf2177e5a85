import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { appendFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../demo/random.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { findExport } from '../../engine/exports/registry.ts'
import { type Jobs, openJobs } from '../../engine/jobs/open-jobs.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../engine/model/parameters.ts'
import { jobId } from '../../engine/model/plan.ts'
import type { EnginePool } from '../../engine/run/pool/pool.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { freePort } from '../free-port.ts'
import { initPostgres } from '../worker/back-ends.ts'
import { importStudy, STUDY } from '../worker/study.ts'
import { type AtWork, seenInFiles, seenInQueue } from './at-work.ts'
import { type Bucket, openBucket } from './bucket.ts'
import { mountSmallDisk } from './disk.ts'
import { type Resident, resident } from './resident.ts'

/**
 * `redis`, `postgres`: a server, two workers and the queue, each a process, on one directory. `embedded`: all in one.
 * `bucket`: two servers, three workers, Redis and a store, which is all that they share.
 */
export type Mode = 'redis' | 'postgres' | 'embedded' | 'bucket'

/** Requests of clients, each with the file that was computed without faults. */
export type Wish = { name: string; path: string; jobId: string; sha256: string; peaceful: string }

export type Cluster = {
  mode: Mode
  root: string
  /** With a bucket, that of the servers. */
  dataDir: string
  /** Null for a cluster that has its jobs in `dataDir`. */
  bucket: Bucket | null
  jobs: Jobs
  atWork: AtWork
  residents: Resident[]
  wishes: Wish[]
  /** Time at which a file of a job was last damaged, by job id; ms since the epoch. */
  damagedAt: Map<string, number>
  tokens: string[]
  /** Empties the queue, as a lost disk does, while its server is down. */
  loseQueue: () => Promise<void>
  /** Directory in which the queue's server stores its data; none for the embedded one. */
  queueDirs: string[]
  /** True if the data directory has a small disk of its own, which can be filled. */
  hasSmallDisk: boolean
  /** The SHA-256 of a file as it is computed with nothing in the way. */
  inPeace: (studyId: string, name: ExportName, parameters: Partial<Parameters>) => Promise<string>
  close: () => Promise<void>
}

/** Study whose samples are damaged and repaired; too many for a thread to cache from one job to the next. */
export const FRAGILE_STUDY = '0c000000-0000-4000-8000-00000000000f'

/** `npm run test:chaos` takes the long form. */
export const isLong = process.env.npm_lifecycle_event === 'test:chaos' || process.env.CHAOS_KILLS !== undefined
/** By when a promise is kept and all is well again, on a machine where others let a start take a minute, too. */
export const PATIENCE_MS = isLong ? 600_000 : 150_000

const PROGRAM = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))
/** So many that each test has a file of samples, and so a part, of its own. */
const SAMPLES_EACH = 70_000
const FRAGILE_SAMPLES = 70_000
const SMALL_DISK_MIB = 1500

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

const SETTINGS = {
  ENGINE_THREADS: '1',
  ENGINE_MEMORY_MIB: '128',
  DISK_FLOOR_MIB: '0',
  HOLD_SECONDS: '2',
  // All that reads samples goes to the queue, and in parts.
  SYNC_MAX_SAMPLES: '0',
  SPLIT_SAMPLES: '100000',
  // Workers are killed at random here.
  JOB_DEATHS_MAX: '20',
  REQUESTS_PER_MINUTE: '1000000',
  SHUTDOWN_GRACE_MS: '5000',
  LOG_LEVEL: 'debug',
}

/** Makes a cluster with a study, computes all wishes in peace, and starts its residents. */
export async function openCluster(
  mode: Mode,
  tests: number,
  pool: EnginePool,
  onDeath: (words: string) => void,
): Promise<Cluster> {
  const root = await mkdtemp(join(tmpdir(), `gazette-chaos-${mode}-`))
  const [dataDir, outputDir] = [join(root, 'data'), join(root, 'output')]
  await Promise.all([dataDir, outputDir, join(root, 'peace')].map((path) => mkdir(path)))
  const unmount = mode === 'bucket' ? null : await mountSmallDisk(dataDir, SMALL_DISK_MIB)
  const filesDir = mode === 'bucket' ? join(root, 'files') : dataDir
  await importStudy(filesDir, tests, SAMPLES_EACH)
  if (mode !== 'bucket') await importStudy(filesDir, 1, FRAGILE_SAMPLES, FRAGILE_STUDY)
  const wishes = await wishesOf(filesDir, join(root, 'peace'), pool)
  const create = (name: string) =>
    openTokens(dataDir).create({ name, role: 'read', studies: 'all', expiresAt: null, now: new Date() })
  const tokens = await Promise.all(['anna', 'bert', 'carl', 'dora', 'emil'].map((name) => create(name)))
  const queue = await openQueueServer(mode, outputDir, onDeath)
  const bucket = mode === 'bucket' ? await openBucket(root, filesDir, outputDir, onDeath) : null
  const gazette = async (name: string, kind: Resident['kind'], command: string, directory = dataDir) => {
    const port = await freePort()
    const own = { PATH: process.env.PATH, DATA_DIR: directory, PORT: String(port), QUEUE_URL: queue?.url ?? '' }
    return resident({
      name,
      kind,
      outputDir,
      program: process.execPath,
      args: [PROGRAM, command],
      options: { env: { ...own, ...SETTINGS, ...bucket?.settings } },
      url: kind === 'worker' ? undefined : `http://127.0.0.1:${port}`,
      // What cannot reach its store when it starts says so and ends.
      onDeath: (words, wasReady) => (bucket === null || wasReady) && onDeath(words),
    })
  }
  const [servers, workers] = { redis: [1, 2], postgres: [1, 2], embedded: [0, 0], bucket: [2, 3] }[mode]
  const dirOf = (worker: string) => (bucket ? join(root, worker) : dataDir)
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i + 1}`)
  const residents = [
    ...(bucket ? [bucket.server] : []),
    ...(queue ? [queue.server] : [await gazette('start', 'start', 'start')]),
    ...(await Promise.all(numbered('server', servers).map((name) => gazette(name, 'server', 'serve')))),
    ...(await Promise.all(numbered('worker', workers).map((name) => gazette(name, 'worker', 'work', dirOf(name))))),
  ]
  for (const each of residents) if (each !== bucket?.server) await each.start()
  const jobs = bucket?.jobs ?? openJobs(dataDir)
  const atWork = bucket ? await seenInQueue(queue!.url, await bucket.instance(), jobs) : seenInFiles(jobs)
  return {
    mode,
    root,
    dataDir,
    bucket,
    jobs,
    atWork,
    residents,
    wishes,
    damagedAt: new Map(),
    tokens: tokens.map(({ token }) => token),
    loseQueue: async () => queue?.lose(),
    queueDirs: queue ? [queue.directory] : [],
    hasSmallDisk: unmount !== null,
    inPeace: async (studyId, name, parameters) =>
      (await computeInPeace(dataDir, pool, studyId, name, parameters)).sha256,
    close: async () => {
      await atWork.close()
      bucket?.close()
      for (const each of residents) await each.kill()
      await unmount?.()
      for (const path of queue ? [root, queue.directory] : [root]) await rm(path, { recursive: true, force: true })
    },
  }
}

type QueueServer = { url: string; server: Resident; directory: string; lose: () => Promise<void> }

/** Makes the server of the queue, which is not started; null for the embedded one. */
async function openQueueServer(
  mode: Mode,
  outputDir: string,
  onDeath: (words: string) => void,
): Promise<QueueServer | null> {
  if (mode === 'embedded') return null
  // Of its own: a database as another user could not get below the cluster.
  const directory = await mkdtemp(join(tmpdir(), 'gazette-chaos-queue-'))
  const port = await freePort()
  const empty = async () => {
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true })
  }
  if (mode === 'postgres') {
    const { program, args, options, url } = await initPostgres(directory, port)
    // A killed one leaves children, which end a moment later; until then the next one does not start.
    const onEnd = (words: string, wasReady: boolean) => wasReady && onDeath(words)
    const life = { name: 'postgres', kind: 'postgres', outputDir, program, args, options, onDeath: onEnd } as const
    const lose = async () => {
      await empty()
      await initPostgres(directory, port)
    }
    return { url, directory, lose, server: resident(life) }
  }
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'yes']
  args.push('--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction')
  const options = { env: { PATH: process.env.PATH } }
  const life = { name: 'redis', kind: 'redis', outputDir, program: 'redis-server', args, options, onDeath } as const
  return { url: `redis://127.0.0.1:${port}`, directory, lose: empty, server: resident(life) }
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
  const snapshot = (await openStudies(dataDir).current(studyId))!
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
