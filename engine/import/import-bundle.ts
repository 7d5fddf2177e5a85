import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { studyDirectory } from '../files/layout.ts'
import { withStudyLock } from '../files/lock.ts'
import { addProblem, newReport, type Report, throwReport } from '../model/bundle-problems.ts'
import { ServiceError } from '../model/errors.ts'
import type { Study } from '../model/study.ts'
import { snapshotIdOf } from '../snapshot/snapshot-id.ts'
import { currentId } from '../snapshot/snapshots.ts'
import { loadParent, type Parent } from '../study/parent-snapshot.ts'
import { checkComplete, countedImages, findBundleFiles, hashBundle, readStudyFile } from './bundle/bundle.ts'
import { SAMPLE_LIMITS } from './bundle/bundle-limits.ts'
import { readStudy, type StudyRead } from './bundle/study-json.ts'
import { findStudyOf } from './find-study.ts'
import type { Importing, ImportOptions, ImportResult } from './import-options.ts'
import { importStudyAlone } from './import-study.ts'
import { importTables } from './import-tables.ts'

/**
 * Checks a study bundle and publishes it as the study's new snapshot (docs/bundle.md). A directory with study.json alone, of a
 * study that is there already, changes flow, items and AOIs over the same samples. Until the very end the study is as it was.
 *
 * @throws ServiceError invalid_bundle with the first 100 problems, not_found, usage, busy, canceled, disk_full, corrupt
 */
export async function importBundle(options: ImportOptions): Promise<ImportResult> {
  const { signal = new AbortController().signal } = options
  try {
    return await importFiles({ ...options, signal })
  } catch (error) {
    if (signal.aborted) throw new ServiceError('canceled', 'the import was stopped', { cause: error })
    throw error
  }
}

async function importFiles({ directory, ...options }: ImportOptions & { signal: AbortSignal }): Promise<ImportResult> {
  const report = newReport()
  const files = await findBundleFiles(resolve(directory), report.bundle)
  const importing: Importing = { limits: SAMPLE_LIMITS, ...options, files }
  const { dataDir, append, dryRun, studyId } = importing
  const read: StudyRead = files.study
    ? readStudy(await readStudyFile(files), report.study)
    : { id: append ? (studyId ?? (await findStudyOf(dataDir, files))) : null, study: null, itemIds: null }
  // Without an id nothing can be published, nor locked, but other problems are reported all the same.
  if (read.id === null) return importInto(importing, read, null, report)
  if (studyId !== undefined && read.id !== studyId) {
    const rule = `must be ${studyId}, the study that this is for`
    addProblem(report.study, { file: 'study.json', line: null, column: 'id', value: read.id, rule })
  }
  const id = studyId ?? read.id
  const studyDir = studyDirectory(dataDir, id)!
  const work = async () => importInto(importing, read, await parentOf(importing, id, studyDir), report)
  return dryRun ? work() : withStudyLock(studyDir, work)
}

/** Returns the snapshot that the bundle adds to or changes; null if the bundle is complete by itself. */
async function parentOf({ dataDir, append, files }: Importing, id: string, studyDir: string): Promise<Parent | null> {
  const isAlone = [files.participants, files.tests, files.samples, files.validations].every((file) => file === null)
  if (!append && !(isAlone && (await currentId(dataDir, id)) !== null)) return null
  return loadParent(dataDir, studyDir, id)
}

async function importInto(
  importing: Importing,
  read: StudyRead,
  parent: Parent | null,
  report: Report,
): Promise<ImportResult> {
  if (parent === null) {
    // What an appended bundle refers to is not known without its study.
    if (importing.append) throwReport(report)
    checkComplete(importing.files, report.bundle)
    return importTables(importing, read, null, report)
  }
  if (!importing.append) return importStudyAlone(importing, read, parent, report)
  const { study, manifest } = parent.snapshot
  if (await isAppended(importing, parent))
    return { studyId: study.id, snapshotId: manifest.snapshotId, published: false, counts: manifest.counts }
  const added = JSON.parse(JSON.stringify(read.study))
  const isSame = isDeepStrictEqual(added, study)
  if (importing.extendsStudy && !isSame && isExtension(added, study))
    return importTables(importing, { ...read, study: added }, parent, report)
  if (read.study && !isSame) {
    const rule = 'must be absent, or equal to that of the study that the bundle is appended to'
    addProblem(report.study, { file: 'study.json', line: null, column: null, value: null, rule })
  }
  const itemIds = new Set(study.items.map(({ id }) => id))
  return importTables(importing, { id: study.id, study, itemIds }, parent, report)
}

/** Returns whether a study.json is the study's with more items and AOIs behind its own. */
function isExtension(added: Study | null, study: Study): boolean {
  if (added === null) return false
  const items = added.items.slice(0, study.items.length)
  return isDeepStrictEqual({ ...added, items, aois: added.aois.slice(0, study.aois.length) }, study)
}

/** The same bundle appended twice in a row adds nothing; its ids are not new, but that is no mistake. */
async function isAppended({ files, limits, signal }: Importing, { snapshot }: Parent): Promise<boolean> {
  const { parentId, bundle } = snapshot.manifest
  if (parentId === null) return false
  const own = await hashBundle(files, countedImages(files, snapshot.study), limits, signal)
  return snapshotIdOf({ bundle: { ...own, 'study.json': bundle['study.json'] }, parentId }) === snapshot.id
}
