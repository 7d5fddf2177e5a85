import { join } from 'node:path'
import type { Random } from '../../demo/random.ts'
import { type Cluster, pause } from './cluster.ts'
import { filesBelow, turnBit } from './kinds.ts'
import type { Resident } from './resident.ts'
import { newStrike, type Strike, type Striker } from './strike.ts'

/** Longer than a worker's lock on its job, so that another one takes it. */
const FREEZE_MS = 12_000

/** Longest time for which a killed process stays dead. */
const DOWN_MS = { start: 800, server: 800, worker: 800, redis: 3000, postgres: 3000, s3: 3000 }

const SURVIVES = {
  start: 'every promise, queue and all',
  server: 'every promise and download',
  worker: 'its job, by another worker',
  redis: 'every job, downloads meanwhile',
  postgres: 'every job, downloads meanwhile',
  s3: 'every job; downloads, read on',
}

/** Kills one of a kind, and starts it again a moment later. */
export function killing(
  { cluster, alone, recovered, isReady }: Striker,
  kind: Resident['kind'],
  weight: number,
): Strike {
  const about = { name: `kill -9 ${kind}`, survives: SURVIVES[kind], weight, kills: 1 }
  return newStrike(about, async (self, random) => {
    const downMs = random.uniform() * DOWN_MS[kind]
    await alone(kind, random, 0, async (resident) => {
      const interrupted =
        kind === 'worker' ? await jobToHit(cluster, resident, random) : await cluster.atWork.of(resident.pid())
      self.times++
      if (interrupted.length > 0) self.timesInJob++
      await resident.kill()
      if (kind === 'worker') {
        if (interrupted.length > 0) void recovered(self, () => areWorkedOn(cluster, interrupted))
        await pause(downMs)
        return resident.start()
      }
      await pause(downMs)
      await Promise.all([resident.start(), recovered(self, () => isReady(resident))])
    })
  })
}

/** Kills the server of the queue, which comes up empty. */
export function losingQueue({ cluster, alone, recovered, isReady }: Striker, kind: 'redis' | 'postgres'): Strike {
  const survives = `every job, put back from the ${cluster.bucket ? 'store' : 'data directory'}`
  const about = { name: `kill -9 ${kind}, its disk lost`, survives, weight: 1, kills: 1 }
  return newStrike(about, (self, random, patienceMs) =>
    alone(kind, random, patienceMs, async (server) => {
      self.times++
      await server.kill()
      await cluster.loseQueue()
      await server.start()
      await recovered(self, isReady)
    }),
  )
}

/** Kills `gazette start`, and turns bits of its embedded queue. */
export function spoilingQueue({ cluster, alone, recovered, isReady }: Striker): Strike {
  const name = 'kill -9 start, bits of its queue turned'
  const about = { name, survives: 'every promise, in another queue if need be', weight: 2, kills: 1 }
  return newStrike(about, (self, random, patienceMs) =>
    alone('start', random, patienceMs, async (resident) => {
      self.times++
      await resident.kill()
      const files = await filesBelow(join(cluster.dataDir, 'queue/pg'))
      for (let i = 0; i < 20; i++)
        await turnBit(join(cluster.dataDir, 'queue/pg', files[Math.floor(random.uniform() * files.length)]), random)
      await Promise.all([resident.start(), recovered(self, isReady)])
    }),
  )
}

/** Suspends a worker. */
export function freezing({ cluster, alone, recovered }: Striker): Strike {
  const survives = 'its job, by another worker; it writes no more'
  return newStrike({ name: 'SIGSTOP worker past its lock', survives, weight: 1 }, (self, random, patienceMs) =>
    alone('worker', random, patienceMs, async (worker) => {
      const interrupted = await jobToHit(cluster, worker, random)
      const pid = worker.pid()
      if (pid === null) return
      self.times++
      if (interrupted.length > 0) self.timesInJob++
      process.kill(pid, 'SIGSTOP')
      const startedMs = performance.now()
      // Another worker takes the job over while this one stands still.
      if (interrupted.length > 0) await recovered(self, () => areWorkedOn(cluster, interrupted, pid))
      await pause(Math.max(0, FREEZE_MS - (performance.now() - startedMs)))
      process.kill(pid, 'SIGCONT')
    }),
  )
}

/** Suspends the store for a while. */
export function silencing({ alone, recovered, isReady }: Striker): Strike {
  const about = { name: 'SIGSTOP s3', survives: 'every job; requests wait, or are refused', weight: 1 }
  return newStrike(about, (self, random, patienceMs) =>
    alone('s3', random, patienceMs, async (s3) => {
      const pid = s3.pid()
      if (pid === null) return
      self.times++
      process.kill(pid, 'SIGSTOP')
      await pause(random.uniform() * FREEZE_MS)
      process.kill(pid, 'SIGCONT')
      await recovered(self, isReady)
    }),
  )
}

/** Stops one of a kind as an operator does, and starts it again. */
export function restarting(
  { alone, recovered, isReady, wrong }: Striker,
  kind: 'start' | 'server' | 'worker',
  weight: number,
): Strike {
  const survives = `${kind === 'server' ? 'every promise' : 'its jobs, ended or handed back'}; exit code 0`
  return newStrike({ name: `SIGTERM ${kind}`, survives, weight }, (self, random, patienceMs) =>
    alone(kind, random, patienceMs, async (resident) => {
      self.times++
      const code = await resident.stop()
      if (code !== 0) wrong.push(`${resident.name} ended with ${code} after SIGTERM`)
      const started = resident.start()
      if (kind === 'worker') await started
      else await Promise.all([started, recovered(self, () => isReady(resident))])
    }),
  )
}

const IN_JOB_SHARE = 0.7
const JOB_WITHIN_MS = 2000

/** Waits for the moment to hit a worker: mostly while it works, some time after it began. */
async function jobToHit({ atWork }: Cluster, worker: Resident, random: Random): Promise<string[]> {
  const [isInJob, deadline, intoMs] = [
    random.uniform() < IN_JOB_SHARE,
    Date.now() + JOB_WITHIN_MS,
    random.uniform() * 150,
  ]
  if (isInJob) {
    while (Date.now() < deadline && (await atWork.of(worker.pid())).length === 0) await pause(10)
    await pause(intoMs)
  }
  return atWork.of(worker.pid())
}

/** Returns whether other workers have taken the work, or it is over. */
async function areWorkedOn({ atWork, residents }: Cluster, attempts: string[], notBy: number | null = null) {
  const pids = residents.map((each) => each.pid()).filter((pid) => pid !== null && pid !== notBy) as number[]
  return atWork.isTakenUp(attempts, pids)
}
