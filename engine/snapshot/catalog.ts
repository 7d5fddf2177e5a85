import { join } from 'node:path'
import { isShownPicture } from '../../isomorphic/picture-names.ts'
import { ServiceError } from '../model/errors.ts'
import { UUID } from '../model/parameters.ts'
import type { Manifest, Study } from '../model/study.ts'
import { singleFlight } from '../storage/concurrency/coalesce.ts'
import { openThrottle, stopwatch } from '../storage/concurrency/intervals.ts'
import { forEach } from '../storage/concurrency/side-by-side.ts'
import { followChanges } from '../storage/files/change-log.ts'
import { studiesDirectory } from '../storage/files/layout.ts'
import { namesIn } from '../storage/files/optional-files.ts'
import { readFault } from '../storage/files/read-fault.ts'
import { type SearchedNames, searchedNames } from './search-names.ts'

/** Facts of a study that lists show. */
export type ListedStudy = {
  snapshotId: string
  /** Time at which the snapshot was created; RFC 3339. */
  createdAt: string
  name: string
  keywords: string[]
  isArchived: boolean
  /** Absent if it belongs to none. */
  project?: string
  counts: Manifest['counts']
  searched: SearchedNames
  /** First item that has a picture. */
  pictureItemId?: string
}

/** Returns the facts of a study that lists show. */
export function listedStudyOf({ snapshotId, createdAt, counts, files }: Manifest, study: Study): ListedStudy {
  const { name, about } = study
  const isArchived = study.isArchived === true
  const searched = searchedNames(study)
  const project = study.project === undefined ? {} : { project: study.project }
  const pictured = study.items.find(({ filename }) => `images/${filename}` in files && isShownPicture(filename))
  const picture = pictured === undefined ? {} : { pictureItemId: pictured.id }
  const keywords = about?.keywords ?? []
  return { snapshotId, createdAt, name, keywords, isArchived, ...project, ...picture, counts, searched }
}

/**
 * Index of the studies of a data directory, in memory. The truth is each study's `current` and manifest. The log of
 * changes tells which entries to refresh; now and then all are refreshed, for changes that no log mentions.
 */
export type Catalog = {
  /**
   * Returns the current snapshot of each study that has one, by lower-case study id, in ascending order; '' if it is
   * damaged. Includes everything that was published before the call.
   */
  currents: () => Promise<ReadonlyMap<string, string>>
  /**
   * Returns the facts of a study; null when it is gone.
   *
   * @param snapshotId as `currents` had it
   * @throws ServiceError corrupt, overloaded
   */
  facts: (studyId: string, snapshotId: string) => Promise<ListedStudy | null>
  /** Returns the facts of a study if they are cached; else null. */
  known: (studyId: string, snapshotId: string) => ListedStudy | null
}

/** Number of studies that are read in parallel: fewer than libuv's threads, so that no request waits for them. */
const AT_ONCE = 12
/** Throttle for full scans while there is a log: the least interval, and the least multiple of a scan's duration. */
const ALL_MS = 1000
const ALL_TIMES = 100
/** Minimum time until a scan that fails, or takes long, is repeated. */
const LATEST_MS = 60_000
const TRIES_MAX = 3

/** Reads the truth on disk: a study's current snapshot (null for none), and the facts in a snapshot's directory. */
type Truth = {
  currentId: (studyId: string) => Promise<string | null>
  readFacts: (directory: string) => Promise<ListedStudy>
}

type State = Truth & {
  root: string
  changes: ReturnType<typeof followChanges>
  read: Map<string, ListedStudy>
  currents: Map<string, string>
  scans: ReturnType<typeof openThrottle>
  isAllDue: boolean
  due: Set<string>
}

/** Opens the index of a data directory. */
export function openCatalog(dataDir: string, truth: Truth): Catalog {
  const root = studiesDirectory(dataDir)
  const nothing = { read: new Map(), currents: new Map(), due: new Set<string>() }
  const state: State = {
    ...{ ...truth, ...nothing, root, changes: followChanges(root), scans: openThrottle() },
    isAllDue: true,
  }
  const refreshOnce = singleFlight(() => refresh(state))
  return {
    currents: () => refreshOnce(''),
    facts: (studyId, snapshotId) => factsIn(state, studyId, snapshotId),
    known: (studyId, snapshotId) => knownIn(state, studyId, snapshotId),
  }
}

async function refresh(state: State): Promise<ReadonlyMap<string, string>> {
  const { due } = state
  const changed = await state.changes()
  // Due until it was looked at: a disk may fail in between.
  if (changed === null) state.isAllDue = true
  else for (const name of changed) due.add(name)
  if (state.isAllDue) await lookAtAll(state)
  else {
    // Damage is mended without a word.
    for (const [id, current] of state.currents) if (current === '') due.add(id)
    await lookAt(
      state,
      [...due].filter((name) => UUID.test(name)),
    )
    // Nobody waits for it.
    if (state.scans.isDue()) void lookAtAll(state).catch(() => undefined)
  }
  state.isAllDue = false
  due.clear()
  return state.currents
}

async function lookAt(state: State, studyIds: Iterable<string>): Promise<void> {
  let isSorted = true
  await forEach(studyIds, AT_ONCE, async (id) => {
    const current = await state.currentId(id).catch(damaged)
    if (current === null) {
      state.currents.delete(id)
      state.read.delete(id)
    } else {
      if (!state.currents.has(id)) isSorted = false
      state.currents.set(id, current)
    }
  })
  // A new one: who reads the old map meanwhile reads it in order.
  if (!isSorted) state.currents = new Map([...state.currents].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function lookAtAll(state: State): Promise<void> {
  const { scans, root } = state
  const tookMs = stopwatch()
  scans.putOff(LATEST_MS)
  const names = (await namesIn(root)).filter((name) => UUID.test(name))
  await lookAt(state, new Set([...names, ...state.currents.keys()]))
  scans.putOff(Math.max(ALL_MS, ALL_TIMES * tookMs()))
}

function knownIn({ read }: State, studyId: string, snapshotId: string): ListedStudy | null {
  const last = read.get(studyId)
  return last?.snapshotId === snapshotId ? last : null
}

async function factsIn(state: State, studyId: string, snapshotId: string): Promise<ListedStudy | null> {
  const last = knownIn(state, studyId, snapshotId)
  if (last !== null) return last
  let wanted: string | null = snapshotId
  for (let tries = 1; ; tries++) {
    try {
      const found = await state.readFacts(join(state.root, studyId, wanted))
      state.read.set(studyId, found)
      return found
    } catch (error) {
      const now = await state.currentId(studyId)
      if (now === null) return null
      // It was replaced meanwhile, and swept.
      if (now === wanted || tries === TRIES_MAX) throw readFault(error, 'a study cannot be read')
      wanted = now
    }
  }
}

function damaged(error: unknown): string {
  if (error instanceof ServiceError && error.code === 'corrupt') return ''
  throw error
}
