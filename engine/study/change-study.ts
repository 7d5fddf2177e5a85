import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { studyDirectory } from '../files/layout.ts'
import { withStudyLock } from '../files/lock.ts'
import { addProblem, newReport, throwReport } from '../model/bundle-problems.ts'
import { ServiceError } from '../model/errors.ts'
import type { Study, StudyWrite } from '../model/study.ts'
import { currentIdIn } from '../snapshot/snapshots.ts'
import type { GivenParticipant } from '../snapshot/table-columns.ts'
import { orderTests } from './complete-tables.ts'
import { makeSnapshot, type NewSnapshot, relinkSnapshot } from './make-snapshot.ts'
import { type Image, loadParent, mergeImages, type Parent } from './parent-snapshot.ts'
import { inWorkshop } from './scratch-space.ts'

/** How a study is changed while it may be read, and by whom. */
export type Changing = {
  dataDir: string
  threads: number
  memoryMib: number
  tokenId: string
  now: Date
}
/** What a change applies to. @property ifMatch id of the snapshot that must be current still; null for any */
export type Target = { studyId: string; ifMatch: string | null }

const LOCK_WAIT_MS = 20_000
/** Returns a signal for a change, which nothing stops; one for all would gather the listeners of all that are under way. */
const neverStopped = () => new AbortController().signal

/**
 * Makes a study without participants.
 *
 * @returns its first snapshot
 * @throws ServiceError conflict when it is there already
 */
export async function createStudy(study: Study, changing: Changing): Promise<string> {
  const studyDir = studyDirectory(changing.dataDir, study.id)!
  const create = async () => {
    if ((await currentIdIn(studyDir)) !== null)
      throw new ServiceError('conflict', `there is a study ${study.id} already`)
    const { now } = changing
    // Not that of a study that was deleted.
    const origin = { bundle: { 'study.json': hashOf(study), created: now.toISOString() }, parentId: null }
    const empty = {
      participants: [],
      tests: [],
      validations: [],
      participantColumns: undefined,
      images: [],
      recordings: null,
    }
    const writes = [writeOf(changing, 'study created')]
    const snapshot = { studyDir, study, ...empty, origin, createdAt: now.toISOString(), writes }
    const { threads, memoryMib } = changing
    const signal = neverStopped()
    return inWorkshop(
      { studyDir, reads: [], threads, memoryMib, signal },
      async (workshop) => (await makeSnapshot(snapshot, [], workshop, signal, () => {})).snapshotId,
    )
  }
  return withStudyLock(studyDir, create, LOCK_WAIT_MS)
}

/** What a change of a study's description means for what is recorded. */
export type StudyChange = {
  snapshotId: string
  /** Items that are other than before, or have other AOIs, by id; and how many tests and participants saw them. */
  itemIds: string[]
  tests: number
  participants: number
}

/**
 * Replaces flow, items and AOIs of a study, over the same samples.
 *
 * @param describe makes the new description of the present one
 * @throws ServiceError moved_on when another snapshot is current; invalid_bundle when tests show an item that would be missing
 */
export async function changeDescription(
  { studyId, ifMatch }: Target,
  describe: (present: Study) => Study,
  { dryRun, ...changing }: Changing & { dryRun: boolean },
): Promise<StudyChange> {
  return withParent({ studyId, ifMatch }, changing, async (parent, studyDir) => {
    const { snapshot, given } = parent
    const study = JSON.parse(JSON.stringify(describe(snapshot.study))) as Study
    const seen = given.tests.filter(({ itemId }) => !study.items.some(({ id }) => id === itemId))
    refuseMissing(seen.map(({ itemId }) => itemId))
    const itemIds = changedItems(snapshot.study, study)
    const tests = given.tests.filter(({ itemId }) => itemIds.includes(itemId))
    const change = {
      itemIds,
      tests: tests.length,
      participants: new Set(tests.map(({ participantId }) => participantId)).size,
    }
    if (dryRun || isDeepStrictEqual(study, snapshot.study)) return { ...change, snapshotId: snapshot.id }
    const origin = { bundle: { 'study.json': hashOf(study) }, parentId: snapshot.id }
    const images = mergeImages(snapshot, NO_IMAGES, study)
    const next = { study, tests: orderTests(study, given.participants, given.tests), origin, images }
    const snapshotId = await relink(parent, studyDir, next, writeOf(changing, 'study changed'), changing)
    return { ...change, snapshotId }
  })
}

function refuseMissing(itemIds: string[]): void {
  const report = newReport()
  for (const id of new Set(itemIds)) {
    const count = itemIds.filter((each) => each === id).length
    const rule = `must hold every item that tests show, and ${count} show this one`
    addProblem(report.study, { file: 'body', line: null, column: 'items', value: id, rule })
  }
  throwReport(report, 'the body')
}

function changedItems(before: Study, after: Study): string[] {
  const of = (study: Study, id: string) => [
    study.items.find((item) => item.id === id),
    study.aois.filter(({ itemId }) => itemId === id),
  ]
  const ids = new Set([...before.items, ...after.items].map(({ id }) => id))
  return [...ids].filter((id) => !isDeepStrictEqual(of(before, id), of(after, id)))
}

/** Gives an item of a study a picture. @param bytes checked. @returns the new snapshot */
export async function changeImage(target: Target, itemId: string, bytes: Buffer, changing: Changing): Promise<string> {
  return withParent(target, changing, async (parent, studyDir) => {
    const { snapshot, given } = parent
    const { study } = snapshot
    const name = study.items.find(({ id }) => id === itemId)?.filename
    if (name === undefined) throw new ServiceError('not_found', `there is no item ${itemId}`)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (snapshot.manifest.files[`images/${name}`] === sha256) return snapshot.id
    const path = join(studyDir, `.picture-${sha256}`)
    const origin = {
      bundle: { 'study.json': snapshot.manifest.bundle['study.json'], [`images/${name}`]: sha256 },
      parentId: snapshot.id,
    }
    try {
      await writeFile(path, bytes)
      const images: Image[] = [
        ...mergeImages(snapshot, NO_IMAGES, study).filter((image) => image.name !== name),
        { name, path },
      ]
      const next = { study, tests: given.tests, origin, images }
      return await relink(parent, studyDir, next, writeOf(changing, 'picture changed'), changing)
    } finally {
      await rm(path, { force: true })
    }
  })
}

/**
 * Changes attributes of a participant.
 *
 * @returns the new snapshot
 * @throws ServiceError not_found, moved_on
 */
export async function changeParticipant(
  target: Target,
  participantId: string,
  attributes: Partial<GivenParticipant>,
  changing: Changing,
): Promise<string> {
  return withParent(target, changing, async (parent, studyDir) => {
    const { snapshot, given } = parent
    const index = given.participants.findIndex(({ id }) => id === participantId)
    if (index < 0) throw new ServiceError('not_found', `there is no participant ${participantId}`)
    const changed = { ...given.participants[index], ...attributes }
    if (isDeepStrictEqual(changed, given.participants[index])) return snapshot.id
    const participants = given.participants.with(index, changed)
    const origin = {
      bundle: { 'study.json': snapshot.manifest.bundle['study.json'], 'changed participant': hashOf(changed) },
      parentId: snapshot.id,
    }
    const images = mergeImages(snapshot, NO_IMAGES, snapshot.study)
    const next = { study: snapshot.study, tests: given.tests, origin, images, participants }
    const write = { ...writeOf(changing, 'participant changed'), participantId }
    return relink(parent, studyDir, next, write, changing)
  })
}

const NO_IMAGES = { directory: '', images: [] }

/** Runs a change on a study's current snapshot, as the only one. */
async function withParent<T>(
  { studyId, ifMatch }: Target,
  { dataDir }: Changing,
  change: (parent: Parent, studyDir: string) => Promise<T>,
): Promise<T> {
  const studyDir = studyDirectory(dataDir, studyId)
  if (studyDir === null) throw new ServiceError('not_found', 'there is no such study')
  const changeIt = async () => {
    const parent = await loadParent(dataDir, studyDir, studyId)
    if (ifMatch !== null && ifMatch !== parent.snapshot.id)
      throw new ServiceError('moved_on', 'the study has changed since that snapshot')
    return change(parent, studyDir)
  }
  return withStudyLock(studyDir, changeIt, LOCK_WAIT_MS)
}

type Next = Pick<NewSnapshot, 'study' | 'tests' | 'origin' | 'images'> & { participants?: GivenParticipant[] }

async function relink(
  parent: Parent,
  studyDir: string,
  next: Next,
  write: StudyWrite,
  { now, threads, memoryMib }: Changing,
): Promise<string> {
  const { snapshot, given } = parent
  const newSnapshot = {
    studyDir,
    participants: given.participants,
    validations: given.validations,
    participantColumns: snapshot.manifest.participantColumns,
    recordings: parent.recordings,
    createdAt: now.toISOString(),
    writes: [write],
    ...next,
  }
  return inWorkshop(
    { studyDir, reads: [], threads, memoryMib, signal: neverStopped() },
    async (workshop) => (await relinkSnapshot(newSnapshot, parent, workshop)).snapshotId,
  )
}

function writeOf({ tokenId, now }: Changing, did: StudyWrite['did']): StudyWrite {
  return { at: now.toISOString(), tokenId, did }
}

function hashOf(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
