import { existsSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { importBundle } from '../import/import-bundle.ts'
import type { ImportOptions, ImportResult } from '../import/import-options.ts'
import { ServiceError } from '../model/errors.ts'
import type { Snapshot, Study } from '../model/study.ts'
import type { ContinuedStudy } from '../recordings/bundle/continued-study.ts'
import type { Conversion } from '../recordings/convert/convert-recordings.ts'
import type { FoundFiles } from '../recordings/convert/found-files.ts'
import type { ReadOptions } from '../recordings/reader/reader.ts'
import { stemOf } from '../recordings/text/file-names.ts'
import { openStudies } from '../snapshot/snapshots.ts'
import { makeDirectory } from '../storage/files/durable.ts'
import type { PendingSnapshot } from '../study/change-study.ts'
import { keepDescription } from './keep-description.ts'
import { archiveKind, unpackArchive } from './unpack-archive.ts'

/** Choices for recordings. */
export type ForeignChoices = {
  format?: string
  options?: Partial<ReadOptions>
  studyName?: string
  /** Publishes recordings even without any gaze. */
  force?: boolean
}

export type ImportStage = 'unpack' | 'convert' | 'import'

export type FileImport = Omit<ImportOptions, 'directory' | 'onProgress'> & {
  /** Absolute paths: a bundle's folder, files and folders of recordings, or archives of either. */
  paths: string[]
  foreign: ForeignChoices
  /** Absolute path for temporary files; created here, removed by the caller. */
  scratch: string
  onProgress?: (stage: ImportStage, share: number, samples: number, samplesTotal: number | null) => void
  /** Called if the files are a bundle, which needs no choices; an error of the callback refuses it. */
  onBundle?: (path: string) => void
  /** Called with ignored files in archives. */
  onUnpacked?: (left: string[]) => void
  /** Called with the recognised formats, before the recordings are read; without it, formats are not listed. */
  onFound?: (found: FoundFiles) => void
  /** Called with the study to which recordings are added. */
  onContinued?: (study: Study) => void
  onConverted?: (conversion: Conversion) => void
  /** Study that recordings replace; its description stays. */
  replaced?: Snapshot
  /**
   * Called if the study exists with other data and is not extended; unless the callback throws, the study is replaced.
   */
  onExisting: (there: Snapshot, isForeign: boolean) => void
}

/**
 * Outcome of an import. `left` names ignored files in archives; `nothingNew` names the recordings if the study already
 * has all of them.
 */
export type FileImportResult = ImportResult & {
  conversion: Conversion | null
  left: string[]
  nothingNew: string | null
}

/** Returns whether a path is a study bundle, which needs no conversion. */
function isBundle(path: string): boolean {
  const holds = (name: string) => existsSync(join(path, name))
  return (
    existsSync(path) &&
    statSync(path).isDirectory() &&
    (holds('study.json') || holds('tests.csv') || holds('tests.csv.gz'))
  )
}

/**
 * Imports a bundle directly, and recordings by way of a temporary bundle; archives are unpacked first.
 *
 * @throws ServiceError as importBundle, convertFiles and unpackArchive; errors of the callbacks
 */
export async function importFiles(request: FileImport): Promise<FileImportResult> {
  await makeDirectory(request.scratch, 0o700)
  const { paths, left } = await unpackAll(request)
  request.onUnpacked?.(left)
  if (paths.length === 1 && isBundle(paths[0])) {
    request.onBundle?.(paths[0])
    const result = await publish(request, paths[0], request.studyId, false)
    return { ...result, conversion: null, left, nothingNew: null }
  }
  if (request.onFound) {
    const { lookAtFiles } = await import('../recordings/convert/found-files.ts')
    const { options = {}, format = null } = request.foreign
    request.onFound(await lookAtFiles(paths, options, format, request.limits))
  }
  return request.append ? addRecordings(request, paths, left) : takeRecordings(request, paths, left, null)
}

async function takeRecordings(
  request: FileImport,
  paths: string[],
  left: string[],
  continued: ContinuedStudy | null,
): Promise<FileImportResult> {
  const directory = join(request.scratch, 'bundle')
  const conversion = await convert(request, paths, directory, continued)
  request.onConverted?.(conversion)
  if (request.replaced) await keepDescription(directory, request.replaced, request.foreign.studyName !== undefined)
  if (request.foreign.force !== true) refuseWithoutGaze(conversion)
  const { studyId } = conversion.counts
  // Recordings name no project, so a study that they replace stays in its own.
  const project = request.project ?? (await studyThere(request, studyId))?.study.project
  const result = await publish({ ...request, project }, directory, studyId, true)
  return { ...result, conversion, left, nothingNew: null }
}

function studyThere({ dataDir, studies = openStudies(dataDir) }: FileImport, id: string): Promise<Snapshot | null> {
  return studies.current(id)
}

/** Refuses recordings without any gaze. @throws ServiceError invalid_bundle */
function refuseWithoutGaze({ counts: { tests, samples, testsWithGaze }, left }: Conversion): void {
  if (testsWithGaze > 0) return
  const counted = `${tests} ${tests === 1 ? 'test' : 'tests'} and ${samples} ${samples === 1 ? 'sample' : 'samples'}`
  const why = left.length === 0 ? '' : `; what was left out: ${left.join('; ')}`
  throw new ServiceError(
    'invalid_bundle',
    `no test has a sample with gaze, of ${counted}${why}. With force (--force) they are published all the same`,
  )
}

/** Adds recordings to their study. */
async function addRecordings(request: FileImport, paths: string[], left: string[]): Promise<FileImportResult> {
  const { dataDir, studies = openStudies(dataDir), studyId, foreign } = request
  const { findContinuedStudy } = await import('../recordings/convert/find-study.ts')
  const { NothingNew } = await import('../recordings/bundle/known-recordings.ts')
  const continued = await findContinuedStudy(studies, paths, studyId ?? null)
  const { id, name } = continued.study
  if (foreign.studyName !== undefined && foreign.studyName !== name)
    throw new ServiceError('usage', `study ${id} is called ${name}, not ${foreign.studyName}: leave out --name`)
  request.onContinued?.(continued.study)
  try {
    return await takeRecordings(request, paths, left, continued)
  } catch (error) {
    if (!(error instanceof NothingNew)) throw error
    const there = (await studies.current(id))!
    const result = { studyId: id, snapshotId: there.id, published: false, counts: there.manifest.counts }
    return { ...result, conversion: null, left, nothingNew: error.message }
  }
}

async function unpackAll({ paths, scratch, limits, onProgress, signal }: FileImport): Promise<{
  paths: string[]
  left: string[]
}> {
  const unpacked: string[] = []
  const left: string[] = []
  for (const [i, path] of paths.entries()) {
    const kind = await archiveKind(path)
    if (kind === null) {
      unpacked.push(path)
      continue
    }
    onProgress?.('unpack', i / paths.length, 0, null)
    const directory = join(scratch, `archive-${i}`, stemOf(basename(path)) || 'archive')
    left.push(...(await unpackArchive({ path, kind, directory, maxBytes: limits?.maxBytes, signal })))
    unpacked.push(await bundleWithin(directory))
  }
  return { paths: unpacked, left }
}

/** Returns the folder of the bundle inside an archive's folder, if there is one; otherwise the archive's folder. */
async function bundleWithin(directory: string): Promise<string> {
  const names = await readdir(directory)
  const inner = join(directory, names[0] ?? '')
  return names.length === 1 && !isBundle(directory) && isBundle(inner) ? inner : directory
}

async function convert(
  request: FileImport,
  paths: string[],
  directory: string,
  continued: ContinuedStudy | null,
): Promise<Conversion> {
  const { studyId, memoryMib, limits, signal, onProgress } = request
  const { format, options, studyName } = request.foreign
  // Loads the readers of a dozen formats, which a bundle does not need.
  const { convertFiles } = await import('../recordings/convert/convert-recordings.ts')
  return convertFiles({
    paths,
    directory,
    ...{ format, options, studyName },
    studyId: studyId ?? null,
    continued,
    memoryMib,
    limits,
    onProgress: (samples, share) => onProgress?.('convert', share, samples, null),
    signal,
  })
}

async function publish(
  request: FileImport,
  directory: string,
  studyId: string | undefined,
  isForeign: boolean,
): Promise<ImportResult> {
  const { dataDir, studies = openStudies(dataDir), append, onProgress, onExisting } = request
  const beforePublish = async (publication: PendingSnapshot) => {
    const there = append || publication.replacedId === null ? null : await studies.current(publication.studyId)
    if (there !== null) onExisting(there, isForeign)
    await request.beforePublish?.(publication)
  }
  return importBundle({
    ...request,
    directory,
    extendsStudy: append && isForeign,
    studyId,
    onProgress: (done, total) => onProgress?.('import', total === 0 ? 0 : done / total, done, total),
    beforePublish,
  })
}
