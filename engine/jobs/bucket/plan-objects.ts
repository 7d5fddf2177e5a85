import { basename } from 'node:path'
import { LRUCache } from 'lru-cache'
import { unseal } from '../../storage/files/sealed-json.ts'
import type { Storage } from '../../storage/storage.ts'
import { isJobId, JOBS, jobPath } from '../record/job-paths.ts'

/**
 * Plans of jobs in a bucket. `plan.json` of a job is the `<attempt>.plan.json` with the highest number. Each is created
 * once, so a plan never goes back, whichever write comes late.
 */
type NumberedPlans = {
  /** The same storage, with the newest plan of each job as its `plan.json`. */
  storage: Storage
  newestAttempt: (id: string) => Promise<number | null>
  /** Forgets the newest attempt of a job that was removed. */
  forget: (id: string) => void
}

const HINTS_MAX = 100_000

export function numberPlans(storage: Storage): NumberedPlans {
  /** Number of the newest plan of each job, as last seen. */
  // By size, so that it grows as it is filled: with `max` it would take its memory at once.
  const hints = new LRUCache<string, number>({ maxSize: HINTS_MAX, sizeCalculation: () => 1 })
  const newest = (id: string) => newestPlan(storage, hints, id)
  const newestAttempt = async (id: string) => (await newest(id))?.attempt ?? null
  return {
    newestAttempt,
    forget: (id) => hints.delete(id),
    storage: {
      ...storage,
      changedAt: async (name) => {
        const id = planOf(name)
        if (id === null) return storage.changedAt(name)
        const attempt = await newestAttempt(id)
        return attempt && storage.changedAt(numberedPath(id, attempt))
      },
      readSealed: async (name, subject, isFormer) => {
        const id = planOf(name)
        if (id === null) return storage.readSealed(name, subject, isFormer)
        const plan = await newest(id)
        return plan && unseal(plan.text, basename(name), subject, isFormer)
      },
      create: (name, text) => {
        const id = planOf(name)
        return storage.create(id === null ? name : numberedPath(id, attemptIn(text)), text)
      },
      replace: async (name, text) => {
        const id = planOf(name)
        if (id === null) return storage.replace(name, text)
        const before = await newest(id)
        const attempt = attemptIn(text)
        // A newer plan is taken back.
        if (before !== null && before.attempt > attempt) await storage.remove(numberedPath(id, before.attempt))
        else await storage.create(numberedPath(id, attempt), text)
        hints.set(id, attempt)
      },
      remove: async (name) => {
        const id = planOf(name)
        if (id === null) return storage.remove(name)
        for (const attempt of await attemptsOf(storage, id)) await storage.remove(numberedPath(id, attempt))
      },
    },
  }
}

/** Returns the job whose `plan.json` a name is; null for any other name. */
function planOf(name: string): string | null {
  const [root, id, file, ...more] = name.split('/')
  return root === JOBS && file === 'plan.json' && more.length === 0 ? id : null
}

function numberedPath(id: string, attempt: number): string {
  return jobPath(id, `${attempt}.plan.json`)
}

function attemptIn(planText: string): number {
  return (JSON.parse(planText) as { attempt: number }).attempt
}

async function attemptsOf(storage: Storage, id: string): Promise<number[]> {
  const names = await storage.names(jobPath(id))
  return names.flatMap((name) => Number(/^(\d{1,9})\.plan\.json$/.exec(name)?.[1] ?? []))
}

/** Returns the newest plan of a job, and its number; begins at the one that was last seen, or lists all. */
async function newestPlan(
  storage: Storage,
  hints: LRUCache<string, number>,
  id: string,
): Promise<{ attempt: number; text: string } | null> {
  if (!isJobId(id)) return null
  const read = (attempt: number) => storage.readText(numberedPath(id, attempt))
  let attempt = hints.get(id) ?? Math.max(0, ...(await attemptsOf(storage, id)))
  let [text, next] = await Promise.all([attempt === 0 ? null : read(attempt), read(attempt + 1)])
  for (; next !== null; next = await read(attempt + 1)) {
    text = next
    attempt++
  }
  // It was taken back, or the job removed, since it was seen or listed.
  while (text === null && --attempt > 0) text = await read(attempt)
  if (text === null) {
    hints.delete(id)
    return null
  }
  hints.set(id, attempt)
  return { attempt, text }
}
