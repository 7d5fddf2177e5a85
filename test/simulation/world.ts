import { createHash } from 'node:crypto'
import { isJobId } from '../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { withdrawInterest } from '../../engine/jobs/withdraw-job.ts'
import { type LiveStudies, openLiveStudies } from '../../engine/live/live-studies.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import type { FilePlan } from '../../engine/model/plan.ts'
import { leaseSnapshot } from '../../engine/snapshot/leases.ts'
import type { Studies, StudyReader } from '../../engine/snapshot/snapshots.ts'
import { openUploads } from '../../engine/uploads/open-uploads.ts'
import { wakeIfReady } from '../../worker/exports/split-job.ts'
import { kindOf, type WorkContext } from '../../worker/kinds/kinds.ts'
import type { Passes } from '../../worker/passes.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { startSweep } from '../../worker/sweep.ts'
import type { JobContext } from '../../worker/tries/job-context.ts'
import type { RunAlone, StopReason } from '../../worker/tries/try.ts'
import { type Bucket, openBucket } from './bucket.ts'
import { computing } from './computing.ts'
import { type Client, type Disk, openDisk } from './disk.ts'
import { homeOf, type WorldHome } from './home.ts'
import { type Brought, simulatedImport } from './imports.ts'
import { LOCK_MS, openQueue, type Queue } from './queue.ts'
import { type Random, randomFrom } from './random.ts'
import { seize } from './seize.ts'
import { LIVE_TABLES, studyIdOf } from './studies.ts'
import { openTimeline, sleep, type Timeline } from './timeline.ts'
import { type Received, startDelivering } from './webhooks.ts'

/** Size of a world, and how long events happen, every `everyMs` on average. */
export type Size = { studies: number; workers: number; servers: number; minutes: number; everyMs: number }

/** A process of Gazette: its own caches, the same disk. */
export type Process = Omit<WorldHome, 'studies'> & {
  client: Client
  dataDir: string
  isServer: boolean
  studies: Studies
  live: LiveStudies
  sweep: Passes | null
  /** Its view of copies in the bucket, once it has read there. */
  remote: StudyReader | null
}
type RouteRequest = { plan: FilePlan; tokenId: string; isWithdrawn: boolean }

export type World = {
  size: Size
  random: Random
  timeline: Timeline
  disk: Disk
  bucket: Bucket
  queue: Queue
  /** True if studies, jobs and records are in the bucket, in place of the disk. */
  isInBucket: boolean
  /** True if some jobs kill whatever computes them. */
  hasDeadlyJobs: boolean
  /** Starts a worker in place of one that died by its job. */
  restart: (dead: Process) => void
  processes: Process[]
  servers: () => Process[]
  asked: Map<string, RouteRequest[]>
  /** Imports that were promised, by id. */
  imports: Map<string, Brought>
  /** Messages that the receiver of a webhook got; null in worlds without one. */
  received: Received | null
  /** Participants of whom somebody was told that they are in a study, and since when they were on their way. */
  accepted: Map<string, { study: number; sinceMs: number }>
  /** Participants whom somebody wants to remove, with their study, and those who are known to be removed. */
  leaving: Map<string, number>
  removed: Set<string>
  /** Time at which a study was last removed; infinite while it is. */
  removals: Map<number, number>
  /** Studies that somebody began to remove, or somebody of them: what goes then goes at once, whoever needs it. */
  purges: Set<number>
  /** Snapshots that were current, oldest first. */
  currents: Map<string, string[]>
  /** The newest attempt of each job. */
  attempts: Map<string, number>
  /** Jobs in the bucket that changed, and of which the log of changes does not tell yet, with who changed them. */
  unnoted: Map<string, Client>
  /** Process that copies a study to the bucket. */
  copying: Map<number, Client>
  faults: string[]
  isFounded: boolean
  isOver: boolean
  sha256: (text: string | Uint8Array) => string
  close: () => void
}

const NO_LOG: JobContext['log'] = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
/** Workers are killed for no reason of a job, so few deaths let many jobs run alone. */
const DEATHS_MAX = 2
const IMPORTING = {
  engineThreads: 1,
  engineMemoryMib: 256,
  importMaxSamples: 1e6,
  importMaxGib: 1,
  videoMaxMib: 1024,
  jobDeathsMax: DEATHS_MAX,
}
const TTL_MS = 3_600_000
/** Delay before a job runs alone, and before a process that died is started again. */
const BACK_OFF_MS = 10_000
const RESTART_MS = 1000
/** Worlds in which some jobs kill whatever computes them. */
const DEADLY_EVERY = 4
/** Jobs of more samples than this are computed in parts. */
const SPLIT_SAMPLES = 3
const POLL_MS = 700
/** They take twice as long to run. */
const IN_BUCKET_EVERY = 4

export function openWorld(seed: number, size: Size): World {
  const random = randomFrom(seed)
  const timeline = openTimeline()
  const disk = openDisk(timeline, random)
  const giveBack = seize(disk, random)
  const { bucket, release } = openBucket(disk.clients, timeline, random)
  const world: World = {
    size,
    random,
    timeline,
    disk,
    bucket,
    queue: openQueue(timeline, random),
    isInBucket: seed % IN_BUCKET_EVERY === 0,
    hasDeadlyJobs: Math.floor(seed / IN_BUCKET_EVERY) % DEADLY_EVERY === 1,
    restart: () => {},
    processes: [],
    servers: () => world.processes.filter(({ isServer }) => isServer),
    asked: new Map(),
    imports: new Map(),
    received: null,
    accepted: new Map(),
    leaving: new Map(),
    removed: new Set(),
    removals: new Map(),
    purges: new Set(),
    currents: new Map(),
    attempts: new Map(),
    unnoted: new Map(),
    copying: new Map(),
    faults: [],
    isFounded: false,
    isOver: false,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    close: () => {
      world.isOver = true
      release()
      giveBack()
      timeline.close()
    },
  }
  return world
}

/** Starts a process. A server takes requests; of others, some sweep. */
export function startProcess(world: World, name: string, { isServer = false, sweeps = false }): Process {
  const client = { name, isDead: false, standsUntilMs: 0 }
  world.disk.clients.set(name, client)
  const dataDir = `/sim/${name}`
  const { studies, ...home } = homeOf(client, dataDir, world.isInBucket)
  const live = openLiveStudies({ dataDir, ...home, memoryMib: 1, tables: LIVE_TABLES })
  const process: Process = {
    client,
    dataDir,
    isServer,
    ...home,
    studies,
    live,
    sweep: null,
    remote: null,
  }
  if (sweeps) {
    startSweeping(world, process)
    startDelivering(world, process, NO_LOG)
  }
  world.processes.push(process)
  return process
}

export function startSweeping({ queue }: World, process: Process): void {
  // Imported uploads stay for as long, which is over when a world ends.
  const config = { dataDir: process.dataDir, exportsMaxGib: 1, uploadTtlHours: 0.02 }
  process.sweep = startSweep({ ...process, queue: queue as unknown as JobQueue, config, log: NO_LOG })
}

/** Asks for an export as a server does: the snapshot is leased until the plan is on disk, and the queue is told. */
export async function ask(world: World, { studies, jobs }: Process, i: number): Promise<void> {
  const { random, queue } = world
  const snapshot = await studies.current(studyIdOf(i))
  if (snapshot === null) return
  const release = await leaseSnapshot(snapshot.directory)
  try {
    const parameters = { ...defaultParameters(), movingMedianRangeMs: 100 + random.below(3) }
    const plan: FilePlan = {
      export: 'fixations',
      studyId: studyIdOf(i),
      snapshotId: snapshot.id,
      parameters: { itemId: null, movingMedianRangeMs: parameters.movingMedianRangeMs },
      version: 'simulated',
      formulaGuard: true,
    }
    const tokenId = `token-${random.below(3)}`
    const samplesTotal = snapshot.manifest.counts.samples
    const request = { tokenId, parameters, samplesTotal, fileName: 'a.csv', now: new Date() }
    const job = await requestJob(jobs, plan, request).catch((error) => {
      if (/taken away as often/.test(error.message)) world.faults.push(`a request never found its job: ${error.stack}`)
      throw error
    })
    const promise = { plan, tokenId, isWithdrawn: false }
    world.asked.set(job.id, [...(world.asked.get(job.id) ?? []), promise])
    if (job.end === null) await queue.add(job.id, job.attempt).catch(() => undefined)
    if (random.chance(0.15)) {
      await sleep(random.below(3000))
      for (const each of world.asked.get(job.id)!) if (each.tokenId === tokenId) each.isWithdrawn = true
      await withdrawInterest(jobs, job.id, tokenId, new Date())
    }
  } finally {
    release()
  }
}

/** Takes jobs and parts as a worker does, with a lock that it renews. */
export async function work(world: World, process: Process): Promise<void> {
  const { queue, timeline } = world
  while (!world.isOver && !process.client.isDead) {
    const taken = isAwake(world, process) ? queue.take(process.client.name) : null
    if (taken === null) {
      await sleep(POLL_MS)
      continue
    }
    const context: WorkContext = {
      ...process,
      ...computing(world, taken.attempt, () => dieOf(world, process)),
      runAlone: (tried, stop, note) => runAlone(world, context, tried, stop, note),
      config: { ...IMPORTING, dataDir: process.dataDir },
      uploads: openUploads(process.dataDir, process.objects),
      importFiles: simulatedImport(world),
      queue: queue as unknown as JobQueue,
      splitSamples: SPLIT_SAMPLES,
      deathsMax: DEATHS_MAX,
      ttlMs: TTL_MS,
      log: NO_LOG,
    }
    const stop = new AbortController()
    const renewing = setInterval(() => {
      if (isAwake(world, process) && !queue.renew(taken)) stop.abort('lost' satisfies StopReason)
    }, LOCK_MS / 2)
    const outcome = await kindOf(taken.jobId)
      .run(taken, context, stop.signal, () => {})
      .catch(() => 'broken' as const)
    clearInterval(renewing)
    if (process.client.isDead) return
    // One that stands still tells nobody.
    const standsMs = process.client.standsUntilMs - timeline.nowMs()
    if (standsMs > 0) await sleep(standsMs)
    queue.end(taken, outcome)
    if (outcome === 'waits for parts' || outcome === 'part damaged')
      await wakeIfReady(taken, context).catch(() => undefined)
  }
}

/** Returns true if a job kills whatever computes it. */
export function isDeadly({ hasDeadlyJobs }: World, jobId: string): boolean {
  return hasDeadlyJobs && isJobId(jobId) && '01'.includes(jobId[1])
}

/** Runs a try as a process of its own does, which dies of a deadly job, or now and then for no reason of the job. */
async function runAlone(
  world: World,
  context: WorkContext,
  ...[tried, stop, note]: Parameters<RunAlone>
): ReturnType<RunAlone> {
  await sleep(BACK_OFF_MS)
  stop.throwIfAborted()
  if (world.random.chance(0.2)) throw new ServiceError('overloaded', 'the process was ended by somebody else')
  if (isDeadly(world, tried.jobId)) throw new ServiceError('set_aside', 'its worker died, also of this job alone')
  return kindOf(tried.jobId).run(tried, { ...context, runAlone: undefined }, stop, note)
}

/** Kills a process by its own job; it is started again. */
function dieOf(world: World, process: Process): void {
  if (process.client.isDead) return
  kill(world, process)
  world.timeline.after(RESTART_MS, () => world.restart(process))
}

function isAwake({ timeline }: World, { client }: Process): boolean {
  return !client.isDead && client.standsUntilMs <= timeline.nowMs()
}

/** Kills a process. */
export function kill(world: World, process: Process): void {
  process.client.isDead = true
  world.processes.splice(world.processes.indexOf(process), 1)
}
