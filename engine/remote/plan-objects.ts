import { LRUCache } from 'lru-cache'
import { isJobId } from '../jobs/record/job-paths.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'
import { JOBS_ROOT } from './versions.ts'

/**
 * The plans of jobs in a store. `plan.json` of a job is that of `<attempt>.plan.json` with the highest number, each
 * created once: so a plan never goes back, whichever write comes late.
 */
type PlanObjects = {
  /** Reads the newest plan of a job; null when there is none. */
  read: (id: string) => Promise<string | null>
  newestAttempt: (id: string) => Promise<number | null>
  /** When the newest plan was made, in ms since the epoch. */
  changedAt: (id: string) => Promise<number | null>
  /** Makes the plan of an attempt unless there is one, and says whether it did. */
  create: (id: string, text: string) => Promise<boolean>
  /** Makes the plan of an attempt the newest; a newer one is taken back. */
  replace: (id: string, text: string) => Promise<void>
  remove: (id: string) => Promise<void>
  /** Forgets which was the newest: the job was removed. */
  forget: (id: string) => void
}

const HINTS_MAX = 100_000

export function openPlans(store: ObjectStore): PlanObjects {
  /** The number of the newest plan of a job, as it was seen last. */
  // By size, so that it grows as it is filled: with `max` it would take its memory at once.
  const hints = new LRUCache<string, number>({ maxSize: HINTS_MAX, sizeCalculation: () => 1 })
  const read = async (id: string, attempt: number) =>
    (await readObject(store, planKey(id, attempt)))?.toString() ?? null

  async function newest(id: string): Promise<{ attempt: number; text: string } | null> {
    if (!isJobId(id)) return null
    let attempt = hints.get(id) ?? Math.max(0, ...(await attemptsOf(store, id)))
    let [text, next] = await Promise.all([attempt === 0 ? null : read(id, attempt), read(id, attempt + 1)])
    for (; next !== null; next = await read(id, attempt + 1)) {
      text = next
      attempt++
    }
    // It was taken back, or the job removed, since it was seen or listed.
    while (text === null && --attempt > 0) text = await read(id, attempt)
    if (text === null) {
      hints.delete(id)
      return null
    }
    hints.set(id, attempt)
    return { attempt, text }
  }

  return {
    read: async (id) => (await newest(id))?.text ?? null,
    newestAttempt: async (id) => (await newest(id))?.attempt ?? null,
    changedAt: async (id) => {
      const plan = await newest(id)
      return plan && ((await store.head(planKey(id, plan.attempt)))?.changedMs ?? null)
    },
    create: (id, text) => store.putIfAbsent(planKey(id, attemptIn(text)), text),
    replace: async (id, text) => {
      const before = await newest(id)
      const attempt = attemptIn(text)
      if (before !== null && before.attempt > attempt) await store.delete(planKey(id, before.attempt))
      else await store.putIfAbsent(planKey(id, attempt), text)
      hints.set(id, attempt)
    },
    remove: async (id) => {
      for (const attempt of await attemptsOf(store, id)) await store.delete(planKey(id, attempt))
    },
    forget: (id) => hints.delete(id),
  }
}

/** Lists what lies directly under a directory of a store. */
export async function namesUnder(store: ObjectStore, directory: string): Promise<string[]> {
  const names = new Set<string>()
  for await (const { key } of store.list(`${directory}/`)) names.add(key.slice(directory.length + 1).split('/')[0])
  return [...names]
}

async function attemptsOf(store: ObjectStore, id: string): Promise<number[]> {
  const names = await namesUnder(store, `${JOBS_ROOT}/${id}`)
  return names.map((name) => Number(/^(\d{1,9})\.plan\.json$/.exec(name)?.[1] ?? 0)).filter((attempt) => attempt > 0)
}

function planKey(id: string, attempt: number): string {
  return `${JOBS_ROOT}/${id}/${attempt}.plan.json`
}

function attemptIn(planText: string): number {
  return (JSON.parse(planText) as { attempt: number }).attempt
}
