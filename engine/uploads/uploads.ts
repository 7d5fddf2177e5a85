import { randomBytes } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode, replaceDurably } from '../files/durable.ts'
import { changedAt, namesIn } from '../files/optional-files.ts'
import { readSealed, seal } from '../files/sealed-json.ts'
import { ServiceError } from '../model/errors.ts'

/**
 * Uploads on disk: under DATA_DIR/uploads, a file <id> with the bytes that have come and a file <id>.json with what was
 * said of it. The id begins with that of the token that may send, import and delete it. Names that clients give are
 * kept in the JSON only.
 */
export type Upload = {
  id: string
  /** A single name, as the client has it. */
  name: string
  sizeBytes: number
  receivedBytes: number
  createdAt: string
}

/** Record of the tus store about an upload, under a checksum. */
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

/** Returns whether an id is one of an upload of this token. */
export function isUploadOf(id: string, tokenId: string): boolean {
  return UPLOAD_ID.exec(id)?.[1] === tokenId
}

/** Returns the path of an upload's bytes. @param id checked before */
export function uploadPath(dataDir: string, id: string): string {
  return join(uploadsDirectory(dataDir), id)
}

/** Returns what is wrong with the name of a file; null for one that may be kept: a single, visible name. */
export function nameFault(name: string): string | null {
  if (Buffer.byteLength(name) > NAME_MAX_BYTES) return `must have at most ${NAME_MAX_BYTES} bytes`
  if (name === '' || name.startsWith('.')) return 'must not be empty, nor begin with a dot'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  return /[/\\:\u0000-\u001f\u007f]/.test(name) ? 'must be a name without folders, colons and control characters' : null
}

/** Reads the facts of an upload; null when there is none. @throws ServiceError corrupt */
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
  await rm(keptPath(dataDir, id), { force: true })
}

/** Reads an upload; null when there is none. @throws ServiceError corrupt */
export async function readUpload(dataDir: string, id: string): Promise<Upload | null> {
  const facts = await readUploadFacts(dataDir, id)
  if (facts === null) return null
  const found = await stat(uploadPath(dataDir, id)).catch((error) => {
    if (isCode(error, 'ENOENT')) return null
    throw error
  })
  if (found === null) return null
  return uploadOf(facts, found.size)
}

export function uploadOf({ id, size = 0, metadata, creation_date = '' }: UploadFacts, receivedBytes: number): Upload {
  return { id, name: metadata?.filename || DEFAULT_NAME, sizeBytes: size, receivedBytes, createdAt: creation_date }
}

/** Lists the uploads of a token, oldest first; what cannot be read is left out. */
export async function listUploads(dataDir: string, tokenId: string): Promise<Upload[]> {
  const ids = (await namesIn(uploadsDirectory(dataDir))).filter((name) => isUploadOf(name, tokenId))
  const found = await Promise.all(ids.map((id) => readUpload(dataDir, id).catch(noneIfDamaged)))
  return found.filter((upload) => upload !== null).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}

/**
 * Deletes uploads that are older than they may be, and what killed processes left of them.
 *
 * @param keep ids of those that are still to be imported
 * @returns how many files went
 */
export async function sweepUploads(dataDir: string, olderThan: Date, keep: ReadonlySet<string>): Promise<number> {
  let removed = 0
  for (const name of await namesIn(uploadsDirectory(dataDir))) {
    const id = name.split('.')[0]
    if (keep.has(id)) continue
    const createdAt = Date.parse((await readUploadFacts(dataDir, id).catch(noneIfDamaged))?.creation_date ?? '')
    const path = join(uploadsDirectory(dataDir), name)
    const sinceMs = Number.isNaN(createdAt) ? ((await changedAt(path)) ?? Date.now()) : createdAt
    if (sinceMs >= olderThan.getTime()) continue
    // The facts go last: without them nothing tells how old the bytes are.
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

/** Returns the path of a mark: the upload is kept in a bucket, and its file here has no bytes. */
export function keptPath(dataDir: string, id: string): string {
  return join(uploadsDirectory(dataDir), `${id}.kept`)
}

function factsPath(dataDir: string, id: string): string {
  return join(uploadsDirectory(dataDir), `${id}.json`)
}
