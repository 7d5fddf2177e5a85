import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { isAnalysisFile } from '../analyses/copy-analyses.ts'
import { isSnapshotId } from '../files/layout.ts'
import { seal, unseal } from '../files/sealed-json.ts'
import { checkStoredNames, shownName } from '../files/stored-names.ts'
import { ServiceError } from '../model/errors.ts'
import { UUID } from '../model/parameters.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'
import { HISTORY_FILE } from '../study/history.ts'
import { PAST_AOIS } from '../study/past-aois.ts'

/**
 * An installation as objects. Each is created once and never changed:
 *
 *     versions/<study id>/<number>.json       which snapshot is current; the highest number wins
 *     snapshots/<study id>/<snapshot id>.json its manifest, written last: a snapshot with one is whole
 *     files/<study id>/<sha256>               the files of its snapshots, its history, its past AOIs, its analyses
 *     exports/<job id>/<attempt>.plan.json    a job, its ends, its files, who asked for it
 */
export const JOBS_ROOT = 'exports'

function versionsKey(studyId = ''): string {
  return studyId === '' ? 'versions/' : `versions/${studyId}/`
}

export function snapshotKey(studyId: string, snapshotId = ''): string {
  return `snapshots/${studyId}/${snapshotId && `${snapshotId}.json`}`
}

export function fileKey(studyId: string, sha256 = ''): string {
  return `files/${studyId}/${sha256}`
}

/**
 * Which snapshot of a study is current, and the files that the study has besides its snapshots, by SHA-256; those of
 * its analyses by themselves, absent where an earlier version of Gazette copied, which left them where they are.
 */
export type Version = { snapshotId: string; studyFiles: Record<string, string>; analyses?: Record<string, string> }
export type NumberedVersion = Version & { number: number }

const NAME = /^versions\/([0-9a-f-]{36})\/(\d{12})\.json$/

/**
 * Finds the newest version of a study; null for none. A list may come late, so the numbers after the last one it has
 * are asked for, too.
 *
 * @param known one that was found before, or the number of one that was listed: then nothing is listed
 */
export async function newestVersion(
  store: ObjectStore,
  studyId: string,
  known: NumberedVersion | number | null = null,
): Promise<NumberedVersion | null> {
  const found = known ?? (await newestNumbers(store, studyId)).get(studyId) ?? 0
  let [newest, number] = typeof found === 'number' ? [null, found] : [found, found.number]
  if (newest === null && number > 0) newest = await readVersion(store, studyId, number)
  for (;;) {
    const next = await readVersion(store, studyId, number + 1)
    if (next === null) return newest
    newest = next
    number++
  }
}

async function readVersion(store: ObjectStore, studyId: string, number: number): Promise<NumberedVersion | null> {
  const key = versionKey(studyId, number)
  const text = await readObject(store, key)
  return text && { ...checkVersion(unseal<Version>(text.toString(), key, key), key), number }
}

function checkVersion(version: Version, key: string): Version {
  const { snapshotId, studyFiles, analyses = {} } = version
  checkStoredNames(key, [...Object.entries(studyFiles), ...Object.entries(analyses)])
  const strange =
    Object.keys(studyFiles).find((name) => name !== HISTORY_FILE && dirname(name) !== PAST_AOIS) ??
    Object.keys(analyses).find((name) => !isAnalysisFile(name))
  if (strange !== undefined)
    throw new ServiceError('corrupt', `${key} lists a file ${shownName(strange)}, which no study has`)
  if (!isSnapshotId(snapshotId)) throw new ServiceError('corrupt', `${key} names a snapshot that has no id`)
  return version
}

/** Makes a version the newest, unless another came after `last`. @returns whether it did */
export async function addVersion(
  store: ObjectStore,
  studyId: string,
  last: NumberedVersion | null,
  version: Version,
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
  return [...(await newestNumbers(store)).keys()].sort()
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
