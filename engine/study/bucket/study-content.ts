import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { nullIfAbsent } from '../../model/system-errors.ts'
import { readAnalysisFiles } from '../../snapshot/analyses/copy-analyses.ts'
import { ANALYSES_FOLDER } from '../../snapshot/analyses/stored-analyses.ts'
import { sha256Of } from '../../snapshot/snapshot-id.ts'
import { currentIdIn } from '../../snapshot/snapshots.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { makeDirectory } from '../../storage/files/durable.ts'
import { namesIn } from '../../storage/files/optional-files.ts'
import type { Lease } from '../../storage/objects/lease.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { FORMER } from '../former-snapshot.ts'
import { HISTORY_FILE } from '../history.ts'
import { PAST_AOIS } from '../past-aois.ts'
import { AT_ONCE, addVersion, fileKey, type NumberedState, namedBy, type State } from './versions.ts'

/**
 * What a version of a study names: its current snapshot, and its files besides its snapshots, which are its history,
 * past AOIs, analyses, and what can be undone.
 */

/** Content of a study's directory, with the bytes of its files by their SHA-256. */
export type Content = State & { texts: Map<string, Buffer> }

type Named = Omit<State, 'snapshotId'>

/** Reads the content of a study's directory. @param last leaves out the bytes of files that this one names */
export async function contentOf(studyDir: string, last: State | null = null): Promise<Content> {
  const snapshotId = await currentIdIn(studyDir)
  const known = new Set(last === null ? [] : namedBy(last))
  const texts = new Map<string, Buffer>()
  if (snapshotId === null) return { snapshotId, studyFiles: {}, analyses: {}, texts }
  const named = (name: string, bytes: Buffer): [name: string, sha256: string] => {
    const sha256 = sha256Of(bytes)
    if (!known.has(sha256)) texts.set(sha256, bytes)
    return [name, sha256]
  }
  const read = async (names: string[]) => {
    const found: [name: string, sha256: string][] = []
    for (const name of names) {
      const bytes = await readFile(join(studyDir, name)).catch(nullIfAbsent)
      if (bytes !== null) found.push(named(name, bytes))
    }
    return Object.fromEntries(found)
  }
  const studyFiles = await read(await fileNames(studyDir))
  const undo = await read([FORMER])
  const analyses = Object.entries(await readAnalysisFiles(studyDir))
  return {
    snapshotId,
    studyFiles,
    ...(FORMER in undo ? { undo } : {}),
    analyses: Object.fromEntries(analyses.map(([name, text]) => named(name, Buffer.from(text)))),
    texts,
  }
}

/** Lists the files of a study besides its snapshots and analyses. */
export async function fileNames(studyDir: string): Promise<string[]> {
  return [HISTORY_FILE, ...(await namesIn(join(studyDir, PAST_AOIS))).map((name) => `${PAST_AOIS}/${name}`)]
}

/**
 * Publishes content as the next version of a study, unless the newest one has the same. All that it names must be in
 * the store already.
 *
 * @param last the newest version; null for none
 * @returns the newest version; null if somebody else made one meanwhile, or may have taken the lease
 */
export async function publishContent(
  store: ObjectStore,
  studyId: string,
  last: NumberedState | null,
  next: State,
  lease: Lease,
  now: Date,
): Promise<NumberedState | null> {
  if (last !== null && isSame(last, next)) return last
  if (!lease.isHeld() || !(await addVersion(store, studyId, last, next, now))) return null
  return { ...next, number: (last?.number ?? 0) + 1, at: now.toISOString() }
}

/** Sends the given bytes of the files that a content names besides its snapshots. */
export async function sendTexts(store: ObjectStore, studyId: string, { texts, ...next }: Content): Promise<void> {
  await forEach(new Set(namedBy(next)), AT_ONCE, async (sha256) => {
    const bytes = texts.get(sha256)
    if (bytes !== undefined) await store.put(fileKey(studyId, sha256), bytes)
  })
}

/** Returns whether two versions have the same content. */
export function isSame(a: State, b: State): boolean {
  const text = (version: State) => JSON.stringify([version.snapshotId, ...[...pathsOf(version)].sort()])
  return text(a) === text(b)
}

/** Fetches files that a version names, by name. They hold checksums of their own. @throws ServiceError moved_on */
export async function fetchFiles(
  store: ObjectStore,
  studyId: string,
  files: Iterable<[name: string, sha256: string]>,
): Promise<Map<string, Buffer>> {
  const fetched = new Map<string, Buffer>()
  await forEach(files, AT_ONCE, async ([name, sha256]) => {
    const bytes = await readObject(store, fileKey(studyId, sha256))
    if (bytes === null) throw gone(studyId, name)
    fetched.set(name, bytes)
  })
  return fetched
}

export function gone(studyId: string, path: string): ServiceError {
  return new ServiceError(
    'moved_on',
    `study ${studyId}: ${path} is gone from the store, since the study was replaced there meanwhile: try again`,
  )
}

/**
 * Writes files of a study besides its snapshots, and then deletes those that are gone.
 *
 * @param replace replaces a file atomically
 */
export async function placeFiles(
  studyDir: string,
  files: ReadonlyMap<string, Buffer>,
  goneNames: string[],
  replace = replaceFile,
): Promise<void> {
  const write = async ([name, bytes]: [string, Buffer]) => {
    await makeDirectory(dirname(join(studyDir, name)))
    await replace(join(studyDir, name), bytes)
  }
  // What says which version of an analysis is current comes last.
  const isLast = ([name]: [string, Buffer]) => name.endsWith('/current.json')
  await forEach(
    [...files].filter((each) => !isLast(each)),
    AT_ONCE,
    write,
  )
  await forEach([...files].filter(isLast), AT_ONCE, write)
  for (const name of goneNames) await rm(join(studyDir, name), { force: true })
}

async function replaceFile(path: string, bytes: Buffer): Promise<void> {
  await writeFile(`${path}.new`, bytes)
  await rename(`${path}.new`, path)
}

/**
 * Updates the files of a study besides its snapshots, in a directory of this process, to those of a version.
 *
 * @param before the version that the directory has; null if that is not known
 */
export async function fetchContent(
  store: ObjectStore,
  studyDir: string,
  version: Named,
  before: Named | null,
): Promise<void> {
  if (before === null)
    for (const name of [HISTORY_FILE, PAST_AOIS, FORMER, ANALYSES_FOLDER])
      await rm(join(studyDir, name), { recursive: true, force: true })
  const files = pathsOf(version)
  const known = pathsOf(before ?? { studyFiles: {} })
  const changed = [...files].filter(([path, sha256]) => known.get(path) !== sha256)
  const goneNames = [...known.keys()].filter((path) => !files.has(path))
  await placeFiles(studyDir, await fetchFiles(store, basename(studyDir), changed), goneNames)
}

/** Returns the files that a version names, by their paths in the study's directory. */
function pathsOf({ studyFiles, analyses = {}, undo = {} }: Named): Map<string, string> {
  const inAnalyses = Object.entries(analyses).map(([name, sha256]) => [`${ANALYSES_FOLDER}/${name}`, sha256] as const)
  return new Map([...Object.entries({ ...studyFiles, ...undo }), ...inAnalyses])
}
