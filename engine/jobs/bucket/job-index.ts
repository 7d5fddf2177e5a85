import { singleFlight } from '../../storage/concurrency/coalesce.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import { FILE_NAME, isJobId, JOBS } from '../record/job-paths.ts'
import { type IdsByToken, put } from '../unfinished-jobs.ts'
import { type IndexedJob, newestListMs, readJobList, stamped, writeJobList } from './job-list.ts'

/**
 * Index of a bucket's jobs in the memory of each process. The truth is the jobs' own objects. After each change of a
 * job, a process creates an empty object `changes/jobs/<ms>.<job id>`, which tells the others to read that job again. A
 * starting process loads the list that the sweeper writes now and then (job-list.ts) and reads the changes since.
 * Change objects stay until the last list but one covers them, so that a process that loads that list misses none.
 * Without a list, a process reads every job. Every ten minutes it lists all names, and so finds anything that was lost.
 */
export type JobIndex = {
  /** Records that a job has changed. Await it before anybody is told of the change. */
  changed: (id: string) => Promise<void>
  /** Returns all jobs, with every change that was recorded before the call. */
  entries: () => Promise<ReadonlyMap<string, IndexedJob>>
  /**
   * Lists jobs that may have leftovers: open ones, recently changed ones, and those with other objects than an ended
   * job needs.
   */
  untidy: () => Promise<string[]>
  /**
   * Writes the list of all jobs if it is due, and deletes the change objects that every process has seen. Only the
   * sweeper calls it.
   */
  condense: () => Promise<void>
}

const LOG = 'changes/jobs/'
/** Maximum clock skew between machines, and maximum lateness of a list. */
const SLACK_MS = 60_000
const FORGET_MS = 10 * SLACK_MS
/** Time since the last refresh after which a process may have missed changes. */
const STALE_MS = FORGET_MS - 2 * SLACK_MS
const ALL_EVERY_MS = 600_000
const CONDENSE_EVERY_MS = 300_000
/** Time after a change of a job during which objects may be left behind. */
const UNTIDY_MS = 240_000
const AT_ONCE = 16

/** `clockMs` returns the time of day, in ms since the epoch, which is compared with that of other machines. */
type State = ReturnType<typeof openEntries> & {
  store: ObjectStore
  clockMs: () => number
  notes: ReturnType<typeof openNotes>
  /** Ids with other objects than an ended job needs, as of the last full list. */
  unusual: string[]
  /** Time at which a change of each job was last seen. */
  lately: Map<string, number>
  listedMs: number
  /** Time of the last refresh: the entries include all changes before it. */
  asOfMs: number
  condensedMs: number
}

const NEVER_MS = Number.NEGATIVE_INFINITY

/**
 * @param read reads a job as it lies, and who asked for it while it is open
 * @param clockMs returns the time of day, in ms since the epoch
 */
export function openJobIndex(
  store: ObjectStore,
  read: (id: string) => Promise<IndexedJob>,
  clockMs: () => number,
): JobIndex {
  const never = { listedMs: NEVER_MS, asOfMs: NEVER_MS, condensedMs: NEVER_MS }
  const notes = openNotes(store, clockMs)
  const state: State = { ...openEntries(read), store, clockMs, notes, unusual: [], lately: new Map(), ...never }
  const refreshOnce = singleFlight(() => refresh(state))
  const entries = () => refreshOnce('')
  return {
    changed: (id) => {
      state.dirty.add(id)
      return notes.write(id)
    },
    entries,
    untidy: async () => untidyIds(state, await entries()),
    condense: () => condense(state, entries),
  }
}

async function refresh(state: State): Promise<State['entries']> {
  const nowMs = state.clockMs()
  const isNew = state.asOfMs === NEVER_MS
  const isStale = nowMs - state.asOfMs > STALE_MS
  const isBegun = isStale && (await begin(state))
  if (isNew && isBegun) state.listedMs = nowMs
  else if ((isStale && !isBegun) || nowMs - state.listedMs > ALL_EVERY_MS) {
    await listAll(state)
    state.listedMs = nowMs
  }
  await readNotes(state, (isStale ? nowMs : state.asOfMs) - SLACK_MS)
  await state.readDirty()
  state.asOfMs = nowMs
  return state.entries
}

/** Loads the newest list and the changes since then. @returns whether there is one */
async function begin(state: State): Promise<boolean> {
  const { store, clockMs, entries, notes } = state
  const list = await readJobList(store, clockMs())
  if (list === null) return false
  entries.clear()
  for (const [id, job] of list.jobs) entries.set(id, job)
  notes.forgetSeen()
  await readNotes(state, list.atMs - SLACK_MS)
  return true
}

async function readNotes({ notes, dirty, lately, clockMs }: State, sinceMs: number): Promise<void> {
  for await (const id of notes.unseen(sinceMs)) {
    dirty.add(id)
    lately.set(id, clockMs())
  }
}

async function listAll(state: State): Promise<void> {
  const { store, entries, dirty } = state
  const names = await namesByJob(store)
  state.unusual = []
  for (const [id, ofJob] of names) {
    const attempt = Math.max(0, ...ofJob.map((name) => (name.endsWith('.plan.json') ? Number.parseInt(name, 10) : 0)))
    const job = entries.get(id)?.job
    if (attempt > 0 && (!job || job.end === null || job.attempt !== attempt)) dirty.add(id)
    const isUnusual = !ofJob.includes(`${attempt}.plan.json`) || ofJob.some((name) => !isNeeded(name, attempt))
    if (isUnusual) state.unusual.push(id)
  }
  for (const id of entries.keys()) if (!names.has(id)) dirty.add(id)
}

function untidyIds(state: State, all: State['entries']): string[] {
  const { lately, unusual, clockMs } = state
  const nowMs = clockMs()
  for (const [id, changedMs] of lately) if (nowMs - changedMs > UNTIDY_MS) lately.delete(id)
  const open = [...all].filter(([, { job }]) => job?.end === null).map(([id]) => id)
  state.unusual = []
  return [...new Set([...open, ...lately.keys(), ...unusual])]
}

async function condense(state: State, entries: () => Promise<State['entries']>): Promise<void> {
  const { store, clockMs, notes } = state
  if (clockMs() - state.condensedMs < CONDENSE_EVERY_MS) return
  // Whoever had the turn before may have done it.
  const lastMs = (await newestListMs(store, clockMs())) ?? NEVER_MS
  state.condensedMs = Math.max(state.condensedMs, lastMs)
  if (clockMs() - state.condensedMs < CONDENSE_EVERY_MS) return
  const all = await entries()
  state.condensedMs = state.asOfMs
  await writeJobList(store, { atMs: state.condensedMs, lastMs }, all)
  if (lastMs === NEVER_MS) return
  await notes.deleteBefore(Math.min(lastMs - SLACK_MS, clockMs() - FORGET_MS))
}

/** Opens the cached jobs; `readDirty` reads the `dirty` ones again. */
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

/** Opens the change objects, each of which a process reads once. */
function openNotes(store: ObjectStore, clockMs: () => number) {
  let seen = new Set<string>()
  return {
    forgetSeen: () => {
      seen = new Set()
    },
    write: async (id: string): Promise<void> => {
      // A note that comes late, since this process stood still, is not looked for any more: then it is made once more.
      for (let atMs = Number.NEGATIVE_INFINITY; clockMs() - atMs > SLACK_MS / 2; ) {
        atMs = clockMs()
        await store.put(`${LOG}${stamped(atMs)}.${id}`, '')
      }
    },
    /** Yields the ids of jobs that have changed since a time, unless that was yielded before. */
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

/** Returns the names of the objects of each job, without the prefix, by job id. */
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
