import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { FileStore } from '@tus/file-store'
import { type Locker, Server } from '@tus/server'
import type { Request, Response } from 'express'
import type { TokenRecord } from '../../engine/access/token-file.ts'
import type { Config } from '../../engine/model/settings.ts'
import { makeDirectory } from '../../engine/storage/files/durable.ts'
import { type Lock, takeLock, takeLockWithin } from '../../engine/storage/files/lock.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import { importedUploads } from '../../engine/uploads/import-job.ts'
import type { Uploads } from '../../engine/uploads/open-uploads.ts'
import {
  isUploadOf,
  nameFault,
  newUploadId,
  readUploadFacts,
  type StoredUpload,
  uploadPath,
  uploadsDirectory,
  writeUploadFacts,
} from '../../engine/uploads/uploads.ts'
import { tokenOf } from '../access/authorize.ts'
import { waitForBody } from '../http/body/body-time.ts'
import { freeMib, isBelowFloor, MIB } from '../http/free-space.ts'
import { asProblem, invalidParameters, type ProblemCode, ProblemError } from '../http/problems.ts'
import type { UPLOAD_ROUTES } from '../routes/imports.ts'
import type { Answers } from '../routes/route.ts'
import type { UploadView } from '../schemas/upload.ts'

type Parts = { config: Config; records: RecordsAt; uploads: Uploads }

const PATH = '/api2/uploads'
const HOUR_MS = 3_600_000
const GIB = 2 ** 30
/** Requires the length of an upload in advance, since its size could not be limited otherwise. */
const EXTENSIONS = ['creation', 'creation-with-upload', 'termination', 'expiration']

/** Returns the handlers of uploads: the library's tus 1.0, with our problems, tokens and limits. */
export function uploadRoutes({ config, records, uploads }: Parts): Answers<typeof UPLOAD_ROUTES> {
  const { uploadTtlHours } = config
  const tus = openTus({ config, records, uploads })
  return {
    listUploads: async ({ token }) => {
      const [found, imported] = [await uploads.list(token.id), await importedUploads(records)]
      return { uploads: found.map((upload) => viewUpload(upload, imported.has(upload.id), uploadTtlHours)) }
    },
    askUploads: tus,
    beginUpload: tus,
    askUpload: tus,
    lookAtUpload: tus,
    continueUpload: tus,
    deleteUpload: tus,
  }
}

function viewUpload(
  { id, name, sizeBytes, receivedBytes, createdAt }: StoredUpload,
  isImported: boolean,
  ttlHours: number,
): UploadView {
  const expiresAt = new Date(Date.parse(createdAt) + ttlHours * HOUR_MS).toISOString()
  return { id, href: `${PATH}/${id}`, name, bytes: sizeBytes, receivedBytes, isImported, createdAt, expiresAt }
}

function openTus({ config, records, uploads }: Parts): (asked: { req: Request; res: Response }) => Promise<void> {
  const { dataDir } = config
  /** Owner of a request, and the reason why it failed; the library passes on only the request. */
  const tokens = new WeakMap<object, TokenRecord>()
  const failures = new WeakMap<object, unknown>()
  /** Ids of the uploads that requests create. */
  const ids = new WeakMap<object, string>()
  let server: Server | null = null
  return async ({ req, res }) => {
    await makeDirectory(uploadsDirectory(dataDir), 0o700)
    // If the directory is missing, the library would create it with permissions for everybody.
    server ??= openServer({ config, records, uploads }, (request) => tokens.get(request)!.id, ids, failures)
    const body = bodyPassing(req)
    const request = webRequest(req, body)
    tokens.set(request, tokenOf(res))
    waitForBody(req, Number.POSITIVE_INFINITY)
    const answer = await server.handleWeb(request as Parameters<Server['handleWeb']>[0])
    const made = ids.get(request)
    // Nobody was told its address, so it would only take the token's room.
    if (made !== undefined && (answer.status >= 400 || res.headersSent)) await uploads.remove(made)
    // If the rest of a refused piece were not read, the next request of this connection would wait.
    if (body !== null) req.unpipe(body).resume()
    // The piece came too slowly.
    if (res.headersSent) return
    if (answer.status >= 400) throw problemOf(answer.status, await answer.text(), failures.get(request))
    for (const [name, value] of answer.headers) if (!name.startsWith('access-control-')) res.setHeader(name, value)
    res.status(answer.status).end()
  }
}

function openServer(
  { config, records, uploads }: Parts,
  tokenIdOf: (request: object) => string,
  ids: WeakMap<object, string>,
  failures: WeakMap<object, unknown>,
): Server {
  const { dataDir, uploadsMaxGib } = config
  return new Server({
    path: PATH,
    relativeLocation: true,
    allowedOrigins: () => false,
    maxSize: uploadsMaxGib * GIB,
    datastore: privateStore({ config, records, uploads }),
    locker: fileLocker(dataDir),
    namingFunction: (request) => {
      const id = newUploadId(tokenIdOf(request))
      ids.set(request, id)
      return id
    },
    getFileIdFromRequest: (request, last) => (last && isUploadOf(last, tokenIdOf(request)) ? last : undefined),
    onUploadCreate: async (_request, upload) => {
      const name = upload.metadata?.filename ?? null
      const fault = name === null ? null : nameFault(name)
      if (fault === null) return {}
      throw invalidParameters([{ parameter: 'Upload-Metadata: filename', rule: fault, value: String(name) }])
    },
    onUploadFinish: async (_request, upload) => {
      await uploads.keep(upload.id)
      return {}
    },
    onResponseError: (request, error) => {
      failures.set(request, error)
      return undefined
    },
  })
}

/** Returns the body of a request as a stream, which ends in an error if the client disconnects; null without a body. */
function bodyPassing(req: Request): PassThrough | null {
  if (req.method !== 'POST' && req.method !== 'PATCH') return null
  const body = req.pipe(new PassThrough())
  const end = () => req.readableEnded || body.destroy(new Error('the client left'))
  if (req.closed) end()
  else req.once('close', end)
  // After the answer, the stream has no listener for an abort.
  body.on('error', () => undefined)
  return body
}

/** Converts a request for the library: with the whole path, and without headers that matter only to us. */
function webRequest(req: Request, body: Readable | null): globalThis.Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers))
    if (name.startsWith('upload-') || name.startsWith('tus-') || ['content-type', 'content-length'].includes(name))
      headers.set(name, String(value))
  const path = req.originalUrl.split('?')[0]
  return new globalThis.Request(`http://localhost${path}`, {
    method: req.method,
    headers,
    ...(body === null ? {} : { body: Readable.toWeb(body) as ReadableStream<Uint8Array>, duplex: 'half' }),
  } as RequestInit)
}

/** Stores uploads with the library's file store, with files readable only by their owner, and durable metadata. */
function privateStore({ config, records, uploads }: Parts): FileStore {
  const { dataDir, uploadTtlHours } = config
  const store = new FileStore({
    directory: uploadsDirectory(dataDir),
    expirationPeriodInMilliseconds: uploadTtlHours * HOUR_MS,
    configstore: {
      get: async (id) => ((await readUploadFacts(dataDir, id)) ?? undefined) as never,
      set: (_id, facts) => writeUploadFacts(dataDir, facts),
      delete: (id) => uploads.remove(id),
    },
  })
  store.extensions = EXTENSIONS
  const create = store.create.bind(store)
  const oneByOne = onePerToken(dataDir)
  store.create = (upload) => {
    const tokenId = upload.id.split('-')[0]
    return oneByOne(tokenId, async () => {
      await requireRoom({ config, records, uploads }, tokenId, upload.size ?? 0)
      const made = await create(upload)
      await chmod(uploadPath(dataDir, upload.id), 0o600)
      return made
    })
  }
  return store
}

/** Locks uploads across all processes on the data directory, since requests for one upload may reach any of them. */
function fileLocker(dataDir: string): Locker {
  return {
    newLock: (id) => {
      let lock: Lock | null = null
      return {
        lock: async () => {
          lock = await takeLock(`${uploadPath(dataDir, id)}.lock`)
          if (lock === null)
            throw new ProblemError('busy', { detail: 'Another request is already sending to this upload.' })
        },
        unlock: async () => lock?.release(),
      }
    },
  }
}

/**
 * Enforces the limits on a token's uploads before another one is created.
 *
 * @throws ProblemError too_many_uploads, disk_full
 */
async function requireRoom(parts: Parts, tokenId: string, bytes: number): Promise<void> {
  const { uploadsPerToken, uploadsMaxGib } = parts.config
  const uploads = await evictImported(parts, tokenId, bytes)
  const held = heldBytes(uploads)
  if (uploads.length >= uploadsPerToken || held + bytes > uploadsMaxGib * GIB)
    throw new ProblemError('too_many_uploads', {
      detail: `This token has ${uploads.length} uploads of ${held} bytes, and may have ${uploadsPerToken} of ${uploadsMaxGib * GIB} together; with this one it would have more.`,
    })
  if (await isFullWith(bytes, parts.config)) throw new ProblemError('disk_full')
}

/** Returns true if so many bytes more would leave less than the floor. */
async function isFullWith(bytes: number, { dataDir, diskFloorMib }: Config): Promise<boolean> {
  return isBelowFloor((await freeMib(dataDir)) - bytes / MIB, diskFloorMib)
}

const heldBytes = (uploads: StoredUpload[]) => uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** Deletes imported uploads of a token, oldest first, until another one fits. @returns the remaining uploads */
async function evictImported(
  { config, records, uploads: there }: Parts,
  tokenId: string,
  bytes: number,
): Promise<StoredUpload[]> {
  const { uploadsPerToken, uploadsMaxGib } = config
  let uploads = await there.list(tokenId)
  const isFull = async () =>
    uploads.length >= uploadsPerToken ||
    heldBytes(uploads) + bytes > uploadsMaxGib * GIB ||
    (await isFullWith(bytes, config))
  if (uploads.length === 0 || !(await isFull())) return uploads
  const imported = await importedUploads(records)
  for (const { id } of uploads.filter((upload) => imported.has(upload.id))) {
    if (!(await isFull())) break
    await there.remove(id)
    uploads = uploads.filter((upload) => upload.id !== id)
  }
  return uploads
}

const LOCK_WAIT_MS = 10_000

/**
 * Serializes work for a token across all processes on the data directory, so each sees the result of the one before.
 */
function onePerToken(dataDir: string): <T>(tokenId: string, work: () => Promise<T>) => Promise<T> {
  const locked = async <T>(tokenId: string, work: () => Promise<T>): Promise<T> => {
    const lock = await takeLockWithin(join(uploadsDirectory(dataDir), `${tokenId}.lock`), LOCK_WAIT_MS)
    if (lock === null)
      throw new ProblemError('busy', { detail: 'Another request is creating an upload of this token.' })
    try {
      return await work()
    } finally {
      await lock.release()
    }
  }
  let last: Promise<unknown> = Promise.resolve()
  return (tokenId, work) => {
    const next = last.then(() => locked(tokenId, work))
    last = next.catch(() => undefined)
    return next
  }
}

const STATUS_CODES: Record<number, ProblemCode> = {
  404: 'not_found',
  409: 'upload_conflict',
  410: 'gone',
  413: 'upload_too_large',
}

/** Maps an error of the library to a problem: our problems come back unchanged, its own are mapped by status. */
function problemOf(status: number, words: string, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof Error && !('body' in error)) return asProblem(error)
  const code = STATUS_CODES[status]
  if (code === 'gone') return new ProblemError('gone', { detail: 'The upload has expired.' })
  if (code !== undefined) return new ProblemError(code)
  return new ProblemError('invalid_upload', { detail: `The request is not one of tus 1.0: ${words.trim()}.` })
}
