import { setTimeout as sleep } from 'node:timers/promises'
import { snapshotsOfOpen } from '../jobs/list-jobs.ts'
import type { Jobs } from '../jobs/open-jobs.ts'
import { ServiceError } from '../model/errors.ts'
import type { Manifest } from '../model/study.ts'
import { isCode } from '../model/system-errors.ts'
import { openThrottle, stopwatch, type Throttle } from '../storage/concurrency/intervals.ts'
import type { Arrival } from '../study/arrival.ts'
import { type Change, changeStudy, type Present } from '../study/change-study.ts'
import { type ArrivedGroup, arrivals, writeGroup } from '../study/changes/arrivals.ts'
import { type HistoryEntry, newHistory, readHistory } from '../study/history.ts'
import { follow, type LiveTables, openLiveTables } from '../study/live-tables.ts'
import { directoryPlace, type StudyPlace } from '../study/place.ts'
import { sweepLocked } from '../study/sweep-snapshots.ts'
import { admit, type Sender, sentBefore, writeOf } from './admit.ts'
import { type LiveThread, openLiveThread } from './live-thread.ts'

/** Adds participants to studies while others read them. */
export type LiveStudies = LiveThread & {
  /**
   * Adds a participant to a study. When it returns, the participant is on disk and in the study's current snapshot,
   * which concurrent participants share (group commit).
   *
   * @returns the entry of the study's history; `isNew` is false for a repeated request
   * @throws ServiceError not_found, conflict, invalid_bundle, overloaded if too many wait, busy if an import takes
   *   long, disk_full
   */
  add: (studyId: string, arrival: Arrival, sender: Sender) => Promise<{ entry: HistoryEntry; isNew: boolean }>
}

/** Largest numbers of participants and samples that are published at once, and that may wait. */
const GROUP_MAX = 500
const GROUP_SAMPLES_MAX = 4_000_000
const WAITING_MAX = 2000
const WAITING_SAMPLES_MAX = 32_000_000
/** Pause between two groups, so that others can change the study. */
const PAUSE_MS = 10
const LOCK_WAIT_MS = 20_000
const IDLE_MS = 30_000
const SWEEP_EVERY_MS = 2000

type Waiting = {
  arrival: Arrival
  sender: Sender
  waitedMs: () => number
  resolve: (added: { entry: HistoryEntry; isNew: boolean }) => void
  reject: (error: unknown) => void
}
type Growing = {
  waiting: Waiting[]
  working: Promise<void> | null
  tables: LiveTables | null
  history: ReturnType<typeof newHistory>
  byKey: Map<string, HistoryEntry>
  seen: number
  sweeps: Throttle
  idle: NodeJS.Timeout | null
}

/** Functions that read and write the tables of a growing study. */
export type LiveTableFunctions = { open: typeof openLiveTables; follow: typeof follow; write: typeof writeGroup }
const TABLES: LiveTableFunctions = { open: openLiveTables, follow, write: writeGroup }

type LiveOpening = {
  dataDir: string
  /** Store of its studies; if absent, the data directory. */
  place?: StudyPlace
  jobs: Jobs
  /** Memory limit of the tables of one study. */
  memoryMib: number
  /** DuckDB by default. */
  tables?: LiveTableFunctions
}

/** Opens the studies of a data directory for adding participants. */
export function openLiveStudies(opening: LiveOpening): LiveStudies {
  const growing = new Map<string, Growing>()
  let waitingSamples = 0
  const thread = openLiveThread()

  function add(studyId: string, arrival: Arrival, sender: Sender): ReturnType<LiveStudies['add']> {
    const id = studyId.toLowerCase()
    const study = growing.get(id) ?? newGrowing()
    growing.set(id, study)
    if (study.waiting.length >= WAITING_MAX || waitingSamples > WAITING_SAMPLES_MAX)
      throw new ServiceError('overloaded', 'too many participants are waiting to be added')
    waitingSamples += arrival.sampleCount
    const added = new Promise<{ entry: HistoryEntry; isNew: boolean }>((resolve, reject) =>
      study.waiting.push({ arrival, sender, waitedMs: stopwatch(), resolve, reject }),
    )
    study.working ??= addWaiting(opening, id, study).finally(() => {
      study.working = null
      study.idle = setTimeout(() => forget(id, study), IDLE_MS).unref()
    })
    return added.finally(() => {
      waitingSamples -= arrival.sampleCount
    })
  }

  function forget(id: string, study: Growing): void {
    if (study.working !== null) return
    dropTables(study)
    growing.delete(id)
  }

  return {
    ...thread,
    add,
    close: async () => {
      await thread.close()
      for (const [id, study] of growing) {
        await study.working
        if (study.idle) clearTimeout(study.idle)
        forget(id, study)
      }
    },
  }
}

/** Adds the participants who wait for a study, group by group, until none is left. */
async function addWaiting(
  { dataDir, place = directoryPlace(dataDir), jobs, memoryMib, tables = TABLES }: LiveOpening,
  id: string,
  study: Growing,
): Promise<void> {
  if (study.idle) clearTimeout(study.idle)
  const changing = { dataDir, place, studyId: id, threads: 1, memoryMib, waitMs: LOCK_WAIT_MS }
  while (study.waiting.length > 0) {
    const { change, unanswered } = groupChange({ jobs, memoryMib, tables }, study)
    try {
      await changeStudy(changing, null, change)
    } catch (error) {
      dropTables(study)
      // Another process was faster, and nothing was published.
      const isInTime = ({ waitedMs }: Waiting) => isCode(error, 'busy') && waitedMs() < LOCK_WAIT_MS
      const left = unanswered()
      for (const each of left) if (!isInTime(each)) each.reject(error)
      study.waiting.unshift(...left.filter(isInTime))
    }
    await sleep(PAUSE_MS)
  }
}

function newGrowing(): Growing {
  return {
    waiting: [],
    working: null,
    tables: null,
    history: newHistory(),
    byKey: new Map(),
    seen: 0,
    sweeps: openThrottle(),
    idle: null,
  }
}

function dropTables(study: Growing): void {
  study.tables?.db.close()
  study.tables = null
}

function takeGroup(waiting: Waiting[]): Waiting[] {
  let samples = 0
  const isFull = ({ arrival }: Waiting) => {
    samples += arrival.sampleCount
    return samples > GROUP_SAMPLES_MAX
  }
  const end = waiting.findIndex((each, i) => isFull(each) && i > 0)
  return waiting.splice(0, Math.min(GROUP_MAX, end < 0 ? waiting.length : end))
}

/**
 * Returns the change that adds the accepted participants of the next group, and answers all requests of the group; and,
 * if it fails, which requests have no answer. The group is of those who wait once the study is held, since others may
 * come while this process waits for its turn.
 */
function groupChange(
  { jobs, ...opening }: { jobs: Jobs; memoryMib: number; tables: LiveTableFunctions },
  study: Growing,
): { change: Change; unanswered: () => Waiting[] } {
  const admitted: Waiting[] = []
  let group: Waiting[] | null = null
  let isSorted = false
  const groupFor = async (present: Present): Promise<ArrivedGroup | null> => {
    group = takeGroup(study.waiting)
    const tables = await currentTables(present, study, opening)
    await readKeys(present.studyDir, study, tables)
    const beside = { participants: new Set<string>(), tests: new Set<string>() }
    const duplicates: Waiting[] = []
    const keys = new Set<string>()
    for (const each of group) {
      try {
        const entry = sentBefore(study.byKey, each.arrival, each.sender)
        const key = each.sender.key === null ? null : `${each.sender.tokenId} ${each.sender.key}`
        if (entry !== null) each.resolve({ entry, isNew: false })
        else if (key !== null && keys.has(key)) duplicates.push(each)
        else {
          admit(tables, each.arrival, beside)
          admitted.push(each)
          if (key !== null) keys.add(key)
        }
      } catch (error) {
        each.reject(error)
      }
    }
    // The same request twice at once: the next group gives the second one the answer of the first.
    study.waiting.unshift(...duplicates)
    isSorted = true
    if (admitted.length === 0) return null
    const history = admitted.map(({ arrival, sender }) => writeOf(arrival, sender))
    return { tables, arrivals: admitted.map(({ arrival }) => arrival), history }
  }
  const after = async ({ snapshotId, writes }: Manifest, { studyDir }: Present) => {
    for (const [i, { resolve }] of admitted.entries()) resolve({ entry: { ...writes![i], snapshotId }, isNew: true })
    await sweepNow(jobs, studyDir, study)
  }
  const change = arrivals(groupFor, after, opening.tables.write)
  return { change, unanswered: () => (isSorted ? admitted : (group ?? takeGroup(study.waiting))) }
}

/** Deletes unused snapshots every few seconds: at one snapshot a second, a thousand would soon fill the disk. */
async function sweepNow(jobs: Jobs, directory: string, study: Growing): Promise<void> {
  if (!study.sweeps.isDue()) return
  study.sweeps.putOff(SWEEP_EVERY_MS)
  await sweepLocked(directory, () => snapshotsOfOpen(jobs), jobs)
}

/** Returns the tables of a study's current snapshot: cached, or read on or anew if another process has changed it. */
async function currentTables(
  present: Present,
  study: Growing,
  { memoryMib, tables }: { memoryMib: number; tables: LiveTableFunctions },
): Promise<LiveTables> {
  if (study.tables && study.tables.snapshot.id === present.id) return study.tables
  const snapshot = await present.snapshot()
  if (study.tables && (await tables.follow(study.tables, snapshot))) return study.tables
  dropTables(study)
  study.tables = await tables.open(present.studyDir, snapshot, memoryMib)
  return study.tables
}

/** Reads new entries of the study's history, for the keys of its requests. */
async function readKeys(directory: string, study: Growing, { snapshot }: LiveTables): Promise<void> {
  const file = study.history.file
  const entries = await readHistory(directory, snapshot.manifest, study.history)
  if (study.history.file !== file) {
    study.seen = 0
    study.byKey.clear()
  }
  for (const entry of entries.slice(study.seen)) if (entry.key !== undefined) study.byKey.set(entry.key, entry)
  study.seen = study.history.entries.length
}
