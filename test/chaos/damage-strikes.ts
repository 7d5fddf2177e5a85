import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Random } from '../../demo/random.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { type Answer, askUntilRight, fetchOrNot } from './client.ts'
import { type Cluster, type Damage, damageFile, FRAGILE_STUDY, PATIENCE_MS, pause, type Wish } from './cluster.ts'
import { emptyDisk, fillDisk } from './disk.ts'
import { filesBelow, KINDS, type Kind, turnBit } from './kinds.ts'
import { newStrike, type Strike, type Striker } from './strike.ts'

/** Fills the disk for a moment. @param noteFull called when it begins, and when it is over */
export function fillingDisk({ cluster, recovered, isReady }: Striker, noteFull: () => void): Strike {
  const about = { name: 'disk full', survives: 'all but jobs that fail with 507 and leave nothing', weight: 1 }
  return newStrike(about, async (self, random) => {
    self.times++
    noteFull()
    await fillDisk(cluster.dataDir)
    await pause(1000 + random.uniform() * 3000)
    await emptyDisk(cluster.dataDir)
    noteFull()
    await recovered(self, isReady)
  })
}

/** Damages a file of the fragile study in some ways, one at a time. */
export function damaging(striker: Striker, ways: [Damage, string][]): Strike[] {
  let fragile = false
  const survives = 'no wrong file: its job fails, and mended it is right'
  return ways.map(([how, name]) =>
    newStrike({ name, survives, weight: 1 }, async (self, random) => {
      if (fragile) return
      fragile = true
      try {
        self.times++
        await damageAndMend(striker, how, random, self)
      } finally {
        fragile = false
      }
    }),
  )
}

/** Turns a bit of a file of some job. */
export function turningBits({ cluster }: Striker): Strike {
  const survives = 'nothing wrong is sent; asked for again, the job is computed anew'
  return newStrike({ name: "one bit of a job's file turned", survives, weight: 20 }, async (self, random) => {
    const kind = OF_JOBS[Math.floor(random.uniform() * OF_JOBS.length)]
    const from = Math.floor(random.uniform() * cluster.wishes.length)
    const inTurn = [...cluster.wishes.slice(from), ...cluster.wishes.slice(0, from)]
    let wish: Wish | undefined
    for (const each of inTurn) {
      const path = await lastOf(kind, cluster.dataDir, `exports/${each.jobId}`)
      if (path === undefined || !(await turnBit(path, random))) continue
      wish = each
      break
    }
    if (wish === undefined) return
    cluster.damagedAt.set(wish.jobId, Date.now())
    self.times++
    self.kinds[kind.name] = (self.kinds[kind.name] ?? 0) + 1
    // Half of the damage is for the others to find.
    if (random.uniform() < 0.5) return
    const startedMs = performance.now()
    await askUntilRight(wish, { cluster, token: cluster.tokens[0] })
    self.recoveriesMs.push(performance.now() - startedMs)
  })
}

/** The kinds of files of a job, and those of a snapshot that every export needs. */
const OF_JOBS = kindsOf('plan', 'end', 'finished file', 'gzip version', 'interest')
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

/**
 * A job on a damaged snapshot fails and says so, or is right by what was read before; mended, the same study is
 * exported as if nothing had been.
 */
async function damageAndMend({ cluster, wrong }: Striker, how: Damage, random: Random, self: Strike): Promise<void> {
  const kind =
    OF_SNAPSHOTS[how === 'flipped' ? Math.floor(random.uniform() * OF_SNAPSHOTS.length) : OF_SNAPSHOTS.length - 1]
  const file = (await lastOf(kind, cluster.dataDir, `studies/${FRAGILE_STUDY}`))!
  const mend = await damageFile(file, how, random).catch(() => null)
  // No room for the copy, while the disk is full.
  if (mend === null) return
  self.kinds[kind.name] = (self.kinds[kind.name] ?? 0) + 1
  let damagedEnd: End
  try {
    damagedEnd = await endOfNew(cluster, random)
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
  const mendedEnd = await endOfNew(cluster, random)
  self.recoveriesMs.push(performance.now() - mendedMs)
  for (const { state, sha256, velocity } of [damagedEnd, mendedEnd]) {
    if (state !== 'succeeded') continue
    const expected = await cluster.inPeace(FRAGILE_STUDY, 'fixations', { gazeVelocityThreshold: velocity })
    if (sha256 !== expected) wrong.push(`${kind.name} damaged (${how}): a file that is not right`)
  }
  // What a process has in memory was right when it was read; samples are read for each export.
  const mayBeRight = kind.name !== 'samples' && damagedEnd.state === 'succeeded'
  const hasFailed = damagedEnd.state === 'failed /docs/problems/damaged-data'
  const states = `${damagedEnd.state}, then ${mendedEnd.state}`
  if (!((hasFailed || mayBeRight) && mendedEnd.state === 'succeeded') && !states.includes('disk-full'))
    wrong.push(`${kind.name} damaged (${how}): ${states}`)
}

/** Outcome of a job on the fragile study. */
type End = { state: string; sha256: string | null; velocity: number }

async function endOfNew(cluster: Cluster, random: Random): Promise<End> {
  fragileWishes++
  const deadline = Date.now() + PATIENCE_MS
  // No more decimals than a parameter may have, which a sum could.
  const velocity = Number((1 + (fragileWishes % 300) + random.uniform()).toFixed(3))
  const path = `/api2/studies/${FRAGILE_STUDY}/collected-data/eye-tracking/fixations?gazeVelocityThreshold=${velocity}`
  const context = { cluster, token: cluster.tokens[0] }
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
  return { state: `nothing for ${PATIENCE_MS / 1000} s but ${last} on ${job ?? path}`, sha256: null, velocity }
}
