import { isDeepStrictEqual } from 'node:util'
import { ask, kill, openWorld, publish, remove, type Size, startProcess, studyIdOf, type World, work } from './world.ts'

/** What came of a seed: the rules that were broken, and how much happened. */
export type Outcome = { seed: number; faults: string[]; calls: number; jobs: number; seconds: number }

const FAULTS = 0.002
/** Whoever stood still goes on where it was. */
const COMES_BACK_MS = 5000
/** Longer than a call may stand still, and then locks and what dead processes left behind are waited for. */
const AFTER_MS = 240_000

/** Runs a world from a seed: half of it with harm, then in peace until all is done and tidy, and checks what must hold. */
export async function runSeed(seed: number, size: Size): Promise<Outcome> {
  const world = openWorld(seed, size)
  const { timeline, disk, random } = world
  let started = 0
  const start = (sweeps: boolean) => startProcess(world, `${seed}-${started++}`, sweeps)
  const startWorker = (sweeps: boolean) => {
    const process = start(sweeps)
    work(world, process).catch((error) => world.faults.push(`a worker fell over: ${error.stack}`))
    return process
  }
  try {
    const founder = start(false)
    let isFounded = false
    const founding = Promise.all(Array.from({ length: size.studies }, (_, i) => publish(world, founder, i)))
    founding.then(
      () => (isFounded = true),
      (error) => world.faults.push(`no study could be made: ${error.stack}`),
    )
    await timeline.runUntil(() => isFounded || world.faults.length > 0, 3_600_000)
    const servers = Array.from({ length: size.servers }, () => start(false))
    for (let i = 0; i < size.workers; i++) startWorker(i < 2)

    disk.faults = FAULTS
    const endsAtMs = timeline.nowMs() + size.minutes * 60_000
    let next = timeline.nowMs()
    while (timeline.nowMs() < endsAtMs && world.faults.length === 0) {
      await timeline.runUntil(() => timeline.nowMs() >= next || world.faults.length > 0, next - timeline.nowMs() + 1)
      next = timeline.nowMs() + random.below(1200)
      happen(world, servers, startWorker)
    }

    disk.faults = 0
    world.queue.isAway = false
    for (const { client } of world.processes) client.standsUntilMs = 0
    await timeline.runUntil(() => world.faults.length > 0, COMES_BACK_MS)
    for (const each of world.processes.filter(({ sweep }) => sweep !== null)) kill(world, each)
    startWorker(true)
    await timeline.runUntil(() => world.faults.length > 0, AFTER_MS)
    if (world.faults.length === 0) await checkEnd(world, start(false))
    return { seed, faults: world.faults, calls: disk.calls, jobs: world.asked.size, seconds: timeline.nowMs() / 1000 }
  } finally {
    world.isOver = true
    timeline.close()
  }
}

/** One thing that happens to a platform. */
function happen(
  world: World,
  servers: World['processes'],
  startWorker: (sweeps: boolean) => World['processes'][0],
): void {
  const { random, size, queue, processes, timeline } = world
  const study = random.zipf(size.studies)
  const server = servers[random.below(servers.length)]
  const workers = processes.filter((each) => !servers.includes(each))
  const victim = workers[random.below(workers.length)]
  const quietly = (what: Promise<unknown>) => void what.catch(() => undefined)
  const dice = random.next()
  if (dice < 0.5) quietly(ask(world, server, study))
  else if (dice < 0.68) quietly(publishAndSee(world, servers, study))
  else if (dice < 0.74) quietly(removeSomebody(world, server, study))
  else if (dice < 0.77) quietly(remove(server, study))
  else if (dice < 0.85 && victim) {
    kill(world, victim)
    startWorker(victim.sweep !== null)
  } else if (dice < 0.92 && victim) victim.client.standsUntilMs = timeline.nowMs() + 1000 + random.below(60_000)
  else if (dice < 0.96) queue.forget()
  else {
    queue.isAway = true
    timeline.after(random.below(15_000), () => {
      queue.isAway = false
    })
  }
}

/** Who is told that something was published sees it in the list of every server. */
async function publishAndSee(world: World, servers: World['processes'], study: number): Promise<void> {
  const snapshotId = await publish(world, servers[world.random.below(servers.length)], study)
  const version = world.versions.get(studyIdOf(study))
  const other = servers[world.random.below(servers.length)]
  const listed = (await other.store.currents()).get(studyIdOf(study))
  // Unless somebody published or removed it since, or the disk failed, which the list tells and the next mends.
  if (
    listed !== '' &&
    listed !== snapshotId &&
    world.versions.get(studyIdOf(study)) === version &&
    isCurrent(world, study, snapshotId)
  )
    world.faults.push(`a server listed ${listed} of study ${study} after ${snapshotId} had been published`)
}

function isCurrent({ disk }: World, study: number, snapshotId: string | null): boolean {
  return (
    disk
      .read(`/studies/${studyIdOf(study)}/current`)
      ?.toString()
      .trim() === snapshotId
  )
}

async function removeSomebody(world: World, server: World['processes'][0], study: number): Promise<void> {
  const snapshot = await server.store.current(studyIdOf(study))
  const text = snapshot && world.disk.read(`/studies/${studyIdOf(study)}/${snapshot.id}/participants.parquet`)
  const [first] = text ? (JSON.parse(text.toString()) as string[]) : []
  if (first) await publish(world, server, study, first)
}

const LEFT_BEHIND = /\.(tmp|part)$|\/\.|\.removed-|\/lock(\.|$)/

/** What must hold once nothing goes wrong any more, and all has been swept. */
async function checkEnd(world: World, last: World['processes'][0]): Promise<void> {
  const { disk, faults, timeline } = world
  const all = disk.everything()
  const text = (path: string) => disk.read(path)?.toString() ?? null
  for (const [id, promises] of world.asked) {
    if (promises.every(({ isWithdrawn }) => isWithdrawn)) continue
    const plan = text(`/exports/${id}/plan.json`)
    if (plan === null) faults.push(`${id} was promised and is gone`)
    else if (text(`/exports/${id}/${JSON.parse(plan).attempt}.end.json`) === null)
      faults.push(`${id} was promised and has not ended`)
  }
  for (const [path, bytes] of all) {
    // What a broken first import left goes with the next one.
    const isUnlisted = path.startsWith('/studies/') && text(`/studies/${path.split('/')[2]}/current`) === null
    if (LEFT_BEHIND.test(path) && !isUnlisted) faults.push(`${path} is left behind`)
    for (const id of world.removed.keys())
      if (bytes?.includes(id) || path.includes(id)) faults.push(`${id} was removed and is in ${path}`)
    const [, , studyId] = /^\/(studies)\/([^/]+)\/([0-9a-f]{64})$/.exec(path) ?? []
    const current = studyId && text(`/studies/${studyId}/current`)?.trim()
    if (current && !path.endsWith(current)) faults.push(`${path} is an old snapshot that is left`)
  }
  let fresh: ReadonlyMap<string, string> | null = null
  last.store.currents().then(
    (currents) => (fresh = currents),
    (error) => faults.push(String(error)),
  )
  const listed = new Map<string, ReadonlyMap<string, string>>()
  for (const { client, store } of world.processes)
    void store.currents().then((currents) => listed.set(client.name, new Map(currents)))
  await timeline.runUntil(() => fresh !== null && listed.size === world.processes.length, 60_000)
  for (const [name, currents] of listed)
    if (!isDeepStrictEqual(currents, fresh))
      faults.push(`process ${name} has another list than a new one: ${differences(currents, fresh ?? new Map())}`)
}

function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string {
  const ids = [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id))
  return ids.map((id) => `${id} ${a.get(id)} and ${b.get(id)}`).join('; ')
}
