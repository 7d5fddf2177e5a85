import { shareReads } from '../files/coalesce.ts'
import { forEach } from '../files/side-by-side.ts'
import { isJobId } from '../jobs/job-paths.ts'
import type { Found } from '../jobs/read-job.ts'
import { type IdsByToken, put } from '../jobs/unfinished-jobs.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { JOBS_ROOT } from './versions.ts'

/**
 * The index of a store's jobs, in the memory of each process. The truth is the jobs' own objects; `changes/jobs/<ms>.<job id>` are empty
 * objects that tell each process which jobs to read again, made after each change. Without any of them, all is found at the next full
 * look, which each process takes at its start, and then now and then.
 */
export type JobIndex = {
  /** Notes that a job has changed; awaited before anybody is told of the change. */
  changed: (id: string) => Promise<void>
  /** Returns every job, as after all changes that were noted before the call. */
  entries: () => Promise<ReadonlyMap<string, IndexedJob>>
  /** Lists jobs in which something may be left behind: open ones, those that changed lately, now and then all. */
  untidy: () => Promise<string[]>
  /** Deletes notes of changes that everybody has seen. For the one who sweeps. */
  forget: () => Promise<void>
}

/** A job as it was read; `askedBy` are the ids of tokens, of an open one alone. */
export type IndexedJob = Found & { askedBy: string[] }
type Entry = IndexedJob & { readMs: number }

const LOG = 'changes/jobs/'
/** Clocks of machines may differ by so much, and a list may come so late. */
const SLACK_MS = 60_000
const FORGET_MS = 10 * SLACK_MS
const ALL_EVERY_MS = 600_000
const TIDY_ALL_EVERY_MS = 3_600_000
/** What has changed may leave things behind for so long. */
const UNTIDY_MS = 240_000
const AT_ONCE = 16

/** @param read reads a job as it lies, and who asked for it while it is open */
export function openJobIndex(store: ObjectStore, read: (id: string) => Promise<IndexedJob>): JobIndex {
  const entries = new Map<string, Entry>()
  const dirty = new Set<string>()
  /** Ids under which there are objects and no plan. */
  let planless: string[] = []
  let seen = new Set<string>()
  let listedMs = Number.NEGATIVE_INFINITY
  let tidiedMs = Number.NEGATIVE_INFINITY
  /** When the log was last read to its end. */
  let readMs = Number.POSITIVE_INFINITY

  async function listAll(): Promise<void> {
    const attempts = new Map<string, number>()
    for await (const { key } of store.list(`${JOBS_ROOT}/`)) {
      const [, id, name] = key.split('/')
      if (!isJobId(id)) continue
      const attempt = name.endsWith('.plan.json') ? Number.parseInt(name, 10) : 0
      attempts.set(id, Math.max(attempt, attempts.get(id) ?? 0))
    }
    planless = [...attempts].filter(([, attempt]) => attempt === 0).map(([id]) => id)
    for (const [id, attempt] of attempts) {
      const job = entries.get(id)?.job
      if (attempt > 0 && (!job || job.end === null || job.attempt !== attempt)) dirty.add(id)
    }
    for (const id of entries.keys()) if (!attempts.has(id)) dirty.add(id)
  }

  async function readLog(sinceMs: number): Promise<void> {
    const since = `${LOG}${stamp(sinceMs)}`
    for await (const { key } of store.list(LOG, since)) {
      if (seen.has(key)) continue
      seen.add(key)
      dirty.add(key.slice(LOG.length + 14))
    }
    seen = new Set([...seen].filter((key) => key >= since))
  }

  async function readDirty(): Promise<void> {
    await forEach([...dirty].filter(isJobId), AT_ONCE, async (id) => {
      // What changes while it is read is read again.
      dirty.delete(id)
      try {
        const found = await read(id)
        if (found.job === null && found.damage === null) entries.delete(id)
        else entries.set(id, { ...found, readMs: Date.now() })
      } catch (error) {
        dirty.add(id)
        throw error
      }
    })
  }

  const refresh = shareReads(async () => {
    const nowMs = Date.now()
    if (nowMs - listedMs > ALL_EVERY_MS) {
      await listAll()
      listedMs = nowMs
    }
    await readLog(Math.min(readMs, nowMs) - SLACK_MS)
    readMs = nowMs
    await readDirty()
    return entries
  })

  return {
    changed: async (id) => {
      dirty.add(id)
      await store.put(`${LOG}${stamp(Date.now())}.${id}`, '')
    },
    entries: () => refresh(''),
    untidy: async () => {
      const nowMs = Date.now()
      const isAll = nowMs - tidiedMs > TIDY_ALL_EVERY_MS
      const all = await refresh('')
      if (isAll) tidiedMs = nowMs
      const isUntidy = ({ job, readMs }: Entry) => isAll || job?.end === null || nowMs - readMs < UNTIDY_MS
      return [...[...all].filter(([, entry]) => isUntidy(entry)).map(([id]) => id), ...planless]
    },
    forget: async () => {
      const before = `${LOG}${stamp(Date.now() - FORGET_MS)}`
      for await (const { key } of store.list(LOG)) {
        if (key >= before) return
        await store.delete(key)
      }
    },
  }
}

function stamp(ms: number): string {
  return String(ms).padStart(13, '0')
}

/** Returns the open jobs of each token. */
export function openByToken(entries: ReadonlyMap<string, IndexedJob>): IdsByToken {
  const ids: IdsByToken = new Map()
  for (const [id, { askedBy }] of entries) for (const tokenId of askedBy) put(ids, id, tokenId)
  return ids
}
