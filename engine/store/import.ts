import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '../errors.ts'
import type { Manifest } from '../study.ts'
import { type BundleFiles, checkComplete, countedImages, findBundleFiles, hashBundle, readStudyFile } from './bundle.ts'
import { findStudyOf } from './find-study.ts'
import { studyDirectory } from './layout.ts'
import { withStudyLock } from './lock.ts'
import { loadParent, type Parent } from './parent.ts'
import { addProblem, newReport, type Report, throwReport } from './problems.ts'
import { snapshotIdOf } from './publish.ts'
import { beginReading, type PlainReading } from './read-plain.ts'
import { currentId } from './snapshots.ts'
import type { StudyRead } from './study-json.ts'

export type ImportOptions = {
  /** Absolute; made when it is not there. */
  dataDir: string
  /** The bundle's. */
  directory: string
  /** Adds participants and tests to a study instead of replacing it. */
  append: boolean
  /** Checks everything, and publishes nothing. */
  dryRun: boolean
  /** When the snapshot is made; it bears on no id and no export. */
  now: Date
  threads: number
  /** DuckDB's memory; what does not fit is spilled beside the study. */
  memoryMib: number
  signal?: AbortSignal
  /** Samples written so far, and all. */
  onProgress?: (done: number, total: number) => void
}

export type ImportResult = {
  studyId: string
  snapshotId: string
  /** false for equal data again, and for a dry run. */
  published: boolean
  counts: Manifest['counts']
}

/** An import at work. */
export type Importing = Omit<ImportOptions, 'signal' | 'directory'> & {
  signal: AbortSignal
  files: BundleFiles
  /** Of samples.csv, while the other files are looked at. */
  reading: PlainReading | null
}

/**
 * Checks a study bundle and publishes it as the study's new snapshot (SPEC section 2). A directory with study.json alone, of a
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
  // What is appended is put between what is stored, which is for DuckDB.
  const isAlone = files.samples !== null && !options.append
  const reading = isAlone ? beginReading(join(files.directory, files.samples!), options.threads) : null
  try {
    return await importRead({ ...options, files, reading }, report)
  } finally {
    await reading?.stop()
  }
}

async function importRead(importing: Importing, report: Report): Promise<ImportResult> {
  const { dataDir, append, dryRun, files } = importing
  // Large libraries are behind it, which load while samples are read.
  const { readStudy } = await import('./study-json.ts')
  const read: StudyRead = files.study
    ? readStudy(await readStudyFile(files), report.study)
    : { id: append ? await findStudyOf(dataDir, files) : null, study: null, itemIds: null }
  // Without an id nothing can be published, nor locked, but what else is wrong is told all the same.
  if (read.id === null) return importInto(importing, read, null, report)
  const { id } = read
  const studyDir = studyDirectory(dataDir, id)!
  const work = async () => importInto(importing, read, await parentOf(importing, id, studyDir), report)
  return dryRun ? work() : withStudyLock(studyDir, work)
}

/** The snapshot that the bundle adds to or changes; null when it stands for itself. */
async function parentOf({ dataDir, append, files }: Importing, id: string, studyDir: string): Promise<Parent | null> {
  const isAlone = files.participants === null && files.tests === null && files.samples === null
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
    const { importTables } = await import('./import-tables.ts')
    return importTables(importing, read, null, report)
  }
  if (!importing.append) {
    const { importStudyAlone } = await import('./import-study.ts')
    return importStudyAlone(importing, read, parent, report)
  }
  const { study, manifest } = parent.snapshot
  if (await isAppended(importing, parent))
    return { studyId: study.id, snapshotId: manifest.snapshotId, published: false, counts: manifest.counts }
  if (read.study && !isDeepStrictEqual(JSON.parse(JSON.stringify(read.study)), study)) {
    const rule = 'must be absent, or equal to that of the study that the bundle is appended to'
    addProblem(report.study, { file: 'study.json', line: null, column: null, value: null, rule })
  }
  const itemIds = new Set(study.items.map(({ id }) => id))
  const { importTables } = await import('./import-tables.ts')
  return importTables(importing, { id: study.id, study, itemIds }, parent, report)
}

/** The same bundle appended twice in a row adds nothing; its ids are not new, but that is no mistake. */
async function isAppended({ files, signal }: Importing, { snapshot }: Parent): Promise<boolean> {
  const { parentId, bundle } = snapshot.manifest
  if (parentId === null) return false
  const own = await hashBundle(files, countedImages(files, snapshot.study), signal)
  return snapshotIdOf({ bundle: { ...own, 'study.json': bundle['study.json'] }, parentId }) === snapshot.id
}
