import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createDurably, isCode, isDiskFull, replaceDurably, syncDirectory } from '../files/durable.ts'
import { changedAt, isThere, namesIn, removeAside } from '../files/optional-files.ts'
import { readSealed, seal } from '../files/sealed-json.ts'
import { diskBelow, type JobDisk } from '../jobs/record/job-disk.ts'
import { type BundleProblem, type ErrorCode, ServiceError } from '../model/errors.ts'
import type { Manifest } from '../model/study.ts'
import type { Conversion } from '../recordings/convert-recordings.ts'
import type { FoundFiles } from '../recordings/found-files.ts'
import { removeUpload } from './uploads.ts'

/**
 * Stores requested imports on disk: under DATA_DIR/imports/<id>/ request.json, what was published (published.json,
 * written just before), the request to cancel (canceled), the number of tries (tries), and the end (end.json).
 */
export type ImportJob = { id: string; request: ImportRequest; isCanceled: boolean; end: ImportEnd | null }

/** Choices of a request for foreign recordings, as JSON; the worker reads them. */
export type ImportChoices = {
  format?: string
  name?: string
  mapping?: unknown
  screen?: { widthPx: number; heightPx: number }
  screens?: { participant: string; widthPx: number; heightPx: number }[]
  messages?: { trial?: string; end?: string; item?: string; onset?: string }
  aois?: boolean
  tags?: string[]
  externalData?: string[]
  /** Names of items that pictures among the files are of; null for none. */
  pictures?: { picture: string; item: string | null }[]
  /** Publishes recordings without any gaze, too. */
  force?: boolean
}

/** Content of a study; fixations by default settings. */
export type StudyCounts = { participants: number; items: number; tests: number; samples: number; fixations: number }

export type ImportRequest = {
  tokenId: string
  tokenName: string
  /** The study to add to, or the id that a new one shall have; null to find it in the files. */
  studyId: string | null
  append: boolean
  /** Replaces the study; absent in requests of before. */
  replaces?: boolean
  /** Id of the snapshot that must be current still; null for any. */
  match?: string | null
  dryRun: boolean
  uploads: { id: string; name: string; sizeBytes: number }[]
  choices: ImportChoices
  createdAt: string
}

/** Result of an import: the current study, and the conversion of foreign recordings. */
export type ImportReport = {
  studyId: string
  snapshotId: string
  published: boolean
  counts: Manifest['counts']
  conversion: Conversion | null
  left: string[]
  nothingNew: string | null
  /** Content of a study before and after a replacement; of a dry run. */
  change?: { before: StudyCounts; after: StudyCounts } | null
}

export type ImportEnd = {
  state: 'succeeded' | 'failed' | 'canceled'
  startedAt: string | null
  finishedAt: string
  report: ImportReport | null
  /** Recognised formats; only a dry run looks for them. */
  found?: FoundFiles | null
  error: { code: ErrorCode | 'internal'; message: string; problems: BundleProblem[] } | null
}

/** Written just before an import is published, so that a next try knows it. Its counts are of no study yet. */
type ImportIntent = Omit<ImportReport, 'counts' | 'published'>

const IMPORT_ID = /^i[0-9a-f]{32}$/

export function isImportId(id: string): boolean {
  return IMPORT_ID.test(id)
}

function importsDirectory(dataDir: string): string {
  return join(dataDir, 'imports')
}

/** Returns the disk that has the records of imports. */
export function importDisk(dataDir: string): JobDisk {
  return diskBelow(importsDirectory(dataDir))
}

/** Returns a path in an import's folder. @param id checked before */
export function importPath(dataDir: string, id: string, name: string): string {
  return join(importsDirectory(dataDir), id, name)
}

/** Writes a request down; it is on disk, synced, when this returns. @throws ServiceError disk_full */
export async function requestImport(dataDir: string, request: ImportRequest): Promise<ImportJob> {
  const id = `i${randomBytes(16).toString('hex')}`
  const root = importsDirectory(dataDir)
  try {
    const made = await mkdir(root, { recursive: true, mode: 0o700 })
    await mkdir(join(root, id), { mode: 0o700 })
    await createDurably(importPath(dataDir, id, 'request.json'), seal(request, id))
    await syncDirectory(root)
    if (made !== undefined) await syncDirectory(dataDir)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new ServiceError('disk_full', 'The disk is full: the import could not be recorded', { cause: error })
  }
  return { id, request, isCanceled: false, end: null }
}

/** Reads an import; null when there is none. @throws ServiceError corrupt */
export async function readImport(dataDir: string, id: string): Promise<ImportJob | null> {
  if (!isImportId(id)) return null
  const request = await readSealed<ImportRequest>(importPath(dataDir, id, 'request.json'), id)
  if (request === null) return null
  const [end, isCanceled] = await Promise.all([
    readSealed<ImportEnd>(importPath(dataDir, id, 'end.json'), id),
    isThere(importPath(dataDir, id, 'canceled')),
  ])
  return { id, request, isCanceled, end }
}

export async function importIds(dataDir: string): Promise<string[]> {
  return (await namesIn(importsDirectory(dataDir))).filter(isImportId)
}

/** Lists imports without an end, oldest first; what cannot be read is left out. */
export async function listOpenImports(dataDir: string): Promise<ImportJob[]> {
  const found: ImportJob[] = []
  for (const id of await importIds(dataDir)) {
    if (await isThere(importPath(dataDir, id, 'end.json'))) continue
    const job = await readImport(dataDir, id).catch(() => null)
    if (job !== null && job.end === null) found.push(job)
  }
  return found.sort((a, b) => (a.request.createdAt < b.request.createdAt ? -1 : 1))
}

/** Publishes how an import ended, unless it has ended already, or is gone. Says whether it did. */
export async function endImport(dataDir: string, id: string, end: ImportEnd): Promise<boolean> {
  try {
    return await createDurably(importPath(dataDir, id, 'end.json'), seal(end, id))
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}

/**
 * Requests that an import stop: its worker notices within a second, unless it has published. An ended import is
 * deleted.
 */
export async function withdrawImport(dataDir: string, { id, end }: ImportJob): Promise<void> {
  if (end !== null) await removeImport(dataDir, id)
  else await createDurably(importPath(dataDir, id, 'canceled'), '')
}

export async function removeImport(dataDir: string, id: string): Promise<void> {
  await rm(join(importsDirectory(dataDir), id), { recursive: true, force: true })
}

/** Removes ended imports into a study, with the files that they imported: both name people. */
export async function forgetImports(dataDir: string, studyId: string): Promise<void> {
  const imported = await importedUploads(dataDir)
  for (const id of await importIds(dataDir)) {
    const job = await readImport(dataDir, id).catch(() => null)
    if (!job?.end || ![job.request.studyId, job.end.report?.studyId].includes(studyId.toLowerCase())) continue
    for (const upload of job.request.uploads) if (imported.has(upload.id)) await removeUpload(dataDir, upload.id)
    await removeImport(dataDir, id)
  }
}

export async function noteIntent(dataDir: string, id: string, intent: ImportIntent): Promise<void> {
  await replaceDurably(importPath(dataDir, id, 'published.json'), seal(intent, id))
}

export function readIntent(dataDir: string, id: string): Promise<ImportIntent | null> {
  return readSealed<ImportIntent>(importPath(dataDir, id, 'published.json'), id)
}

/**
 * Removes imports that ended before a time, folders of requests that were never written, and files that killed
 * processes were writing.
 *
 */
export async function tidyImports(dataDir: string, olderThan: Date, leftBehindBefore: Date): Promise<void> {
  for (const id of await importIds(dataDir)) {
    const job = await readImport(dataDir, id).catch(() => null)
    const finishedMs = Date.parse(job?.end?.finishedAt ?? '')
    const isOld = finishedMs < olderThan.getTime()
    const sinceMs =
      job === null ? ((await changedAt(join(importsDirectory(dataDir), id))) ?? 0) : Number.POSITIVE_INFINITY
    if (isOld || sinceMs < leftBehindBefore.getTime()) await removeImport(dataDir, id)
    else await removeAside(join(importsDirectory(dataDir), id), leftBehindBefore)
  }
}

/** Returns the ids of uploads that were imported, and that no open import needs: they may go where room is short. */
export async function importedUploads(dataDir: string): Promise<Set<string>> {
  const imported = new Set<string>()
  const needed = new Set<string>()
  for (const id of await importIds(dataDir)) {
    const job = await readImport(dataDir, id).catch(() => null)
    const set = job?.end == null ? needed : job.end.state === 'succeeded' && !job.request.dryRun ? imported : null
    for (const upload of job?.request.uploads ?? []) set?.add(upload.id)
  }
  for (const id of needed) imported.delete(id)
  return imported
}
