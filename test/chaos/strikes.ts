import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Random } from '../../demo/random.ts'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { type Answer, askUntilRight, fetchOrNot } from './client.ts'
import { emptyDisk, fillDisk } from './disk.ts'
import { filesBelow, KINDS, type Kind, turnBit } from './kinds.ts'
import {
  answers,
  type Damage,
  damageFile,
  FRAGILE_STUDY,
  openParts,
  pause,
  type Resident,
  type Town,
  type Wish,
} from './town.ts'

/** One kind of harm. The counts are for the report. A recovery is from the harm's end until all is as
 * before; after a worker was hit, from then on until its job is worked on by another, or has ended. */
export type Strike = {
  name: string
  /** What must come through it; whatever does not is in `wrong`. */
  survives: string
  kills: number
  weight: number
  times: number
  /** How often it hit a process in the middle of a job. */
  timesInJob: number
  recoveriesMs: number[]
  /** How often each kind of file was hit. */
  kinds: Record<string, number>
  /** Does harm, and what must be done by somebody: starting a process again. Nothing, if nobody is there to be struck so long. */
  act: (random: Random, patienceMs: number) => Promise<void>
}

const RECOVERY_MAX_MS = 150_000
/** Longer than a worker's lock on its job, so that another one takes it. */
const FREEZE_MS = 12_000

/** How long one is left alone after it was struck, in the mean. */
const UP_MS = { start: 7000, server: 2500, worker: 2500, redis: 1200 }

const SURVIVES = {
  start: 'every promise, queue and all',
  server: 'every promise and download',
  worker: 'its job, by another worker',
  redis: 'every job, downloads meanwhile',
}

export function strikesOn(town: Town, noteFull: () => void, wrong: string[]): Strike[] {
  const busy = new Set<Resident>()
  const strike = (name: string, survives: string, weight: number, kills: number, act: Strike['act']): Strike => ({
    name,
    survives,
    weight,
    kills,
    times: 0,
    timesInJob: 0,
    recoveriesMs: [],
    kinds: {},
    act,
  })
  const recovered = async (into: Strike, isWell: () => Promise<boolean>) => {
    const startedMs = performance.now()
    while (!(await isWell())) {
      if (performance.now() - startedMs > RECOVERY_MAX_MS) {
        wrong.push(`not recovered ${RECOVERY_MAX_MS / 1000} s after ${into.name}`)
        return
      }
      await pause(50)
    }
    into.recoveriesMs.push(performance.now() - startedMs)
  }
  /** One harm at a time for each resident. */
  const alone = async (
    kind: Resident['kind'],
    random: Random,
    act: (resident: Resident) => Promise<void>,
    patienceMs = 0,
  ) => {
    const unharmed = () => town.residents.filter((each) => each.kind === kind && !busy.has(each) && each.pid() !== null)
    const deadline = Date.now() + patienceMs
    while (unharmed().length === 0 && Date.now() < deadline) await pause(50)
    const free = unharmed()
    const chosen = free[Math.floor(random.uniform() * free.length)]
    if (chosen === undefined) return false
    busy.add(chosen)
    try {
      await act(chosen)
      // Whoever is killed as soon as it is up never does anything.
      await pause(-Math.log(1 - random.uniform()) * UP_MS[kind])
    } finally {
      busy.delete(chosen)
    }
    return true
  }
  const isReady = () => answers(`${town.url}/readyz`)

  function killing(kind: Resident['kind'], weight: number): Strike {
    const self = strike(`kill -9 ${kind}`, SURVIVES[kind], weight, 1, async (random) => {
      const downMs = random.uniform() * (kind === 'redis' ? 3000 : 800)
      await alone(kind, random, async (resident) => {
        const interrupted = kind === 'worker' ? await jobToHit(resident, random) : await jobsOf(resident.pid())
        self.times++
        if (interrupted.length > 0) self.timesInJob++
        await resident.kill()
        if (kind === 'worker') {
          if (interrupted.length > 0) void recovered(self, () => areWorkedOn(town, interrupted))
          await pause(downMs)
          return resident.start()
        }
        await pause(downMs)
        await Promise.all([resident.start(), recovered(self, isReady)])
      })
    })
    return self
  }

  const lostRedis = strike(
    'kill -9 redis, its disk lost',
    'every job, put back from the data directory',
    1,
    1,
    async (random, patienceMs) => {
      await alone(
        'redis',
        random,
        async (redis) => {
          lostRedis.times++
          await redis.kill()
          for (const name of await readdir(town.redisDir!)) await rm(join(town.redisDir!, name), { recursive: true })
          await redis.start()
          await recovered(lostRedis, isReady)
        },
        patienceMs,
      )
    },
  )
  const spoilt = strike(
    'kill -9 start, bits of its queue turned',
    'every promise, in another queue if need be',
    2,
    1,
    async (random, patienceMs) => {
      await alone(
        'start',
        random,
        async (resident) => {
          spoilt.times++
          await resident.kill()
          const files = await filesBelow(join(town.dataDir, 'queue/pg'))
          for (let i = 0; i < 20; i++)
            await turnBit(join(town.dataDir, 'queue/pg', files[Math.floor(random.uniform() * files.length)]), random)
          await Promise.all([resident.start(), recovered(spoilt, isReady)])
        },
        patienceMs,
      )
    },
  )
  const frozen = strike(
    'SIGSTOP worker past its lock',
    'its job, by another worker; it writes no more',
    1,
    0,
    async (random, patienceMs) => {
      await alone(
        'worker',
        random,
        async (worker) => {
          const interrupted = await jobToHit(worker, random)
          const pid = worker.pid()
          if (pid === null) return
          frozen.times++
          if (interrupted.length > 0) frozen.timesInJob++
          process.kill(pid, 'SIGSTOP')
          const startedMs = performance.now()
          // Another worker takes the job over while this one stands still.
          if (interrupted.length > 0) await recovered(frozen, () => areWorkedOn(town, interrupted, pid))
          await pause(Math.max(0, FREEZE_MS - (performance.now() - startedMs)))
          process.kill(pid, 'SIGCONT')
        },
        patienceMs,
      )
    },
  )
  const restarted = (kind: Resident['kind'], weight: number): Strike => {
    const self = strike(
      `SIGTERM ${kind}`,
      `${kind === 'server' ? 'every promise' : 'its jobs, ended or handed back'}; exit code 0`,
      weight,
      0,
      async (random, patienceMs) => {
        await alone(
          kind,
          random,
          async (resident) => {
            self.times++
            const code = await resident.stop()
            if (code !== 0) wrong.push(`${resident.name} ended with ${code} after SIGTERM`)
            const started = resident.start()
            if (kind === 'worker') await started
            else await Promise.all([started, recovered(self, isReady)])
          },
          patienceMs,
        )
      },
    )
    return self
  }
  const full = strike('disk full', 'all but jobs that fail with 507 and leave nothing', 1, 0, async (random) => {
    full.times++
    noteFull()
    await fillDisk(town.dataDir)
    await pause(1000 + random.uniform() * 3000)
    await emptyDisk(town.dataDir)
    noteFull()
    await recovered(full, isReady)
  })
  let fragile = false
  const damaged = (how: Damage, name: string): Strike => {
    const self = strike(name, 'no wrong file: its job fails, and mended it is right', 1, 0, async (random) => {
      if (fragile) return
      fragile = true
      try {
        self.times++
        await damageAndMend(town, how, random, self, wrong)
      } finally {
        fragile = false
      }
    })
    return self
  }

  const turned = strike(
    "one bit of a job's file turned",
    'nothing wrong is sent; asked for again, the job is computed anew',
    20,
    0,
    async (random) => {
      const kind = OF_JOBS[Math.floor(random.uniform() * OF_JOBS.length)]
      const from = Math.floor(random.uniform() * town.wishes.length)
      const inTurn = [...town.wishes.slice(from), ...town.wishes.slice(0, from)]
      let wish: Wish | undefined
      for (const each of inTurn) {
        const path = await lastOf(kind, town.dataDir, `exports/${each.jobId}`)
        if (path === undefined || !(await turnBit(path, random))) continue
        wish = each
        break
      }
      if (wish === undefined) return
      town.damagedAt.set(wish.jobId, Date.now())
      turned.times++
      turned.kinds[kind.name] = (turned.kinds[kind.name] ?? 0) + 1
      // Half of the damage is for the others to find.
      if (random.uniform() < 0.5) return
      const startedMs = performance.now()
      await askUntilRight(wish, { town, token: town.tokens[0] })
      turned.recoveriesMs.push(performance.now() - startedMs)
    },
  )

  // A short run has time for the first rare ones only.
  const truncated = damaged('cut', 'Parquet file truncated')
  const overwritten = damaged('overwritten', 'Parquet file overwritten in the middle')
  const flipped = damaged('flipped', 'one bit of a snapshot turned')
  const fulls = town.hasSmallDisk ? [full] : []
  if (town.mode === 'embedded')
    return [killing('start', 14), turned, flipped, spoilt, ...fulls, truncated, overwritten, restarted('start', 2)]
  return [
    killing('worker', 20),
    killing('server', 5),
    killing('redis', 12),
    turned,
    frozen,
    flipped,
    ...fulls,
    lostRedis,
    truncated,
    overwritten,
    restarted('worker', 1),
    restarted('server', 1),
  ]
}

const IN_JOB_SHARE = 0.7
const JOB_WITHIN_MS = 2000

/** What a worker is writing when it is to be hit: mostly something, some time after it began. */
async function jobToHit(worker: Resident, random: Random): Promise<string[]> {
  const [isInJob, deadline, intoMs] = [
    random.uniform() < IN_JOB_SHARE,
    Date.now() + JOB_WITHIN_MS,
    random.uniform() * 150,
  ]
  if (isInJob) {
    while (Date.now() < deadline && (await jobsOf(worker.pid())).length === 0) await pause(10)
    await pause(intoMs)
  }
  return jobsOf(worker.pid())
}

/** The attempts that a process is writing: what the paths of their files begin with. */
async function jobsOf(pid: number | null): Promise<string[]> {
  const parts = await openParts(pid === null ? [] : [pid])
  return [...new Set([...parts.keys()].map((path) => path.replace(/(\/\d+\.)[^/]*$/, '$1')))]
}

/** Whether each attempt is being written by another process, has ended, or was lost with its plan. */
async function areWorkedOn(town: Town, attempts: string[], notBy: number | null = null): Promise<boolean> {
  const pids = town.residents.map((each) => each.pid()).filter((pid) => pid !== null && pid !== notBy) as number[]
  const parts = [...(await openParts(pids)).keys()]
  const jobs = openJobs(town.dataDir)
  const open = attempts.filter((attempt) => !parts.some((path) => path.startsWith(attempt)))
  const now = await Promise.all(open.map((attempt) => jobs.read(basename(dirname(attempt)))))
  return now.every((job, i) => job?.end !== null || job.attempt !== Number.parseInt(basename(open[i]), 10))
}

/** The kinds of files of a job, and those of a snapshot that every export needs. */
const OF_JOBS = kindsOf('plan', 'end', 'finished file', 'twin', 'interest')
const OF_SNAPSHOTS = kindsOf('current', 'manifest', 'study', 'participants', 'tests', 'samples')

function kindsOf(...names: string[]): Kind[] {
  return names.map((name) => KINDS.find((kind) => kind.name === name)!)
}

/** Returns the last file of a kind below a directory of the data directory, by its path; undefined if there is none. */
async function lastOf({ pattern }: Kind, dataDir: string, directory: string): Promise<string | undefined> {
  const paths = (await filesBelow(join(dataDir, directory))).map((path) => `${directory}/${path}`)
  const found = paths.findLast((path) => pattern.test(path))
  return found && join(dataDir, found)
}

let fragileWishes = 0

/** A job on a damaged snapshot fails and says so, or is right by what was read before; mended, the same study is exported as if nothing had been. */
async function damageAndMend(town: Town, how: Damage, random: Random, self: Strike, wrong: string[]): Promise<void> {
  const kind =
    OF_SNAPSHOTS[how === 'flipped' ? Math.floor(random.uniform() * OF_SNAPSHOTS.length) : OF_SNAPSHOTS.length - 1]
  const file = (await lastOf(kind, town.dataDir, `studies/${FRAGILE_STUDY}`))!
  const mend = await damageFile(file, how, random).catch(() => null)
  // No room for the copy, while the disk is full.
  if (mend === null) return
  self.kinds[kind.name] = (self.kinds[kind.name] ?? 0) + 1
  let damagedEnd: End
  try {
    damagedEnd = await endOfNew(town, random)
  } finally {
    while (
      !(await mend().then(
        () => true,
        () => false,
      ))
    )
      await pause(200)
  }
  const mendedMs = performance.now()
  const mendedEnd = await endOfNew(town, random)
  self.recoveriesMs.push(performance.now() - mendedMs)
  for (const { state, sha256, velocity } of [damagedEnd, mendedEnd]) {
    if (state !== 'succeeded') continue
    const expected = await town.inPeace(FRAGILE_STUDY, 'fixations', { gazeVelocityThreshold: velocity })
    if (sha256 !== expected) wrong.push(`${kind.name} damaged (${how}): a file that is not right`)
  }
  // What a process has in memory was right when it was read; samples are read for each export.
  const mayBeRight = kind.name !== 'samples' && damagedEnd.state === 'succeeded'
  const hasFailed = damagedEnd.state === 'failed /docs/problems/damaged-data'
  const states = `${damagedEnd.state}, then ${mendedEnd.state}`
  if (!((hasFailed || mayBeRight) && mendedEnd.state === 'succeeded') && !states.includes('disk-full'))
    wrong.push(`${kind.name} damaged (${how}): ${states}`)
}

/** How a job on the fragile study ended. */
type End = { state: string; sha256: string | null; velocity: number }

async function endOfNew(town: Town, random: Random): Promise<End> {
  fragileWishes++
  const deadline = Date.now() + RECOVERY_MAX_MS
  // No more decimals than a parameter may have, which a sum could.
  const velocity = Number((1 + (fragileWishes % 300) + random.uniform()).toFixed(3))
  const path = `/api2/studies/${FRAGILE_STUDY}/collected-data/eye-tracking/fixations?gazeVelocityThreshold=${velocity}`
  const context = { town, token: town.tokens[0] }
  let job: string | null = null
  let last = 'no answer'
  while (Date.now() < deadline) {
    const seen: Answer | null = await fetchOrNot(context, job ?? path, {
      headers: { prefer: 'respond-async', 'accept-encoding': 'identity' },
    }).catch(() => null)
    const text = seen?.body.toString() ?? ''
    last = seen === null ? 'no answer' : `${seen.status} ${text.slice(0, 300)}`
    if (job === null && seen?.status === 202) job = seen.header('location') ?? null
    // The promise was made, but lost on its way; this one says how it ended.
    else if (job === null && seen?.status === 200)
      return { state: 'succeeded', sha256: createHash('sha256').update(seen.body).digest('hex'), velocity }
    else if (job === null && seen?.status === 500)
      return { state: `failed ${(JSON.parse(text) as { type: string }).type}`, sha256: null, velocity }
    else if (job !== null && seen?.status === 200) {
      const { state, error, file } = JSON.parse(text) as JobView
      if (state !== 'queued' && state !== 'running')
        return { state: error === null ? state : `${state} ${error.type}`, sha256: file?.sha256 ?? null, velocity }
    }
    await pause(150)
  }
  return { state: `nothing for ${RECOVERY_MAX_MS / 1000} s but ${last} on ${job ?? path}`, sha256: null, velocity }
}
