import { randomBytes } from 'node:crypto'
import { type BundleProblem, type ErrorCode, ServiceError } from '../model/errors.ts'
import type { Reach } from '../model/projects.ts'
import { isCode, isDiskFull } from '../model/system-errors.ts'
import type { FoundFiles } from '../recordings/convert/found-files.ts'
import { seal } from '../storage/files/sealed-json.ts'
import { type RecordsAt, recordsAt } from '../storage/records.ts'
import type { FileImportResult } from './import-files.ts'
import type { Uploads } from './open-uploads.ts'

/**
 * Stores requested imports as records. Below imports/<id>/ are request.json, the published result (published.json,
 * written just before publishing), the request to cancel (canceled), the number of tries (tries), and the end
 * (end.json).
 */
export type ImportJob = { id: string; request: ImportRequest; isCanceled: boolean; end: ImportEnd | null }

/** Choices for recordings in a request, as JSON; the worker parses them. */
export type ImportChoices = {
  format?: string
  name?: string
  mapping?: unknown
  screen?: { widthPx: number; heightPx: number }
  screens?: { participant: string; widthPx: number; heightPx: number }[]
  messages?: { trial?: string; end?: string; item?: string; onset?: string }
  /** Regular expression of the messages that become events. */
  events?: string
  aois?: boolean
  /** Takes names that differ only in spelling as one. */
  joinNames?: boolean
  /** Pattern of the paths of files. */
  path?: string
  tags?: string[]
  externalData?: string[]
  /** Item names of pictures among the files; null for none. */
  pictures?: { picture: string; item: string | null }[]
  /** Publishes recordings even without any gaze. */
  force?: boolean
}

/** Content of a study; fixations with default settings. */
export type StudyCounts = { participants: number; items: number; tests: number; samples: number; fixations: number }

export type ImportRequest = {
  tokenId: string
  tokenName: string
  /** Study to extend, or id of a new one; null to find it in the files. */
  studyId: string | null
  /** Project of the study, in place of one that the files name. */
  project?: string
  /** Studies and projects that the token may change; all in requests of earlier versions. */
  reach?: Reach
  append: boolean
  /** Replaces the study; absent in requests of earlier versions. */
  replaces?: boolean
  /** Id of the snapshot that must still be current; null for any. */
  match?: string | null
  dryRun: boolean
  /** Creates the demo study, without uploads. */
  demo?: boolean
  uploads: { id: string; name: string; sizeBytes: number }[]
  choices: ImportChoices
  createdAt: string
}

/** Result of an import: the current study, and the conversion of foreign recordings. */
export type ImportReport = FileImportResult & {
  /** Content of a study before and after a replacement, for a dry run. */
  change?: { before: StudyCounts; after: StudyCounts } | null
}

export type ImportEnd = {
  state: 'succeeded' | 'failed' | 'canceled'
  startedAt: string | null
  finishedAt: string
  report: ImportReport | null
  /** Recognised formats, only for a dry run. */
  found?: FoundFiles | null
  error: { code: ErrorCode | 'internal'; message: string; problems: BundleProblem[] } | null
}

/**
 * Record written just before an import is published, so that the next try recognises it. Its counts are not yet those
 * of a study.
 */
type ImportIntent = Omit<ImportReport, 'counts' | 'published'>

const IMPORT_ID = /^i[0-9a-f]{32}$/

export function isImportId(id: string): boolean {
  return IMPORT_ID.test(id)
}

const IMPORTS = 'imports'

/** Returns the name of a record of an import. @param id validated */
export function importPath(id: string, name: string): string {
  return `${IMPORTS}/${id}/${name}`
}

/** Records a request; it is on disk, synced, when this returns. @throws ServiceError disk_full */
export async function requestImport(at: RecordsAt, request: ImportRequest): Promise<ImportJob> {
  const id = `i${randomBytes(16).toString('hex')}`
  const records = recordsAt(at)
  try {
    await records.makeFolder(`${IMPORTS}/${id}`)
    await Promise.all([records.create(importPath(id, 'request.json'), seal(request, id)), records.sync(IMPORTS)])
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new ServiceError('disk_full', 'The disk is full: the import could not be recorded', { cause: error })
  }
  return { id, request, isCanceled: false, end: null }
}

/** Reads an import; null if it does not exist. @throws ServiceError corrupt */
export async function readImport(at: RecordsAt, id: string): Promise<ImportJob | null> {
  if (!isImportId(id)) return null
  const request = await recordsAt(at).readSealed<ImportRequest>(importPath(id, 'request.json'), id)
  if (request === null) return null
  const [end, canceledMs] = await Promise.all([
    recordsAt(at).readSealed<ImportEnd>(importPath(id, 'end.json'), id),
    recordsAt(at).changedAt(importPath(id, 'canceled')),
  ])
  return { id, request, isCanceled: canceledMs !== null, end }
}

export async function importIds(at: RecordsAt): Promise<string[]> {
  return (await recordsAt(at).names(IMPORTS)).filter(isImportId)
}

/** Lists imports without an end, oldest first, without unreadable ones. */
export async function listOpenImports(at: RecordsAt): Promise<ImportJob[]> {
  const found: ImportJob[] = []
  for (const id of await importIds(at)) {
    if ((await recordsAt(at).changedAt(importPath(id, 'end.json'))) !== null) continue
    const job = await readImport(at, id).catch(() => null)
    if (job !== null && job.end === null) found.push(job)
  }
  return found.sort((a, b) => (a.request.createdAt < b.request.createdAt ? -1 : 1))
}

/** Publishes the end of an import, once: returns false if it has already ended or was deleted. */
export async function endImport(at: RecordsAt, id: string, end: ImportEnd): Promise<boolean> {
  const records = recordsAt(at)
  try {
    if ((await records.changedAt(importPath(id, 'request.json'))) === null) return false
    return await records.create(importPath(id, 'end.json'), seal(end, id))
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}

/**
 * Requests that an import stop: its worker notices within a second, unless it has published. An ended import is
 * deleted.
 */
export async function withdrawImport(at: RecordsAt, { id, end }: ImportJob): Promise<void> {
  if (end !== null) await removeImport(at, id)
  else await recordsAt(at).create(importPath(id, 'canceled'), '')
}

/** Removes an import, its request first: if only its end were removed, it would run again. */
export async function removeImport(at: RecordsAt, id: string): Promise<void> {
  await recordsAt(at).remove(importPath(id, 'request.json'))
  await recordsAt(at).removeFolder(`${IMPORTS}/${id}`)
}

/** Removes ended imports into a study with the files that they imported, since both name people. */
export async function forgetImports(at: RecordsAt, uploads: Pick<Uploads, 'remove'>, studyId: string): Promise<void> {
  const imported = await importedUploads(at)
  for (const id of await importIds(at)) {
    const job = await readImport(at, id).catch(() => null)
    if (!job?.end || ![job.request.studyId, job.end.report?.studyId].includes(studyId.toLowerCase())) continue
    for (const upload of job.request.uploads) if (imported.has(upload.id)) await uploads.remove(upload.id)
    await removeImport(at, id)
  }
}

export async function noteIntent(at: RecordsAt, id: string, intent: ImportIntent): Promise<void> {
  await recordsAt(at).replace(importPath(id, 'published.json'), seal(intent, id))
}

export function readIntent(at: RecordsAt, id: string): Promise<ImportIntent | null> {
  return recordsAt(at).readSealed<ImportIntent>(importPath(id, 'published.json'), id)
}

/** Removes imports that ended before a time, folders without a request, and temporary files of killed processes. */
export async function tidyImports(at: RecordsAt, olderThan: Date, leftBehindBefore: Date): Promise<void> {
  const records = recordsAt(at)
  for (const id of await importIds(at)) {
    const job = await readImport(at, id).catch(() => null)
    const finishedMs = Date.parse(job?.end?.finishedAt ?? '')
    const isOld = finishedMs < olderThan.getTime()
    const sinceMs = job === null ? ((await records.changedAt(`${IMPORTS}/${id}/`)) ?? 0) : Number.POSITIVE_INFINITY
    if (isOld || sinceMs < leftBehindBefore.getTime()) await removeImport(at, id)
    else await records.tidy(`${IMPORTS}/${id}`, leftBehindBefore)
  }
}

/** Returns the ids of imported uploads that no open import needs; they may be deleted if room is short. */
export async function importedUploads(at: RecordsAt): Promise<Set<string>> {
  const imported = new Set<string>()
  const needed = new Set<string>()
  for (const id of await importIds(at)) {
    const job = await readImport(at, id).catch(() => null)
    const set = job?.end == null ? needed : job.end.state === 'succeeded' && !job.request.dryRun ? imported : null
    for (const upload of job?.request.uploads ?? []) set?.add(upload.id)
  }
  for (const id of needed) imported.delete(id)
  return imported
}
