import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import { mayPlace, type Reach, reaches } from '../model/projects.ts'
import type { Manifest, ParticipantColumns, Snapshot, Study, StudyWrite } from '../model/study.ts'
import { isDiskFull } from '../model/system-errors.ts'
import { type Origin, snapshotIdOf } from '../snapshot/snapshot-id.ts'
import { currentIdIn, manifestText } from '../snapshot/snapshots.ts'
import { FORMAT_VERSION, FORMAT_WITH_EYES } from '../storage/files/data-format.ts'
import { syncDirectory, writeSynced } from '../storage/files/durable.ts'
import { followMoved, keepFormer } from './former-snapshot.ts'
import { loadParent, type Parent } from './parent-snapshot.ts'
import { describedIn, keepPastAois } from './past-aois.ts'
import { directoryPlace, type HeldStudy, type StudyPlace } from './place.ts'
import { publishSnapshot } from './publish.ts'
import { studyDifferences } from './study-differences.ts'
import { inWorkspace, type Workspace } from './workspace.ts'

/** A study to change, the caller, and limits. */
export type Changing = {
  /** Absolute; made when it is not there. */
  dataDir: string
  /** Place of its studies; the data directory if absent. */
  place?: StudyPlace
  /** null where a bundle does not say it: the bundle is checked, and nothing is published. */
  studyId: string | null
  /** Studies and projects that whoever asks for the change may change; any if absent. */
  reach?: Reach
  /** The token that asks for it, which the history names; a command's change, without one, is not told there. */
  tokenId?: string
  /** When the snapshot is made, which influences no export; once nobody else changes the study, if not given. */
  now?: Date
  threads: number
  /** DuckDB's memory; what does not fit is spilled beside the study. */
  memoryMib: number
  spillMaxBytes?: number
  /** Timeout, in ms, of the wait for another change of the study; without it, does not wait. */
  waitMs?: number
  signal?: AbortSignal
  /** Computes everything without the study's lock, and publishes nothing. */
  dryRun?: boolean
  /**
   * An existing directory for the temporary files of a dry run; the system's own, where nobody removes what a killed
   * process left, if not given.
   */
  scratch?: string
  /**
   * Called with the study locked, once everything is checked and before anything of it can be seen; what it throws
   * refuses the change. Not for equal data again.
   */
  beforePublish?: (publication: PendingSnapshot) => Promise<void>
}

/** Snapshot about to be published (or, in a dry run, that would be), and the one it replaces; null for a new study. */
export type PendingSnapshot = { studyId: string; snapshotId: string; replacedId: string | null }

/** A kind of change with its input. A file of `changes/` makes each; engine/import makes that of a bundle. */
export type Change = {
  /** Name of the change in the history; null for a change that only moves data. */
  did: StudyWrite['did'] | null
  /** True if webhooks hear of each change by itself; else the deliverer coalesces several into the latest. */
  isTold: boolean
  /** True if no data of earlier snapshots may stay. */
  isRemoval?: boolean
  /** Directories that its SQL reads, besides the study's. */
  reads?: string[]
  /** Checks the change against the study, and returns the next snapshot; null if nothing changes. */
  next: (present: Present, workspace: Workspace) => Promise<Next | null>
  /** Called when all files of the next snapshot are written, right before it is published. Not in a dry run. */
  before?: (present: Present) => Promise<void>
  /** Called when the snapshot is published in the study's directory, but not yet to other processes. */
  settle?: (present: Present) => Promise<void>
  /** Called last, while nobody else changes the study. @param published null where nothing was */
  after?: (published: Manifest | null, present: Present) => Promise<void>
}

/** A study as a change finds it. */
export type Present = {
  /** '' where a bundle does not say which study it is of. */
  studyDir: string
  /** null where a bundle does not say which study it is of. */
  held: HeldStudy | null
  /** When the change is made. */
  now: Date
  /** Id of the current snapshot; null if none is published. */
  id: string | null
  /** Opens the current snapshot. @throws ServiceError not_found, corrupt */
  snapshot: () => Promise<Snapshot>
  /** Loads the same with all rows. @throws ServiceError not_found, corrupt, overloaded */
  parent: () => Promise<Parent>
}

/** The next snapshot of a study. */
export type Next = {
  origin: Origin
  counts: Manifest['counts']
  columns: ParticipantColumns
  /** The description, if it may differ: AOIs that it replaces are kept. */
  description?: Study
  /** What the history says of it, before the differences of the description. */
  details?: string[]
  /** Further history fields of each change that went into it; by default, one change without any. */
  history?: Partial<StudyWrite>[]
  /** Writes or links all of its files into a directory, but for the manifest. */
  fill: (directory: string) => Promise<Filled>
}

/** The files that fill a snapshot's directory, as its manifest names them. */
export type Filled = Pick<Manifest, 'sampleFiles' | 'files' | 'layers'>

/** Result of a change. */
export type Changed = {
  /** Id of the snapshot that it makes, or, in a dry run, would make. */
  snapshotId: string | null
  /** Id of the snapshot that is current now. */
  currentId: string | null
  /** false for equal data again, and for a dry run. */
  published: boolean
}

/**
 * Changes a study; there is no second way. It takes the study's lock, and until the end the study stays as it was.
 *
 * @param ifMatch id of the snapshot that must be current still; null for any
 * @throws ServiceError moved_on, busy, disk_full, corrupt; and what the change refuses
 */
export async function changeStudy(changing: Changing, ifMatch: string | null, change: Change): Promise<Changed> {
  const { dataDir, place = directoryPlace(dataDir), studyId, now = place.now(), dryRun, waitMs } = changing
  const work = async (held: HeldStudy | null) => {
    const present = await presentOf(held, now)
    if (ifMatch !== null && present.id !== null && ifMatch !== present.id)
      throw new ServiceError('moved_on', 'the study has changed since that snapshot')
    return changePresent(changing, present, change)
  }
  if (studyId === null) return work(null)
  return dryRun ? place.look(studyId, work) : place.change(studyId, work, waitMs)
}

async function presentOf(held: HeldStudy | null, now: Date): Promise<Present> {
  const studyDir = held?.studyDir ?? ''
  const id = held === null ? null : await currentIdIn(studyDir)
  const snapshot = async () => {
    if (held === null || id === null) throw new ServiceError('not_found', `there is no study ${basename(studyDir)}`)
    return held.open(id)
  }
  return { studyDir, held, now, id, snapshot, parent: async () => loadParent(await snapshot()) }
}

async function changePresent(changing: Changing, present: Present, change: Change): Promise<Changed> {
  const { beforePublish } = changing
  const { studyDir, held, id: replacedId } = present
  const dryRun = changing.dryRun || held === null
  const reads = [...(change.reads ?? []), ...(replacedId === null ? [] : [studyDir])]
  const making = { ...changing, studyDir: dryRun ? null : studyDir, reads }
  const { signal = new AbortController().signal } = changing
  return inWorkspace({ ...making, signal }, async (workspace) => {
    const next = await change.next(present, workspace)
    const snapshotId = next === null ? replacedId : snapshotIdOf(next.origin)
    const isNew = next !== null && snapshotId !== replacedId
    if (changing.reach !== undefined) await requireReach(changing.reach, present, next)
    if (isNew) await beforePublish?.({ studyId: basename(studyDir), snapshotId: snapshotId!, replacedId })
    const published = isNew && !dryRun
    const manifest = published ? await publishNext(changing, present, change, next, workspace.temporary) : null
    if (!dryRun) {
      await change.settle?.(present)
      await held.publish(change.isRemoval)
      if (published && change.isTold) await held.notify()
      await change.after?.(manifest, present)
    }
    return { snapshotId, currentId: published ? snapshotId : replacedId, published }
  })
}

/**
 * Checks that a change is within the rights of whoever asks for it: on the study as it is now, and on both projects
 * between which it moves.
 *
 * @throws ServiceError forbidden
 */
async function requireReach(reach: Reach, { id, snapshot }: Present, next: Next | null): Promise<void> {
  const before = id === null ? null : (await snapshot()).study
  const after = next?.description ?? before
  if (before !== null && !reaches(reach, before))
    throw new ServiceError('forbidden', `the token is not for study ${before.id}`)
  if (after === null || (before !== null && before.project === after.project)) return
  for (const study of [before, after]) if (study !== null && !mayPlace(reach, study)) throw outOfReach(study.project)
}

function outOfReach(project: string | undefined): ServiceError {
  return new ServiceError(
    'forbidden',
    project === undefined
      ? 'a token for some projects or studies cannot put another study outside of them: give the name of one of its projects'
      : `only a token for project ${project}, or for all studies, can put a study there or take it out`,
  )
}

async function publishNext(
  changing: Changing,
  present: Present,
  change: Change,
  next: Next,
  temporary: string,
): Promise<Manifest> {
  const { tokenId } = changing
  const { studyDir, now, id } = present
  const { description } = next
  const until = now.toISOString()
  try {
    await mkdir(temporary)
    const filled = await next.fill(temporary)
    const before = description && id !== null ? await describedIn(join(studyDir, id)) : null
    const differences = before === null ? [] : studyDifferences(before, description!)
    const details = [...(next.details ?? []), ...differences]
    const writes = writesOf(change, next, { at: until, tokenId, details })
    const manifest = manifestOf(next, filled, basename(studyDir), until, writes)
    await sealSnapshot(temporary, manifest)
    await change.before?.(present)
    if (description) await keepPastAois(studyDir, id, before, description, { until, tokenId: tokenId ?? null })
    await keepBefore(changing, present, change, manifest)
    if (change.isTold) await present.held?.notify()
    await publishSnapshot(studyDir, temporary, manifest.snapshotId)
    return manifest
  } catch (error) {
    if (!isDiskFull(error) || error instanceof ServiceError) throw error
    throw new ServiceError('disk_full', 'there is no space left on the disk', { cause: error })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Keeps the snapshot that a request is about to replace, if the change can be undone. */
async function keepBefore(
  { tokenId }: Changing,
  { studyDir, id: before, now }: Present,
  { did, isTold }: Change,
  { snapshotId: after }: Manifest,
): Promise<void> {
  if (before === null) return
  if (did === null) await followMoved(studyDir, before, after, now)
  // The rest are participants who come or go, and changes of commands.
  else if (isTold && tokenId !== undefined && did !== 'participant removed')
    await keepFormer(studyDir, { before, after, did, at: now.toISOString() })
}

/** Returns the history entries of a change. */
function writesOf(
  { did }: Change,
  { history = [{}] }: Next,
  { at, tokenId, details }: { at: string; tokenId: string | undefined; details: string[] },
): StudyWrite[] {
  return history
    .map((more) => ({ at, tokenId, did, ...(details.length > 0 ? { details } : {}), ...more }))
    .filter((write): write is StudyWrite => write.tokenId !== undefined && write.did !== null)
}

function manifestOf(
  { origin, counts, columns }: Next,
  { sampleFiles, files, layers }: Filled,
  studyId: string,
  createdAt: string,
  writes: StudyWrite[],
): Manifest {
  const hasEyes = sampleFiles.some(({ eyes = [] }) => eyes.length > 0)
  return {
    formatVersion: hasEyes || counts.events ? FORMAT_WITH_EYES : FORMAT_VERSION,
    snapshotId: snapshotIdOf(origin),
    studyId,
    parentId: origin.parentId,
    createdAt,
    counts,
    sampleFiles,
    ...(columns.hasTags || columns.externalData.length > 0 ? { participantColumns: columns } : {}),
    files,
    ...(layers ? { layers } : {}),
    bundle: origin.bundle,
    ...(writes.length > 0 ? { writes } : {}),
  }
}

/** Writes the manifest of a snapshot whose other files are there and synced, and syncs the directory. */
async function sealSnapshot(directory: string, manifest: Manifest): Promise<void> {
  await writeSynced(join(directory, 'manifest.json'), manifestText(manifest))
  const hasImages = Object.keys(manifest.files).some((name) => name.startsWith('images/'))
  if (hasImages) await syncDirectory(join(directory, 'images'))
  await syncDirectory(directory)
}
