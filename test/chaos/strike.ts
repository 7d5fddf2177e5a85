import type { Random } from '../../demo/random.ts'
import { type Cluster, PATIENCE_MS, pause } from './cluster.ts'
import { answers, type Resident } from './resident.ts'

/** One kind of harm. The counts are for the report. A recovery is from the harm's end until all is as
 * before; after a worker was hit, from then on until its job is worked on by another, or has ended. */
export type Strike = {
  name: string
  /** State that must survive it; violations go to `wrong`. */
  survives: string
  kills: number
  weight: number
  times: number
  /** Number of hits in the middle of a job. */
  timesInJob: number
  recoveriesMs: number[]
  /** Number of hits of each kind of file. */
  kinds: Record<string, number>
  /**
   * Does harm, and what must be done by somebody: starting a process again. Nothing, if nobody is there to be struck so
   * long.
   */
  act: (random: Random, patienceMs: number) => Promise<void>
}

/** State that strikes on one cluster share. */
export type Striker = {
  cluster: Cluster
  wrong: string[]
  /** Does harm to a resident of a kind to whom none is done; nothing, if there is none for so long. */
  alone: (
    kind: Resident['kind'],
    random: Random,
    patienceMs: number,
    act: (resident: Resident) => Promise<void>,
  ) => Promise<void>
  /** Waits until all is well, and notes how long that took. */
  recovered: (into: Strike, isWell: () => Promise<boolean>) => Promise<void>
  /** Returns whether a resident works again, if it is a server; otherwise whether all servers do. */
  isReady: (resident?: Resident) => Promise<boolean>
}

/** Mean time between two strikes on a resident. */
const UP_MS = { start: 7000, server: 2500, worker: 2500, redis: 1200, postgres: 2500, s3: 2500 }

export function openStriker(cluster: Cluster, wrong: string[]): Striker {
  const busy = new Set<Resident>()
  const isServing = async (url: string) =>
    (await answers(`${url}/readyz`)) &&
    // What shows whether it reads its store again.
    (cluster.bucket === null || (await answers(`${url}/api2/jobs?limit=1`, { 'x-auth-token': cluster.tokens[0] })))
  const urls = cluster.residents.map(({ url }) => url).filter((url) => url !== null)
  return {
    cluster,
    wrong,
    alone: async (kind, random, patienceMs, act) => {
      const unharmed = () =>
        cluster.residents.filter((each) => each.kind === kind && !busy.has(each) && each.pid() !== null)
      const deadline = Date.now() + patienceMs
      while (unharmed().length === 0 && Date.now() < deadline) await pause(50)
      const free = unharmed()
      const chosen = free[Math.floor(random.uniform() * free.length)]
      if (chosen === undefined) return
      busy.add(chosen)
      try {
        await act(chosen)
        // Whoever is killed as soon as it is up never does anything.
        await pause(-Math.log(1 - random.uniform()) * UP_MS[kind])
      } finally {
        busy.delete(chosen)
      }
    },
    recovered: async (into, isWell) => {
      const startedMs = performance.now()
      while (!(await isWell())) {
        if (performance.now() - startedMs > PATIENCE_MS) {
          wrong.push(`not recovered ${PATIENCE_MS / 1000} s after ${into.name}`)
          return
        }
        await pause(50)
      }
      into.recoveriesMs.push(performance.now() - startedMs)
    },
    isReady: async (resident) =>
      (await Promise.all((resident?.url ? [resident.url] : urls).map(isServing))).every(Boolean),
  }
}

/**
 * @param kills how many processes each such strike kills
 *
 * @param weight how often it comes, as others do; up to 2 is rare
 */
export function newStrike(
  { name, survives, weight, kills = 0 }: { name: string; survives: string; weight: number; kills?: number },
  act: (self: Strike, random: Random, patienceMs: number) => Promise<void>,
): Strike {
  const self: Strike = {
    name,
    survives,
    kills,
    weight,
    times: 0,
    timesInJob: 0,
    recoveriesMs: [],
    kinds: {},
    act: (random, patienceMs) => act(self, random, patienceMs),
  }
  return self
}
