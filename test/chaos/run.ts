import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createRandom } from '../../demo/random.ts'
import { openRemoteJobs } from '../../engine/jobs/bucket/remote-jobs.ts'
import { listJobs } from '../../engine/jobs/list-jobs.ts'
import { filePath } from '../../engine/jobs/record/job-paths.ts'
import { tidyJobs } from '../../engine/jobs/tidy-jobs.ts'
import type { EnginePool } from '../../engine/run/pool/pool.ts'
import { openParts } from './at-work.ts'
import { askUntilRight, emptyTally, runClient, type Tally } from './client.ts'
import { type Cluster, type Mode, openCluster, pause } from './cluster.ts'
import type { Strike } from './strike.ts'
import { strikesOn } from './strikes.ts'

export type Outcome = { mode: Mode; seed: number; kills: number; strikes: Strike[]; tally: Tally; published: number }

/**
 * Between two strikes, in the mean. With a bucket there are seven who may be struck, and all stand still with one of
 * them.
 */
const GAP_MS = { redis: 1000, postgres: 1000, embedded: 1000, bucket: 2500 }
/** A rare harm whose time has come waits for somebody who may be struck. */
const DUE_PATIENCE_MS = 30_000
/** More tell nothing new. */
const WRONG_MAX = 20
/** Time after a full disk during which a job may still fail because of it. */
const FULL_FOR_MS = 90_000

/**
 * Lets clients ask a cluster for exports while it is struck at random, until so many processes were killed; then sees
 * whether every promise was kept, and whether anything was left behind. The seed decides what is done and when, the
 * machine the rest.
 */
export async function runChaos({
  mode,
  seed,
  kills,
  tests,
  pool,
}: {
  mode: Mode
  seed: number
  kills: number
  /** Size of the study. */
  tests: number
  pool: EnginePool
}): Promise<Outcome> {
  const tally = emptyTally()
  const { wrong } = tally
  let fullUntil = 0
  const wasFull = () => Date.now() < fullUntil
  const cluster = await openCluster(mode, tests, pool, (words) => {
    if (!wasFull()) wrong.push(words)
  })
  try {
    const noteFull = () => {
      fullUntil = Date.now() + FULL_FOR_MS
    }
    const strikes = strikesOn(cluster, noteFull, wrong)
    const done = { clients: false, watcher: false }
    const clients = cluster.tokens.map((token, i) =>
      runClient(
        {
          cluster,
          token,
          random: createRandom(seed, 1, i),
          tally,
          wasFull,
        },
        () => done.clients,
      ),
    )
    const watcher = watchParts(cluster, wrong, () => done.watcher)
    const killed = await strikeAtRandom(strikes, { seed, kills, gapMs: GAP_MS[mode] }, wrong)
    done.clients = true
    await Promise.all(clients)
    await killAllAndRestart(cluster)
    for (const wish of cluster.wishes) {
      await askUntilRight(wish, { cluster, token: cluster.tokens[0] }).catch((error) => wrong.push(String(error)))
    }
    done.watcher = true
    await watcher
    await stopAll(cluster, wrong)
    const published = await checkFiles(cluster, wrong)
    await checkLeftovers(cluster, wrong)
    await checkSecrets(cluster, wrong)
    return { mode, seed, kills: killed, strikes, tally, published }
  } finally {
    if (wrong.length > 0) await keepLogs(cluster, seed)
    await cluster.close()
  }
}

/** Saves evidence of a run that went wrong. */
async function keepLogs(cluster: Cluster, seed: number): Promise<void> {
  const kept = await mkdtemp(join(tmpdir(), `gazette-chaos-kept-${cluster.mode}-${seed}-`))
  await cp(join(cluster.root, 'output'), join(kept, 'output'), { recursive: true })
  const from = cluster.bucket ? join(cluster.root, 's3') : join(cluster.dataDir, 'exports')
  const isSmall = (path: string) => !/\.(csv|gz|part)$|s3\/data/.test(path)
  if (existsSync(from)) await cp(from, join(kept, basename(from)), { recursive: true, filter: isSmall })
  console.log(`logs and jobs are kept in ${kept}`)
}

/** Strikes overlap; a resident that is down already is left alone. */
async function strikeAtRandom(
  strikes: Strike[],
  { seed, kills, gapMs }: { seed: number; kills: number; gapMs: number },
  wrong: string[],
): Promise<number> {
  const random = createRandom(seed, 2)
  const acting: Promise<void>[] = []
  const count = () => strikes.reduce((sum, { kills, times }) => sum + kills * times, 0)
  const rare = strikes.filter(({ weight }) => weight <= 2).slice(0, kills)
  // Each rare one at least once, at a place of its own.
  const due = rare.map((strike) => ({ strike, at: Math.floor(random.uniform() * kills * 0.8) }))
  while (count() < kills && wrong.length < WRONG_MAX) {
    const isDue = due.findIndex(({ at }) => at <= count())
    const [forced] = isDue < 0 ? [] : due.splice(isDue, 1)
    const strike = forced?.strike ?? choose(strikes, random.uniform())
    const act = strike.act(createRandom(seed, 3, acting.length), forced ? DUE_PATIENCE_MS : 0)
    acting.push(act.catch((error: Error) => void wrong.push(`${strike.name}: ${error.stack}`)))
    await pause(-Math.log(1 - random.uniform()) * gapMs)
  }
  await Promise.all(acting)
  return count()
}

function choose(strikes: Strike[], at: number): Strike {
  let left = at * strikes.reduce((sum, { weight }) => sum + weight, 0)
  return strikes.find(({ weight }) => {
    left -= weight
    return left < 0
  })!
}

/** No file is ever written by two processes. */
async function watchParts(cluster: Cluster, wrong: string[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const pids = cluster.residents.map((each) => each.pid()).filter((pid) => pid !== null)
    for (const [path, holders] of await openParts(pids))
      if (holders.length > 1) wrong.push(`${path} is written by ${holders.join(' and ')}`)
    await pause(100)
  }
}

/** Kills everything, as in a power cut; what starts again must need no repair. */
async function killAllAndRestart(cluster: Cluster): Promise<void> {
  for (const resident of cluster.residents) await resident.kill()
  for (const resident of cluster.residents) await resident.start()
}

async function stopAll(cluster: Cluster, wrong: string[]): Promise<void> {
  // The store is looked at when all others are gone.
  for (const resident of cluster.residents.filter(({ kind }) => kind !== 's3').reverse()) {
    const code = await resident.stop()
    if (code !== 0) wrong.push(`${resident.name} ended with ${code} after SIGTERM`)
  }
}

/** Every published file is the one computed in peace, and every job has an end. Returns how many files there are. */
async function checkFiles({ jobs, wishes }: Cluster, wrong: string[]): Promise<number> {
  let published = 0
  for (const job of await listJobs(jobs)) {
    if (job.end === null) {
      wrong.push(`${job.id} has no end`)
      continue
    }
    const wish = wishes.find(({ jobId }) => jobId === job.id)
    if (job.end.state !== 'succeeded' || wish === undefined) continue
    published++
    const bytesOf = (kind: 'plain' | 'gzip') => jobs.storage.readWhole(filePath(job, kind))
    if (sha256(await bytesOf('plain')) !== wish.sha256) wrong.push(`${job.id}: another CSV`)
    if (sha256(gunzipSync(await bytesOf('gzip'))) !== wish.sha256) wrong.push(`${job.id}: another gzip version`)
  }
  return published
}

const NEEDED = /^((\d+\.)?plan\.json|by|\d+\.(csv|csv\.gz|end\.json))$/
/** Lists the files in a data directory, and the objects in a bucket. */
const IN_DIRECTORY = [
  'audit.jsonl',
  'exports',
  'format.json',
  'instance',
  'queue',
  'sessions',
  'studies',
  'token-uses',
  'tokens.json',
]
/** A probe that a killed process left goes an hour later. */
const IN_BUCKET = [
  'changes',
  'exports',
  'files',
  'format.json',
  'index',
  'instance',
  'probe',
  'snapshots',
  'sweeps',
  'versions',
]
const IN_WORKER = ['cache', 'format.json', 'instance']

/** After the tidying that each sweep does, nothing lies about that no job needs. */
async function checkLeftovers(cluster: Cluster, wrong: string[]): Promise<void> {
  const { bucket, root, dataDir } = cluster
  // An index that begins without a list looks at every job, which others do now and then.
  if (bucket) for await (const { key } of bucket.store.list('index/')) await bucket.store.delete(key)
  const jobs = bucket ? openRemoteJobs(bucket.store) : cluster.jobs
  await tidyJobs(jobs, new Date(Date.now() + 60_000), async () => false)
  for (const name of await jobs.storage.names('exports')) {
    if (!/^x[0-9a-f]{64}$/.test(name)) wrong.push(`left in exports: ${name}`)
    else
      for (const file of await jobs.storage.names(`exports/${name}`))
        if (!NEEDED.test(file)) wrong.push(`left in ${name}: ${file}`)
  }
  const lookAt = async (names: string[], known: string[], where: string) => {
    for (const name of names) if (!known.includes(name)) wrong.push(`left in ${where}: ${name}`)
  }
  await lookAt(await readdir(dataDir), bucket ? [...IN_DIRECTORY, 'cache'] : IN_DIRECTORY, dataDir)
  if (!bucket) return
  const keys = new Set<string>()
  for await (const { key } of bucket.store.list('')) keys.add(key.split('/')[0])
  await lookAt([...keys], IN_BUCKET, 'the bucket')
  for (const name of (await readdir(root)).filter((name) => name.startsWith('worker'))) {
    await lookAt(await readdir(join(root, name)), IN_WORKER, name)
    await lookAt(await readdir(join(root, name, 'cache/views')), [], `the cache of ${name}`)
  }
}

/** No token is in any log, nor in what is kept; and of the store's secret nothing in a log. */
async function checkSecrets(cluster: Cluster, wrong: string[]): Promise<void> {
  const kept = ['output', 'data', 's3'].map((name) => join(cluster.root, name)).filter(existsSync)
  for (const directory of [...kept, ...cluster.queueDirs]) {
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || /\.(csv|gz|parquet)$/.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      const text = await readFile(path, 'latin1')
      if (cluster.tokens.some((token) => text.includes(token))) wrong.push(`a token is in ${path}`)
      const isLog = entry.name.endsWith('.log') && entry.name !== 's3.log'
      if (cluster.bucket && isLog && text.includes(cluster.bucket.secret))
        wrong.push(`the store's secret is in ${path}`)
    }
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
