import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { studyDirectory } from '../../engine/files/layout.ts'
import { withStudyLock } from '../../engine/files/lock.ts'
import { publishSnapshot } from '../../engine/import/publish.ts'
import { forgetRemoved, removeStudy } from '../../engine/import/remove-study.ts'
import { type Jobs, openJobs } from '../../engine/jobs/open-jobs.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import type { JobEnd } from '../../engine/jobs/state.ts'
import { withdrawInterest } from '../../engine/jobs/withdraw-job.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { type FilePlan, jobId } from '../../engine/model/plan.ts'
import type { Manifest, Snapshot } from '../../engine/model/study.ts'
import type { EnginePool } from '../../engine/run/pool.ts'
import type { Block, RunProgress } from '../../engine/run/run-export.ts'
import { leaseSnapshot } from '../../engine/snapshot/leases.ts'
import { snapshotIdOf } from '../../engine/snapshot/snapshot-id.ts'
import { FORMAT_VERSION, manifestText, openStore, type Studies } from '../../engine/snapshot/snapshots.ts'
import type { Bench, StopReason } from '../../worker/bench.ts'
import type { JobQueue } from '../../worker/queue.ts'
import { runJob } from '../../worker/run-job.ts'
import { type Sweep, startSweep } from '../../worker/sweep.ts'
import { type Client, type Disk, openDisk } from './disk.ts'
import { LOCK_MS, openQueue, type Queue, type Taken } from './queue.ts'
import { type Random, randomFrom } from './random.ts'
import { openTimeline, sleep, type Timeline } from './timeline.ts'

/** How large a world is. */
export type Size = { studies: number; workers: number; servers: number; minutes: number }

/** A process of Gazette: its own caches, the same disk. */
type Process = { client: Client; dataDir: string; store: Studies; jobs: Jobs; sweep: Sweep | null }
type Asked = { plan: FilePlan; tokenId: string; isWithdrawn: boolean }

export type World = {
  size: Size
  random: Random
  timeline: Timeline
  disk: Disk
  queue: Queue
  processes: Process[]
  asked: Map<string, Asked[]>
  /** Participants that were removed, when whoever removed them was told so. */
  removed: Map<string, number>
  versions: Map<string, number>
  faults: string[]
  isOver: boolean
}

const NO_LOG: Bench['log'] = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const TTL_MS = 3_600_000
export const studyIdOf = (i: number) => `5c000000-0000-4000-8000-${String(i).padStart(12, '0')}`
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

export function openWorld(seed: number, size: Size): World {
  const random = randomFrom(seed)
  const timeline = openTimeline()
  const disk = openDisk(timeline, random)
  const world: World = {
    size,
    random,
    timeline,
    disk,
    queue: openQueue(timeline, random),
    processes: [],
    asked: new Map(),
    removed: new Map(),
    versions: new Map(),
    faults: [],
    isOver: false,
  }
  disk.onChange = (did, path) => checkChange(world, did, path)
  return world
}

/** What holds after every change on the disk. */
function checkChange(world: World, did: string, path: string): void {
  const [, top, id, name = ''] = path.split('/')
  if (top === 'studies' && name === 'current' && did === 'rename') {
    const snapshotId = world.disk.read(path)!.toString().trim()
    const manifest = world.disk.read(`/studies/${id}/${snapshotId}/manifest.json`)
    if (manifest === null) return void world.faults.push(`${path} names a snapshot that is not there`)
    const version = versionOf(JSON.parse(manifest.toString()) as Manifest)
    if (version <= (world.versions.get(id) ?? 0)) world.faults.push(`${path} went back to version ${version}`)
    world.versions.set(id, version)
  }
  if (top === 'exports' && did === 'link' && name.endsWith('.end.json')) {
    const end = JSON.parse(world.disk.read(path)!.toString()) as JobEnd
    if (end.state === 'succeeded') checkFile(world, id, name.split('.')[0], end)
  }
}

function versionOf({ bundle }: Manifest): number {
  return Number(bundle.version)
}

/** A published file is whole, and what its plan says, whoever wrote it. */
function checkFile(world: World, id: string, attempt: string, end: JobEnd): void {
  const bytes = world.disk.read(`/exports/${id}/${attempt}.csv`)
  const plan = JSON.parse(world.disk.read(`/exports/${id}/plan.json`)!.toString()).plan as FilePlan
  const directory = `/studies/${plan.studyId}/${plan.snapshotId}`
  const found = bytes && sha256(bytes)
  if (found !== end.file?.plain.sha256) world.faults.push(`${id} ${attempt}: the file is not what its end says`)
  const samples = world.disk.read(`${directory}/samples-00000.parquet`)
  if (samples !== null && bytes !== null && !bytes.equals(exportOf(plan, samples)))
    world.faults.push(`${id} ${attempt}: the file is not that of its plan`)
}

function exportOf(plan: FilePlan, samples: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${jobId(plan)}\n`), samples, Buffer.from('end\n')])
}

/** Stands in for the engine: reads the samples, and gives bytes that tell of which plan and which participants they are. */
function computing({ timeline, random }: World, process: Process): NonNullable<Bench['blocksOf']> {
  return async function* (plan, { snapshot, signal }): AsyncGenerator<Block, RunProgress> {
    const { studyId, snapshotId } = plan
    const directory = join(process.dataDir, 'studies', studyId, snapshotId)
    const samples = await readFile(join(directory, snapshot.manifest.sampleFiles[0].name))
    if (sha256(samples) !== snapshot.manifest.sampleFiles[0].sha256)
      throw Object.assign(new Error('a body was cut'), { code: 'EIO' })
    const bytes = exportOf(plan, samples)
    const pieces = 1 + Math.min(8, snapshot.manifest.counts.samples >> 6)
    for (let i = 0; i < pieces; i++) {
      // A thread computes for a while.
      await new Promise<void>((resolve) => timeline.after(random.below(random.chance(0.1) ? 4000 : 200), resolve))
      signal.throwIfAborted()
      const from = Math.floor((bytes.length * i) / pieces)
      const block = bytes.subarray(from, Math.floor((bytes.length * (i + 1)) / pieces))
      yield { bytes: block, gzip: block }
    }
    return { samplesDone: 1, samplesTotal: 1, rows: 1, bytes: bytes.length }
  }
}

/** Starts a process. @param sweeps whether it sweeps, too */
export function startProcess(world: World, name: string, sweeps: boolean): Process {
  const client = { name, isDead: false, standsUntilMs: 0 }
  world.disk.clients.set(name, client)
  const dataDir = `/sim/${name}`
  const process: Process = { client, dataDir, store: openStore(dataDir), jobs: openJobs(dataDir), sweep: null }
  const config = { dataDir, exportsMaxGib: 1, uploadTtlHours: 24, storeUrl: '' }
  const queue = world.queue as unknown as JobQueue
  if (sweeps) process.sweep = startSweep({ ...process, queue, config, log: NO_LOG })
  world.processes.push(process)
  return process
}

/** Publishes a study's next snapshot, with some participants. @param remove whom the study loses */
export async function publish(world: World, { dataDir }: Process, i: number, remove?: string): Promise<string | null> {
  const studyDir = studyDirectory(dataDir, studyIdOf(i))!
  const work = async (): Promise<string> => {
    const before = await openStore(dataDir).current(studyIdOf(i))
    const participants = before ? await participantsOf(before) : []
    const version = (before ? versionOf(before.manifest) : (world.versions.get(studyIdOf(i)) ?? 0)) + 1
    const fresh = remove === undefined ? [`participant-${i}-${version}-${randomId(world)}`] : []
    const now = [...participants.filter((id) => id !== remove), ...fresh]
    const temporary = join(studyDir, `.import-${randomId(world)}`)
    await mkdir(temporary)
    const snapshotId = await writeSnapshot(temporary, i, version, now, before?.id ?? null)
    await publishSnapshot(studyDir, temporary, snapshotId)
    if (remove !== undefined) {
      await forgetRemoved(dataDir, studyIdOf(i), remove, new Date())
      world.removed.set(remove, world.timeline.nowMs())
    }
    return snapshotId
  }
  return withStudyLock(studyDir, work, 20_000)
}

function randomId({ random }: World): string {
  return String(random.below(2 ** 31))
}

async function participantsOf({ directory, manifest }: Snapshot): Promise<string[]> {
  const bytes = await readFile(join(directory, 'participants.parquet'))
  if (sha256(bytes) !== manifest.files['participants.parquet']) throw new Error('a body was cut')
  return JSON.parse(bytes.toString())
}

async function writeSnapshot(
  directory: string,
  i: number,
  version: number,
  participants: string[],
  parentId: string | null,
): Promise<string> {
  const studyId = studyIdOf(i)
  // Sizes as they are: few studies are large.
  const lines = participants.map((id) => `${id} ${'x'.repeat(Math.ceil(2000 / (i + 1)))}\n`)
  const contents: Record<string, string> = {
    'study.json': JSON.stringify({ id: studyId, name: `Study ${i}, ${version}`, items: [], aois: [], steps: [] }),
    'participants.parquet': JSON.stringify(participants),
    'tests.parquet': `tests ${version}`,
    'samples-00000.parquet': lines.join(''),
  }
  for (const [name, text] of Object.entries(contents)) await writeFile(join(directory, name), text)
  const sums = Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, sha256(text)]))
  const { 'samples-00000.parquet': samples, ...files } = sums
  const sizeBytes = contents['samples-00000.parquet'].length
  // As that of a real one, its id differs with what it is made of.
  const { 'study.json': study, 'participants.parquet': people } = files
  const origin = { bundle: { 'study.json': study, 'participants.csv': people, version: String(version) }, parentId }
  const snapshotId = snapshotIdOf(origin)
  const none = { hasScroll: false, hasMouse: false, clickCount: 0 }
  const manifest: Manifest = {
    formatVersion: FORMAT_VERSION,
    snapshotId,
    studyId,
    parentId,
    createdAt: new Date().toISOString(),
    counts: { participants: participants.length, completed: 0, items: 0, tests: 0, samples: participants.length },
    sampleFiles: [{ name: 'samples-00000.parquet', rowCount: lines.length, sizeBytes, sha256: samples, ...none }],
    files,
    bundle: origin.bundle,
  }
  await writeFile(join(directory, 'manifest.json'), manifestText(manifest))
  return snapshotId
}

/** Asks for an export as a server does: the snapshot is leased until the plan is on disk, and the queue is told. */
export async function ask(world: World, { store, jobs, dataDir }: Process, i: number): Promise<void> {
  const { random, queue } = world
  const snapshot = await store.current(studyIdOf(i))
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
    const job = await requestJob(jobs, plan, request)
    const promise = { plan, tokenId, isWithdrawn: false }
    world.asked.set(job.id, [...(world.asked.get(job.id) ?? []), promise])
    if (job.end === null) await queue.add(job.id, job.attempt).catch(() => undefined)
    if (random.chance(0.15)) {
      await sleep(random.below(3000))
      for (const each of world.asked.get(job.id)!) if (each.tokenId === tokenId) each.isWithdrawn = true
      await withdrawInterest(openJobs(dataDir), job.id, tokenId, new Date())
    }
  } finally {
    release()
  }
}

/** Takes jobs as a worker does, with a lock that it renews. */
export async function work(world: World, process: Process): Promise<void> {
  const { queue, timeline } = world
  const pool = { giveWay: async () => undefined } as unknown as EnginePool
  const computed = { splitSamples: Number.POSITIVE_INFINITY, blocksOf: computing(world, process) }
  const bench: Bench = {
    ...process,
    pool,
    queue: queue as unknown as JobQueue,
    ttlMs: TTL_MS,
    log: NO_LOG,
    ...computed,
  }
  while (!world.isOver && !process.client.isDead) {
    const taken = isAwake(world, process) ? queue.take(process.client.name) : null
    if (taken === null) {
      await sleep(700)
      continue
    }
    const stop = new AbortController()
    const renewing = setInterval(() => {
      if (isAwake(world, process) && !queue.renew(taken)) stop.abort('lost' satisfies StopReason)
    }, LOCK_MS / 2)
    const outcome = await runJob(taken, bench, stop.signal, () => {}).catch(() => 'broken')
    clearInterval(renewing)
    if (process.client.isDead) return
    // One that stands still tells nobody.
    const standsMs = process.client.standsUntilMs - timeline.nowMs()
    if (standsMs > 0) await sleep(standsMs)
    queue.end(taken as Taken, outcome === 'succeeded' || outcome === 'failed' || outcome === 'superseded')
  }
}

function isAwake({ timeline }: World, { client }: Process): boolean {
  return !client.isDead && client.standsUntilMs <= timeline.nowMs()
}

/** Kills a process; the machine starts another one in its place. */
export function kill(world: World, process: Process): void {
  process.client.isDead = true
  world.processes.splice(world.processes.indexOf(process), 1)
}

/** Removes a study, as a command does. */
export async function remove({ dataDir, store }: Process, i: number): Promise<void> {
  const snapshot = await store.current(studyIdOf(i))
  if (snapshot === null) return
  await removeStudy({ dataDir, studyId: studyIdOf(i), now: new Date(), waitMs: 20_000 })
}
