import { LATE_MS } from './bucket.ts'
import { copyBack, copyJobsBack, copyJobsThere, copyThere, readThere } from './copying.ts'
import { bring } from './imports.ts'
import { checkEnd, watch } from './invariants.ts'
import { allJobFiles, isOver } from './job-files.ts'
import { currentOf, recordOf, storedPaths } from './stored.ts'
import { finishRemovals, hold, merge, publish, remove, removeSomebody, send, studyIdOf } from './studies.ts'
import { areAllTold, makeWebhook } from './webhooks.ts'
import {
  ask,
  kill,
  openWorld,
  type Process,
  type Size,
  startProcess,
  startSweeping,
  type World,
  work,
} from './world.ts'

/** Result of a seed: the broken rules, the number of events, and the paths of all that is stored at the end. */
type Outcome = { seed: number; faults: string[]; calls: number; jobs: number; seconds: number; stored: string[] }

const FAULTS = 0.002
const BUCKET_FAULTS = 0.05
/** Worlds with more studies have no webhook, which would be told of each. */
const WEBHOOK_STUDIES = 10
/** Time after which suspended processes resume. */
const COMES_BACK_MS = 5000
/** Until the last promise must have ended: a call may stand still, and then locks are waited for. */
const ENDED_WITHIN_MS = 240_000
/** Longer than leases last, and than what is left behind is spared. */
const FORGOTTEN_MS = 100_000
const SWEEPING_MS = 2900

/** Number of worlds that were run: what this process remembers of a path is of one world. */
let worlds = 0

/**
 * Runs a world from a seed: half of it with harm, then in peace until all is done and tidy, and checks what must hold.
 */
export async function runSeed(seed: number, size: Size): Promise<Outcome> {
  const world = openWorld(seed, size)
  const { timeline, disk, bucket, random } = world
  let started = 0
  const of = worlds++
  const start = (what: { isServer?: boolean; sweeps?: boolean }) => startProcess(world, `${of}-${started++}`, what)
  const startWorker = (sweeps: boolean) => {
    const process = start({ sweeps })
    work(world, process).catch((error) => world.faults.push(`a worker fell over: ${error.stack}`))
    return process
  }
  world.restart = ({ sweep }) => void startWorker(sweep !== null)
  try {
    watch(world)
    await found(world, start({}))
    for (let i = 0; i < size.servers; i++) start({ isServer: true })
    for (let i = 0; i < size.workers; i++) startWorker(i < 2)

    disk.faults = FAULTS
    bucket.faults = BUCKET_FAULTS
    const endsAtMs = timeline.nowMs() + size.minutes * 60_000
    let next = timeline.nowMs()
    while (timeline.nowMs() < endsAtMs && world.faults.length === 0) {
      await timeline.runUntil(() => timeline.nowMs() >= next || world.faults.length > 0, next - timeline.nowMs() + 1)
      next = timeline.nowMs() + random.next() * 2 * size.everyMs
      happen(world, startWorker, () => start({ isServer: true }))
    }

    disk.faults = 0
    bucket.faults = 0
    world.queue.isAway = false
    for (const { client } of world.processes) client.standsUntilMs = 0
    await timeline.runUntil(() => world.faults.length > 0, COMES_BACK_MS)
    startWorker(false)
    await tidy(world, start({ sweeps: true }))
    if (world.faults.length === 0) await checkEnd(world, start({}))
    const { faults, asked } = world
    const stored = storedPaths(world)
    return { seed, faults, calls: disk.calls, jobs: asked.size, seconds: timeline.nowMs() / 1000, stored }
  } finally {
    world.close()
  }
}

/** Makes the studies, at once. */
async function found(world: World, founder: Process): Promise<void> {
  world.disk.isAtOnce = true
  const make = async () => {
    if (world.size.studies <= WEBHOOK_STUDIES) await makeWebhook(world, founder)
    for (let i = 0; i < world.size.studies && world.faults.length === 0; i++) await publish(world, founder, i)
  }
  await finish(world, make(), 'making the studies')
  // Until then a list of the bucket may lack the webhook.
  if (world.isInBucket) await world.timeline.runUntil(() => false, LATE_MS)
  world.disk.isAtOnce = false
  world.isFounded = true
}

/** Lets all that was promised end; then sweeps until nothing is left that nobody needs. */
async function tidy(world: World, sweeper: Process): Promise<void> {
  const { timeline, asked, imports, processes } = world
  const isBroken = () => world.faults.length > 0
  for (const each of processes.filter((each) => each.sweep !== null && each !== sweeper)) kill(world, each)
  let looksAtMs = 0
  const areAllOver = () => {
    if (timeline.nowMs() < looksAtMs) return false
    looksAtMs = timeline.nowMs() + 1000
    const isOpen = (id: string) =>
      recordOf(world, `imports/${id}/request.json`) !== null && recordOf(world, `imports/${id}/end.json`) === null
    return [...asked.keys()].every((id) => isOver(world, id)) && ![...imports.keys()].some(isOpen) && areAllTold(world)
  }
  await timeline.runUntil(() => isBroken() || areAllOver(), ENDED_WITHIN_MS)
  await finish(world, finishRemovals(world, sweeper), 'a removal')
  // Nobody sweeps until what is left behind is old; then somebody does, and once more for what has become old since.
  for (let passes = 0; passes < 3; passes++) {
    let isClosed = false
    void sweeper.sweep?.close().then(() => (isClosed = true))
    await timeline.runUntil(() => isBroken() || isClosed, ENDED_WITHIN_MS)
    sweeper.sweep = null
    await timeline.runUntil(isBroken, FORGOTTEN_MS)
    startSweeping(world, sweeper)
    await timeline.runUntil(isBroken, SWEEPING_MS)
  }
}

/** Lets something be done that must go well, now that nothing fails. */
async function finish({ timeline, faults }: World, work: Promise<void>, what: string): Promise<void> {
  let isDone = false
  work.then(
    () => (isDone = true),
    (error) => faults.push(`${what} failed in peace: ${error.stack}`),
  )
  await timeline.runUntil(() => isDone || faults.length > 0, ENDED_WITHIN_MS)
  if (!isDone && faults.length === 0) faults.push(`${what} took for ever`)
}

/** One thing that happens to a platform. */
function happen(world: World, startWorker: (sweeps: boolean) => Process, startServer: () => Process): void {
  const { random, size, queue, processes, timeline } = world
  const study = random.zipf(size.studies)
  const pick = (among: Process[]): Process | undefined => among[random.below(among.length)]
  const server = pick(world.servers())!
  const worker = pick(processes.filter(({ isServer }) => !isServer))
  const quietly = (what: Promise<unknown>) => void what.catch(() => undefined)
  const events: [number, () => void][] = [
    [38, () => quietly(ask(world, server, study))],
    [8, () => quietly(publishAndSee(world, server, study))],
    [14, () => quietly(send(world, study))],
    [9, () => quietly(bring(world, server, study))],
    [5, () => quietly(hold(world, server, study))],
    [3, () => quietly(merge(world, server, study))],
    [6, () => quietly(removeSomebody(world, server, study))],
    [2, () => quietly(remove(world, server, study))],
    [7, () => world.isInBucket || quietly(copyThere(world, server, study))],
    [1, () => quietly(copyBack(world, server, study))],
    [3, () => world.isInBucket || quietly(copyJobsThere(world, server))],
    [1, () => world.isInBucket || quietly(copyJobsBack(server))],
    [3, () => quietly(readThere(world, server, study))],
    [
      8,
      () => {
        if (!worker) return
        kill(world, worker)
        startWorker(worker.sweep !== null)
      },
    ],
    [
      4,
      () => {
        kill(world, server)
        startServer()
      },
    ],
    [
      7,
      () => {
        if (worker) worker.client.standsUntilMs = timeline.nowMs() + 1000 + random.below(60_000)
      },
    ],
    [2, () => spoilPart(world)],
    [3, () => queue.forget()],
    [
      3,
      () => {
        queue.isAway = true
        timeline.after(random.below(15_000), () => {
          queue.isAway = false
        })
      },
    ],
  ]
  let dice = random.next() * events.reduce((sum, [weight]) => sum + weight, 0)
  const happening = events.find(([weight]) => {
    dice -= weight
    return dice < 0
  })
  happening?.[1]()
}

/** Turns a bit of a part that waits to be composed. */
function spoilPart(world: World): void {
  const parts = allJobFiles(world).filter(([path, bytes]) => path.endsWith('.shards') && bytes && bytes.length > 0)
  const [, bytes] = parts[world.random.below(parts.length)] ?? []
  if (bytes) bytes[world.random.below(bytes.length)] ^= 1
}

/** Checks that the list of every server has a study as soon as its publication was announced. */
async function publishAndSee(world: World, server: Process, study: number): Promise<void> {
  const snapshotId = await publish(world, server, study)
  // A list of the studies in a bucket may be late.
  if (world.isInBucket) return
  const published = () => world.currents.get(studyIdOf(study))?.length
  const count = published()
  const other = world.servers()[world.random.below(world.servers().length)]
  const listed = (await other.studies.currents()).get(studyIdOf(study))
  const current = currentOf(world, studyIdOf(study))
  // Unless somebody published or removed it since, or the disk failed, which the list tells and the next mends.
  if (listed !== '' && listed !== snapshotId && published() === count && current === snapshotId)
    world.faults.push(`a server listed ${listed} of study ${study} after ${snapshotId} had been published`)
}
