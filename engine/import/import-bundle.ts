import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { addFileProblem, addProblem, newReport, throwReport } from '../model/bundle-problems.ts'
import { ServiceError } from '../model/errors.ts'
import type { Manifest, Study } from '../model/study.ts'
import { snapshotIdOf } from '../snapshot/snapshot-id.ts'
import { openStudies } from '../snapshot/snapshots.ts'
import { changeStudy, type Next, type Present } from '../study/change-study.ts'
import { describedAnew, reportMissing } from '../study/changes/description.ts'
import { mergeImages, type Parent } from '../study/parent-snapshot.ts'
import type { Workspace } from '../study/workspace.ts'
import {
  checkComplete,
  checkUnchanged,
  countedImages,
  findBundleFiles,
  hashBundle,
  hashesIn,
  readStudyFile,
} from './bundle/bundle.ts'
import { SAMPLE_LIMITS } from './bundle/bundle-limits.ts'
import { readStudy, type StudyRead } from './bundle/study-json.ts'
import { findStudyOf } from './find-study.ts'
import type { Bundle, ImportOptions, ImportResult } from './import-options.ts'
import { readTables } from './read-tables.ts'

/**
 * Validates a study bundle and publishes it as the study's new snapshot (docs/bundle.md). For an existing study, a
 * directory with only study.json replaces flow, items and AOIs over the same samples. The study does not change until
 * everything is published.
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

async function importFiles(options: ImportOptions): Promise<ImportResult> {
  const { dataDir, studies = openStudies(dataDir), directory, append, limits = SAMPLE_LIMITS } = options
  const report = newReport()
  const files = await findBundleFiles(resolve(directory), report.bundle)
  const given: StudyRead = files.study
    ? readStudy(await readStudyFile(files), report.study)
    : { id: append ? (options.studyId ?? (await findStudyOf(studies, files))) : null, study: null, itemIds: null }
  const project = options.project === given.study?.project ? undefined : options.project
  const read = project === undefined || given.study === null ? given : { ...given, study: { ...given.study, project } }
  // Without an id, nothing can be published or locked, but other problems are still reported.
  const studyId = read.id === null ? null : (options.studyId ?? read.id)
  if (read.id !== studyId) {
    const rule = `must be ${studyId}, the study that this is for`
    addProblem(report.study, { file: 'study.json', line: null, column: 'id', value: read.id, rule })
  }
  const bundle = { ...options, files, limits, read, project, report }
  let counts: Manifest['counts'] | null = null
  const changing = { ...options, studyId, spillMaxBytes: limits.maxBytes }
  const { snapshotId, published } = await changeStudy(changing, options.ifMatch ?? null, {
    did: 'bundle imported',
    isTold: true,
    reads: [files.directory],
    next: async (present, workspace) => {
      const next = await nextOf(bundle, present, workspace)
      counts = next?.counts ?? (await present.snapshot()).manifest.counts
      return next
    },
  })
  return { studyId: studyId!.toLowerCase(), snapshotId: snapshotId!, published, counts: counts! }
}

/**
 * Returns the change that a bundle makes: the study is replaced, extended, or gets a new description; null if the same
 * bundle was the last one appended.
 */
async function nextOf(bundle: Bundle, present: Present, workspace: Workspace): Promise<Next | null> {
  const { append, files, read, report } = bundle
  const isAlone = [files.participants, files.tests, files.samples, files.validations, files.events].every(
    (file) => file === null,
  )
  if (!append && isAlone && present.id !== null) return described(bundle, await present.parent(), workspace)
  if (!append) {
    checkComplete(files, report.bundle)
    return readTables(bundle, read, null, workspace)
  }
  // Without its study, the references of an appended bundle cannot be checked.
  if (read.id === null) throwReport(report)
  const parent = await present.parent()
  return (await isAppended(bundle, parent, workspace))
    ? null
    : readTables(bundle, studyFor(bundle, parent), parent, workspace)
}

/**
 * Returns the study with the description of a lone study.json. The snapshot gets the id that the study would have if it
 * had been imported like that. Pictures stay, unless the directory has new ones.
 */
async function described(bundle: Bundle, parent: Parent, workspace: Workspace): Promise<Next> {
  const { files, limits, read, report, project } = bundle
  const { snapshot, given } = parent
  if (read.study) reportMissing(read.study, given.tests, 'study.json', report)
  throwReport(report)
  const study = read.study!
  const hashes = hashesIn(project, await hashBundle(files, countedImages(files, study), limits, workspace.signal))
  await checkUnchanged(files)
  const { bundle: before, parentId } = snapshot.manifest
  const origin = { bundle: { ...before, ...hashes }, parentId }
  return describedAnew(parent, study, mergeImages(snapshot, study, files), origin, workspace)
}

/** Returns the description to which appended tables refer: the study's, or that of a bundle that extends it. */
function studyFor({ extendsStudy, read, report }: Bundle, { snapshot: { study } }: Parent): StudyRead {
  const added = JSON.parse(JSON.stringify(read.study))
  const isSame = isDeepStrictEqual(added, study)
  if (extendsStudy && !isSame && isExtension(added, study)) return { ...read, study: added }
  if (read.study && !isSame) {
    const rule = 'must be absent, or equal to that of the study that the bundle is appended to'
    addFileProblem(report.study, 'study.json', rule)
  }
  return { id: study.id, study, itemIds: new Set(study.items.map(({ id }) => id)) }
}

/** Returns true if a study.json only adds items and AOIs after those of the study. */
function isExtension(added: Study | null, study: Study): boolean {
  if (added === null) return false
  const items = added.items.slice(0, study.items.length)
  return isDeepStrictEqual({ ...added, items, aois: added.aois.slice(0, study.aois.length) }, study)
}

/**
 * Returns whether a bundle was the last one appended. Appending it again adds nothing; its ids are not new, but that is
 * not an error.
 */
async function isAppended({ files, limits }: Bundle, { snapshot }: Parent, { signal }: Workspace): Promise<boolean> {
  const { parentId, bundle } = snapshot.manifest
  if (parentId === null) return false
  const own = await hashBundle(files, countedImages(files, snapshot.study), limits, signal)
  return snapshotIdOf({ bundle: { ...own, 'study.json': bundle['study.json'] }, parentId }) === snapshot.id
}
