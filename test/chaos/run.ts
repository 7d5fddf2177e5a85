import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { cp, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createRandom } from '../../demo/random.ts'
import { filePath } from '../../engine/jobs/job-paths.ts'
import { listJobs } from '../../engine/jobs/list-jobs.ts'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { tidyJobs } from '../../engine/jobs/tidy-jobs.ts'
import type { EnginePool } from '../../engine/run/pool.ts'
import { askUntilRight, emptyTally, runClient, type Tally } from './client.ts'
import { type Strike, strikesOn } from './strikes.ts'
import { type Mode, openParts, openTown, pause, type Town } from './town.ts'

export type Outcome = { mode: Mode; seed: number; kills: number; strikes: Strike[]; tally: Tally; published: number }

const GAP_MS = 1000
/** A rare harm whose time has come waits for somebody who may be struck. */
const DUE_PATIENCE_MS = 30_000
/** More tell nothing new. */
const WRONG_MAX = 20
/** How long after a full disk a job may still end by it. */
const FULL_FOR_MS = 90_000

/**
 * Lets clients ask a town for exports while it is struck at random, until so many processes were killed; then sees whether every
 * promise was kept, and whether anything was left behind. The seed decides what is done and when, the machine the rest.
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
  /** How large the study is. */
  tests: number
  pool: EnginePool
}): Promise<Outcome> {
  const tally = emptyTally()
  const { wrong } = tally
  let fullUntil = 0
  const wasFull = () => Date.now() < fullUntil
  const town = await openTown(mode, tests, pool, (words) => {
    if (!wasFull()) wrong.push(words)
  })
  try {
    const noteFull = () => {
      fullUntil = Date.now() + FULL_FOR_MS
    }
    const strikes = strikesOn(town, noteFull, wrong)
    const done = { clients: false, watcher: false }
    const clients = town.tokens.map((token, i) =>
      runClient(
        {
          town,
          token,
          random: createRandom(seed, 1, i),
          tally,
          wasFull,
        },
        () => done.clients,
      ),
    )
    const watcher = watchParts(town, wrong, () => done.watcher)
    const killed = await strikeAtRandom(strikes, seed, kills, wrong)
    done.clients = true
    await Promise.all(clients)
    await killAllAndRestart(town)
    for (const wish of town.wishes) {
      await askUntilRight(wish, { town, token: town.tokens[0] }).catch((error) => wrong.push(String(error)))
    }
    done.watcher = true
    await watcher
    await stopAll(town, wrong)
    const published = await checkFiles(town, wrong)
    await checkLeftovers(town, wrong)
    await checkSecrets(town, wrong)
    return { mode, seed, kills: killed, strikes, tally, published }
  } finally {
    if (wrong.length > 0) await keepLogs(town, seed)
    await town.close()
  }
}

/** What a run that went wrong leaves for whoever wants to know why. */
async function keepLogs(town: Town, seed: number): Promise<void> {
  const kept = await mkdtemp(join(tmpdir(), `gazette-chaos-kept-${town.mode}-${seed}-`))
  await cp(join(town.root, 'output'), join(kept, 'output'), { recursive: true })
  const isSmall = (path: string) => !/\.(csv|gz|part)$/.test(path)
  await cp(join(town.dataDir, 'exports'), join(kept, 'exports'), { recursive: true, filter: isSmall })
  console.log(`logs and jobs are kept in ${kept}`)
}

/** Strikes overlap; a resident that is down already is left alone. */
async function strikeAtRandom(strikes: Strike[], seed: number, kills: number, wrong: string[]): Promise<number> {
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
    await pause(-Math.log(1 - random.uniform()) * GAP_MS)
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
async function watchParts(town: Town, wrong: string[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const pids = town.residents.map((each) => each.pid()).filter((pid) => pid !== null)
    for (const [path, holders] of await openParts(pids))
      if (holders.length > 1) wrong.push(`${path} is written by ${holders.join(' and ')}`)
    await pause(100)
  }
}

/** As after a power cut; what comes up again needs no hand. */
async function killAllAndRestart(town: Town): Promise<void> {
  for (const resident of town.residents) await resident.kill()
  for (const resident of town.residents) await resident.start()
}

async function stopAll(town: Town, wrong: string[]): Promise<void> {
  for (const resident of [...town.residents].reverse()) {
    const code = await resident.stop()
    if (code !== 0) wrong.push(`${resident.name} ended with ${code} after SIGTERM`)
  }
}

/** Every published file is the one computed in peace, and every job has an end. Returns how many files there are. */
async function checkFiles(town: Town, wrong: string[]): Promise<number> {
  const jobs = openJobs(town.dataDir)
  let published = 0
  for (const job of await listJobs(jobs)) {
    if (job.end === null) {
      wrong.push(`${job.id} has no end`)
      continue
    }
    const wish = town.wishes.find(({ jobId }) => jobId === job.id)
    if (job.end.state !== 'succeeded' || wish === undefined) continue
    published++
    if ((await hashOf(filePath(jobs.root, job, 'plain'))) !== wish.sha256) wrong.push(`${job.id}: another CSV`)
    const plain = gunzipSync(await readFile(filePath(jobs.root, job, 'gzip')))
    if (createHash('sha256').update(plain).digest('hex') !== wish.sha256) wrong.push(`${job.id}: another twin`)
  }
  return published
}

const NEEDED = /^(plan\.json|by|\d+\.(csv|csv\.gz|end\.json))$/

/** After the tidying that each sweep does, nothing lies about that no job needs. */
async function checkLeftovers(town: Town, wrong: string[]): Promise<void> {
  const jobs = openJobs(town.dataDir)
  await tidyJobs(jobs, new Date(Date.now() + 60_000), async () => false)
  const exportsDir = join(town.dataDir, 'exports')
  for (const name of await readdir(exportsDir)) {
    if (!/^x[0-9a-f]{64}$/.test(name)) wrong.push(`left in exports: ${name}`)
    else
      for (const file of await readdir(join(exportsDir, name)))
        if (!NEEDED.test(file)) wrong.push(`left in ${name}: ${file}`)
  }
  const known = ['audit.jsonl', 'exports', 'instance', 'queue', 'sessions', 'studies', 'token-uses', 'tokens.json']
  for (const name of await readdir(town.dataDir)) if (!known.includes(name)) wrong.push(`left: ${name}`)
}

/** No token is in any log, nor in the data directory. */
async function checkSecrets(town: Town, wrong: string[]): Promise<void> {
  for (const directory of [town.dataDir, join(town.root, 'output'), join(town.root, 'redis')]) {
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || /\.(csv|gz|parquet)$/.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      const text = await readFile(path, 'latin1')
      if (town.tokens.some((token) => text.includes(token))) wrong.push(`a token is in ${path}`)
    }
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}
