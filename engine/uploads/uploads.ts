import { randomBytes } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import { nullIfAbsent } from '../model/system-errors.ts'
import { replaceDurably } from '../storage/files/durable.ts'
import { changedAt, namesIn } from '../storage/files/optional-files.ts'
import { readSealed, seal } from '../storage/files/sealed-json.ts'

/**
 * Uploads on disk: DATA_DIR/uploads has a file <id> with the received bytes and a file <id>.json with metadata. The id
 * begins with that of the token, which alone may send, import and delete it. Names from clients are only in the JSON.
 */
export type StoredUpload = {
  id: string
  /** File name from the client, without folders. */
  name: string
  sizeBytes: number
  receivedBytes: number
  createdAt: string
}

/** Record of an upload by the tus store, with a checksum. */
export type UploadFacts = {
  id: string
  size?: number
  metadata?: Record<string, string | null>
  creation_date?: string
}

export const UPLOAD_ID = /^([0-9a-f]{16})-[0-9a-f]{32}$/
const DEFAULT_NAME = 'upload'
const NAME_MAX_BYTES = 200

export function uploadsDirectory(dataDir: string): string {
  return join(dataDir, 'uploads')
}

export function newUploadId(tokenId: string): string {
  return `${tokenId}-${randomBytes(16).toString('hex')}`
}

/** Returns whether an id is that of an upload of this token. */
export function isUploadOf(id: string, tokenId: string): boolean {
  return UPLOAD_ID.exec(id)?.[1] === tokenId
}

/** Returns the path of an upload's bytes. @param id validated */
export function uploadPath(dataDir: string, id: string): string {
  return join(uploadsDirectory(dataDir), id)
}

/** Returns the fault of a file name; null if it is valid: a single, visible name. */
export function nameFault(name: string): string | null {
  if (Buffer.byteLength(name) > NAME_MAX_BYTES) return `must have at most ${NAME_MAX_BYTES} bytes`
  if (name === '' || name.startsWith('.')) return 'must not be empty, nor begin with a dot'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  return /[/\\:\u0000-\u001f\u007f]/.test(name) ? 'must be a name without folders, colons and control characters' : null
}

/** Reads the metadata of an upload; null if it does not exist. @throws ServiceError corrupt */
export async function readUploadFacts(dataDir: string, id: string): Promise<UploadFacts | null> {
  return UPLOAD_ID.test(id) ? readSealed<UploadFacts>(factsPath(dataDir, id), id, isUnsealed) : null
}

function isUnsealed(content: Record<string, unknown>): boolean {
  return Object.keys(content).every((name) => ['id', 'size', 'metadata', 'creation_date'].includes(name))
}

export async function writeUploadFacts(dataDir: string, facts: UploadFacts): Promise<void> {
  await replaceDurably(factsPath(dataDir, facts.id), factsText(facts), 0o600)
}

export function factsText({ id, size, metadata, creation_date }: UploadFacts): string {
  return seal({ id, size, metadata, creation_date }, id)
}

export async function removeUpload(dataDir: string, id: string): Promise<void> {
  await rm(factsPath(dataDir, id), { force: true })
  await rm(uploadPath(dataDir, id), { force: true })
  await rm(markerPath(dataDir, id), { force: true })
}

/** Reads an upload; null if it does not exist. @throws ServiceError corrupt */
export async function readUpload(dataDir: string, id: string): Promise<StoredUpload | null> {
  const facts = await readUploadFacts(dataDir, id)
  if (facts === null) return null
  const found = await stat(uploadPath(dataDir, id)).catch(nullIfAbsent)
  if (found === null) return null
  return uploadOf(facts, found.size)
}

export function uploadOf(
  { id, size = 0, metadata, creation_date = '' }: UploadFacts,
  receivedBytes: number,
): StoredUpload {
  return { id, name: metadata?.filename || DEFAULT_NAME, sizeBytes: size, receivedBytes, createdAt: creation_date }
}

/** Lists the uploads of a token, oldest first, without unreadable ones. */
export async function listUploads(dataDir: string, tokenId: string): Promise<StoredUpload[]> {
  const ids = (await namesIn(uploadsDirectory(dataDir))).filter((name) => isUploadOf(name, tokenId))
  const found = await Promise.all(ids.map((id) => readUpload(dataDir, id).catch(noneIfDamaged)))
  return found.filter((upload) => upload !== null).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}

/**
 * Deletes expired uploads, and what killed processes left of them.
 *
 * @param keep ids of uploads that are still to be imported
 * @returns number of deleted files
 */
export async function sweepUploads(dataDir: string, olderThan: Date, keep: ReadonlySet<string>): Promise<number> {
  let removed = 0
  for (const name of await namesIn(uploadsDirectory(dataDir))) {
    const id = name.split('.')[0]
    if (keep.has(id)) continue
    const createdAt = Date.parse((await readUploadFacts(dataDir, id).catch(noneIfDamaged))?.creation_date ?? '')
    const path = join(uploadsDirectory(dataDir), name)
    const sinceMs = Number.isNaN(createdAt) ? ((await changedAt(path)) ?? Number.POSITIVE_INFINITY) : createdAt
    if (sinceMs >= olderThan.getTime()) continue
    // The metadata is deleted last: without it, nothing says how old the bytes are.
    if (!name.endsWith('.json') || !(await namesIn(uploadsDirectory(dataDir))).includes(id)) {
      await rm(path, { force: true })
      removed++
    }
  }
  return removed
}

export function noneIfDamaged(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'corrupt') return null
  throw error
}

/** Returns the path of a marker: the upload is in a bucket, and its file here has no bytes. */
export function markerPath(dataDir: string, id: string): string {
  return join(uploadsDirectory(dataDir), `${id}.kept`)
}

function factsPath(dataDir: string, id: string): string {
  return join(uploadsDirectory(dataDir), `${id}.json`)
}
