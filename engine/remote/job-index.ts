import { singleFlight } from '../concurrency/coalesce.ts'
import { forEach } from '../concurrency/side-by-side.ts'
import { FILE_NAME, isJobId, JOBS } from '../jobs/record/job-paths.ts'
import { type IdsByToken, put } from '../jobs/unfinished-jobs.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { type IndexedJob, newestListMs, readJobList, stamped, writeJobList } from './job-list.ts'

/**
 * The index of a store's jobs, in the memory of each process. The truth is the jobs' own objects;
 * `changes/jobs/<ms>.<job id>` are empty objects that tell each process which jobs to read again, made after each
 * change. A process begins with the list that whoever sweeps writes now and then (job-list.ts), and what has changed
 * since: such notes stay until the list before the newest has what they tell, so that whoever reads one while the next
 * is written misses nothing. Without a list, a process reads every job. Now and then it looks at all names, and so
 * finds whatever was lost.
 */
export type JobIndex = {
  /** Notes that a job has changed; awaited before anybody is told of the change. */
  changed: (id: string) => Promise<void>
  /** Returns every job, as after all changes that were noted before the call. */
  entries: () => Promise<ReadonlyMap<string, IndexedJob>>
  /**
   * Lists jobs in which something may be left behind: open ones, those that changed lately, those that have more than
   * an ended job needs.
   */
  untidy: () => Promise<string[]>
  /**
   * Writes the list of all jobs if it is time to, and deletes notes of changes that it has and everybody has seen. For
   * the one who sweeps.
   */
  condense: () => Promise<void>
}

const LOG = 'changes/jobs/'
/** Clocks of machines may differ by so much, and a list may come so late. */
const SLACK_MS = 60_000
const FORGET_MS = 10 * SLACK_MS
/** Time since the last look after which a process may have missed notes. */
const STALE_MS = FORGET_MS - 2 * SLACK_MS
const ALL_EVERY_MS = 600_000
const CONDENSE_EVERY_MS = 300_000
/** Time after a change of a job during which objects may be left behind. */
const UNTIDY_MS = 240_000
const AT_ONCE = 16

/** @param read reads a job as it lies, and who asked for it while it is open */
export function openJobIndex(store: ObjectStore, read: (id: string) => Promise<IndexedJob>): JobIndex {
  const { entries, dirty, readDirty } = openEntries(read)
  const notes = openNotes(store)
  /** Ids under which there was more, or less, than an ended job needs when all names were looked at last. */
  let unusual: string[] = []
  /** When a change of a job was last seen in the notes. */
  const lately = new Map<string, number>()
  let listedMs = Number.NEGATIVE_INFINITY
  /** Time up to which the entries have all changes. */
  let asOfMs = Number.NEGATIVE_INFINITY
  let condensedMs = Number.NEGATIVE_INFINITY

  /** Begins with the list that there is, and what was noted since. @returns whether there is one */
  async function begin(): Promise<boolean> {
    const list = await readJobList(store)
    if (list === null) return false
    entries.clear()
    for (const [id, job] of list.jobs) entries.set(id, job)
    notes.forgetSeen()
    await readNotes(list.atMs - SLACK_MS)
    return true
  }

  async function readNotes(sinceMs: number): Promise<void> {
    for await (const id of notes.unseen(sinceMs)) {
      dirty.add(id)
      lately.set(id, Date.now())
    }
  }

  async function listAll(): Promise<void> {
    const names = await namesByJob(store)
    unusual = []
    for (const [id, ofJob] of names) {
      const attempt = Math.max(0, ...ofJob.map((name) => (name.endsWith('.plan.json') ? Number.parseInt(name, 10) : 0)))
      const job = entries.get(id)?.job
      if (attempt > 0 && (!job || job.end === null || job.attempt !== attempt)) dirty.add(id)
      if (!ofJob.includes(`${attempt}.plan.json`) || ofJob.some((name) => !isNeeded(name, attempt))) unusual.push(id)
    }
    for (const id of entries.keys()) if (!names.has(id)) dirty.add(id)
  }

  const refresh = singleFlight(async () => {
    const nowMs = Date.now()
    const isNew = asOfMs === Number.NEGATIVE_INFINITY
    const isStale = nowMs - asOfMs > STALE_MS
    const isBegun = isStale && (await begin())
    if (isNew && isBegun) listedMs = nowMs
    else if ((isStale && !isBegun) || nowMs - listedMs > ALL_EVERY_MS) {
      await listAll()
      listedMs = nowMs
    }
    await readNotes((isStale ? nowMs : asOfMs) - SLACK_MS)
    await readDirty()
    asOfMs = nowMs
    return entries
  })

  return {
    changed: (id) => {
      dirty.add(id)
      return notes.write(id)
    },
    entries: () => refresh(''),
    untidy: async () => {
      const nowMs = Date.now()
      const all = await refresh('')
      for (const [id, changedMs] of lately) if (nowMs - changedMs > UNTIDY_MS) lately.delete(id)
      const open = [...all].filter(([, { job }]) => job?.end === null).map(([id]) => id)
      const ids = new Set([...open, ...lately.keys(), ...unusual])
      unusual = []
      return [...ids]
    },
    condense: async () => {
      if (Date.now() - condensedMs < CONDENSE_EVERY_MS) return
      // Whoever had the turn before may have done it.
      const lastMs = (await newestListMs(store)) ?? Number.NEGATIVE_INFINITY
      condensedMs = Math.max(condensedMs, lastMs)
      if (Date.now() - condensedMs < CONDENSE_EVERY_MS) return
      await refresh('')
      condensedMs = asOfMs
      await writeJobList(store, { atMs: condensedMs, lastMs }, entries)
      if (lastMs === Number.NEGATIVE_INFINITY) return
      await notes.deleteBefore(Math.min(lastMs - SLACK_MS, Date.now() - FORGET_MS))
    },
  }
}

/** Opens the jobs as they were read last; those that are `dirty` are read again by `readDirty`. */
function openEntries(read: (id: string) => Promise<IndexedJob>) {
  const entries = new Map<string, IndexedJob>()
  const dirty = new Set<string>()
  async function readDirty(): Promise<void> {
    await forEach([...dirty].filter(isJobId), AT_ONCE, async (id) => {
      // A job that changes while it is read is read again.
      dirty.delete(id)
      try {
        const found = await read(id)
        if (found.job === null && found.damage === null) entries.delete(id)
        else entries.set(id, found)
      } catch (error) {
        dirty.add(id)
        throw error
      }
    })
  }
  return { entries, dirty, readDirty }
}

/** Opens the notes of changes, of which a process sees each once. */
function openNotes(store: ObjectStore) {
  let seen = new Set<string>()
  return {
    forgetSeen: () => {
      seen = new Set()
    },
    write: async (id: string): Promise<void> => {
      // A note that comes late, since this process stood still, is not looked for any more: then it is made once more.
      for (let atMs = Number.NEGATIVE_INFINITY; Date.now() - atMs > SLACK_MS / 2; ) {
        atMs = Date.now()
        await store.put(`${LOG}${stamped(atMs)}.${id}`, '')
      }
    },
    /** Gives the ids of jobs that have changed since, where that was not seen before. */
    unseen: async function* (sinceMs: number): AsyncGenerator<string> {
      const since = `${LOG}${stamped(sinceMs)}`
      for await (const { key } of store.list(LOG, since)) {
        if (seen.has(key)) continue
        seen.add(key)
        yield key.slice(LOG.length + 14)
      }
      seen = new Set([...seen].filter((key) => key >= since))
    },
    deleteBefore: async (ms: number): Promise<void> => {
      const before = `${LOG}${stamped(ms)}`
      for await (const { key } of store.list(LOG)) {
        if (key >= before) return
        await store.delete(key)
      }
    },
  }
}

/** Returns the names of all objects of jobs behind their ids, by job. */
async function namesByJob(store: ObjectStore): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>()
  for await (const { key } of store.list(`${JOBS}/`)) {
    const [, id, ...name] = key.split('/')
    if (isJobId(id)) names.set(id, [...(names.get(id) ?? []), name.join('/')])
  }
  return names
}

/** Returns true if an ended job still has this object. @param name the part of the key after the job's id */
function isNeeded(name: string, attempt: number): boolean {
  if (name.startsWith('by/')) return name.endsWith(`.${attempt}`)
  if (name.endsWith('.plan.json')) return true
  return name === `${attempt}.end.json` || (Number.parseInt(name, 10) === attempt && FILE_NAME.test(name))
}

/** Returns the open jobs of each token. */
export function openByToken(entries: ReadonlyMap<string, IndexedJob>): IdsByToken {
  const ids: IdsByToken = new Map()
  for (const [id, { askedBy }] of entries) for (const tokenId of askedBy) put(ids, id, tokenId)
  return ids
}
