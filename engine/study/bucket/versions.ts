import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { UUID } from '../../model/parameters.ts'
import { isCode } from '../../model/system-errors.ts'
import { isAnalysisFile } from '../../snapshot/analyses/copy-analyses.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { isSnapshotId } from '../../storage/files/layout.ts'
import { seal, unseal } from '../../storage/files/sealed-json.ts'
import { checkStoredNames, shownName } from '../../storage/files/stored-names.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { FORMER } from '../former-snapshot.ts'
import { HISTORY_FILE } from '../history.ts'
import { PAST_AOIS } from '../past-aois.ts'

/**
 * An installation as objects. Each is created once and never changed:
 *
 *     versions/<study id>/<number>.json       which snapshot is current; the highest number wins
 *     snapshots/<study id>/<snapshot id>.json its manifest, written last: a snapshot with one is whole
 *     files/<study id>/<sha256>               the files of its snapshots, its history, its past AOIs, its analyses
 *     exports/<job id>/<attempt>.plan.json    a job, its ends, its files, who asked for it
 */

function versionsKey(studyId = ''): string {
  return studyId === '' ? 'versions/' : `versions/${studyId}/`
}

export function snapshotKey(studyId: string, snapshotId = ''): string {
  return `snapshots/${studyId}/${snapshotId && `${snapshotId}.json`}`
}

export function fileKey(studyId: string, sha256 = ''): string {
  return `files/${studyId}/${sha256}`
}

/** Returns the key of the lease for changes of a study. */
export function leaseKey(studyId: string): string {
  return `leases/studies/${studyId}`
}

/**
 * A version of a study: its current snapshot, and by SHA-256 the files that it has besides its snapshots. Analyses are
 * listed separately; the list is absent in copies of earlier versions of Gazette, which did not copy them. `undo` tells
 * which snapshot is kept for undoing the newest change.
 */
export type Version = {
  snapshotId: string
  studyFiles: Record<string, string>
  analyses?: Record<string, string>
  undo?: Record<string, string>
}
export type NumberedVersion = Version & { number: number }

/**
 * Any version; `snapshotId` is null for a removed study. With `isRest`, a removal must delete every object of the study
 * that this version does not name; if it was killed, the next process does that.
 */
export type State = Omit<Version, 'snapshotId'> & { snapshotId: string | null; isRest?: boolean }

/** Returns the SHA-256 of every file that a version names besides its snapshot. */
export function namedBy({ studyFiles, analyses = {}, undo = {} }: Omit<State, 'snapshotId'>): string[] {
  return [studyFiles, analyses, undo].flatMap((files) => Object.values(files))
}

/** @property at when it was made, RFC 3339 */
export type NumberedState = State & { number: number; at: string }

/** Number of objects that are sent, fetched or hashed in parallel. */
export const AT_ONCE = 6
const NAME = /^versions\/([0-9a-f-]{36})\/(\d{12})\.json$/

/** Finds the newest version of a study; null for none, or if the study was removed. @param known as `newestState` */
export async function newestVersion(
  store: ObjectStore,
  studyId: string,
  known: NumberedVersion | number | null = null,
): Promise<NumberedVersion | null> {
  const newest = await newestState(store, studyId, known)
  return newest === null || newest.snapshotId === null ? null : { ...newest, snapshotId: newest.snapshotId }
}

/**
 * Finds the newest version of a study, including one of a removed study; null for none. A list may be late, so the
 * numbers after its last one are checked, too.
 *
 * @param known one that was found before, or the number of one that was listed: then nothing is listed
 */
export async function newestState<Known extends State & { number: number } = NumberedState>(
  store: ObjectStore,
  studyId: string,
  known: Known | number | null = null,
): Promise<NumberedState | Known | null> {
  const found = known ?? (await newestNumbers(store, studyId)).get(studyId) ?? 0
  let newest: NumberedState | Known | null = typeof found === 'number' ? null : found
  let number = typeof found === 'number' ? found : found.number
  if (newest === null && number > 0) newest = await readVersion(store, studyId, number)
  for (;;) {
    const next = await readVersion(store, studyId, number + 1)
    if (next === null) return newest
    newest = next
    number++
  }
}

async function readVersion(store: ObjectStore, studyId: string, number: number): Promise<NumberedState | null> {
  const key = versionKey(studyId, number)
  const text = await readObject(store, key)
  return text && { ...checkVersion(unseal<State & { at: string }>(text.toString(), key, key), key), number }
}

function checkVersion<Any extends State>(version: Any, key: string): Any {
  const { snapshotId, studyFiles, analyses = {}, undo = {} } = version
  checkStoredNames(
    key,
    [studyFiles, analyses, undo].flatMap((files) => Object.entries(files)),
  )
  const strange =
    Object.keys(studyFiles).find((name) => name !== HISTORY_FILE && dirname(name) !== PAST_AOIS) ??
    Object.keys(analyses).find((name) => !isAnalysisFile(name)) ??
    Object.keys(undo).find((name) => name !== FORMER)
  if (strange !== undefined)
    throw new ServiceError('corrupt', `${key} lists a file ${shownName(strange)}, which no study has`)
  if (snapshotId !== null && !isSnapshotId(snapshotId))
    throw new ServiceError('corrupt', `${key} names a snapshot that has no id`)
  return version
}

/** Creates the next version, unless another one exists after `last`. @returns whether it did */
export async function addVersion(
  store: ObjectStore,
  studyId: string,
  last: { number: number } | null,
  version: State,
  now: Date,
): Promise<boolean> {
  const key = versionKey(studyId, (last?.number ?? 0) + 1)
  // The attempt tells our own first try, which a retry may meet, from somebody else's.
  return store.putIfAbsent(key, seal({ ...version, at: now.toISOString(), attempt: randomUUID() }, key))
}

function versionKey(studyId: string, number: number): string {
  return `${versionsKey(studyId)}${String(number).padStart(12, '0')}.json`
}

/** Lists the studies of a store, in ascending order. */
export async function studiesIn(store: ObjectStore): Promise<string[]> {
  const found: string[] = []
  await forEach(await newestNumbers(store), AT_ONCE, async ([id, number]) => {
    // A damaged version is no reason to pass a study over.
    const isRemoved = await newestVersion(store, id, number).then(
      (version) => version === null,
      (error) => (isCode(error, 'corrupt') ? false : Promise.reject(error)),
    )
    if (!isRemoved) found.push(id)
  })
  return found.sort()
}

/** Lists the snapshots of each study, or of one, by study and id, with the time at which each came into a store. */
export async function snapshotsIn(store: ObjectStore, studyId = ''): Promise<Map<string, Map<string, number>>> {
  const found = new Map<string, Map<string, number>>()
  for await (const { key, changedMs } of store.list(studyId === '' ? 'snapshots/' : snapshotKey(studyId))) {
    const [, study, name = ''] = key.split('/')
    const id = name.replace(/\.json$/, '')
    if (UUID.test(study) && isSnapshotId(id)) found.set(study, (found.get(study) ?? new Map()).set(id, changedMs))
  }
  return found
}

/** Lists the number of the newest version of each study, or of one. */
export async function newestNumbers(store: ObjectStore, studyId = ''): Promise<Map<string, number>> {
  const newest = new Map<string, number>()
  for await (const { key } of store.list(versionsKey(studyId))) {
    const [, id, number] = NAME.exec(key) ?? []
    if (id !== undefined && UUID.test(id)) newest.set(id, Math.max(newest.get(id) ?? 0, Number(number)))
  }
  return newest
}
