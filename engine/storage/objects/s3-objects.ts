import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { ServiceError } from '../../model/errors.ts'
import type { StorePlace } from '../../model/store-url.ts'
import { joinPieces } from './join-pieces.ts'
import { checkKey, type Listed, type ObjectFacts, type ObjectStore, type Piece, readObject } from './object-store.ts'
import { s3Retries } from './s3-retries.ts'

/** Largest number of tries of a request, which back off, and of resumptions of an interrupted download. */
const TRIES = 5
const CONNECT_MS = 5000
/** Timeout of a request that receives no byte. */
const SILENT_MS = 60_000
/** Parts that are sent at once; each is memory. */
const PARTS_AT_ONCE = 3

type Bucket = {
  client: S3Client
  Bucket: string
  name: string
  keyOf: (key: string) => string
  copies: boolean
  signal?: AbortSignal
}

/** R2 takes only parts of equal length, and what is to be copied has any. */
const EQUAL_PARTS_HOST = /\.r2\.cloudflarestorage\.com$/

/** Opens the objects of a bucket. Credentials are those that the SDK finds: environment, files, the machine's role. */
export function openS3(place: StorePlace & { kind: 's3' }, signal?: AbortSignal): ObjectStore {
  const { bucket, prefix, region, endpoint, pathStyle } = place
  const { retryStrategy, agents } = s3Retries(TRIES)
  const client = new S3Client({
    ...(region ? { region } : {}),
    ...(endpoint ? { endpoint } : {}),
    forcePathStyle: pathStyle,
    // What third-party stores do not know must not be sent unasked; what Gazette reads it compares with a SHA-256 of
    // its own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: TRIES,
    retryStrategy,
    requestHandler: { ...agents, connectionTimeout: CONNECT_MS, requestTimeout: SILENT_MS, socketTimeout: SILENT_MS },
  })
  const place_: Bucket = {
    client,
    Bucket: bucket,
    name: `s3://${bucket}/${prefix}`,
    keyOf: (key) => prefix + checkKey(key),
    copies: !EQUAL_PARTS_HOST.test(new URL(endpoint ?? 'https://-').hostname),
    signal,
  }
  const get: ObjectStore['get'] = (key, range) => getObject(place_, key, range)
  return {
    name: place_.name,
    isServer: true,
    head: (key) => headObject(place_, key),
    get,
    put: (key, bytes) => putObject(place_, key, bytes, {}),
    putIfAbsent: (key, bytes) => putObjectIfAbsent(place_, key, bytes, get),
    copies: place_.copies,
    compose: (key, pieces) => composeObject(place_, key, pieces, get),
    list: (prefixWithin, after) => listObjects(place_, prefix, prefixWithin, after),
    delete: (key) =>
      asked(place_, () =>
        client.send(new DeleteObjectCommand({ Bucket: bucket, Key: place_.keyOf(key) }), { abortSignal: signal }),
      ).then(() => undefined),
    tidy: async () => {},
    presign: (key, seconds, fileName) => {
      const ResponseContentDisposition = `attachment; filename="${fileName.replaceAll(/[^\w.-]/g, '_')}"`
      const command = new GetObjectCommand({ Bucket: bucket, Key: place_.keyOf(key), ResponseContentDisposition })
      return asked(place_, () => getSignedUrl(client, command, { expiresIn: seconds }))
    },
    close: () => client.destroy(),
  }
}

async function headObject(
  { client, Bucket, keyOf, signal, ...rest }: Bucket,
  key: string,
): Promise<ObjectFacts | null> {
  const command = new HeadObjectCommand({ Bucket, Key: keyOf(key) })
  return asked(
    rest,
    async () => {
      const { ContentLength, ETag, LastModified } = await client.send(command, { abortSignal: signal })
      return { sizeBytes: ContentLength ?? 0, etag: ETag ?? '', changedMs: LastModified?.getTime() ?? 0 }
    },
    404,
  )
}

/** Opens a download, whose bytes are read on from where it broke off. */
async function getObject(
  bucket: Bucket,
  key: string,
  range?: { start: number; end: number },
): Promise<AsyncGenerator<Uint8Array> | null> {
  if (range && range.start >= range.end) return (await headObject(bucket, key)) && nothing()
  const first = await openDownload(bucket, key, range?.start ?? 0, range?.end)
  return first === null ? null : bytesOf(bucket, key, first)
}

type Download = { body: AsyncIterable<Uint8Array>; at: number; end: number; etag: string | undefined }

async function openDownload(
  { client, Bucket, keyOf, signal, ...rest }: Bucket,
  key: string,
  start: number,
  end?: number,
  IfMatch?: string,
): Promise<Download | null> {
  const Range = start > 0 || end !== undefined ? `bytes=${start}-${end === undefined ? '' : end - 1}` : undefined
  const command = new GetObjectCommand({ Bucket, Key: keyOf(key), Range, IfMatch })
  return asked(
    rest,
    async () => {
      const { Body, ContentLength = 0, ContentRange, ETag } = await client.send(command, { abortSignal: signal })
      if (Range !== undefined && !ContentRange?.startsWith(`bytes ${start}-`))
        throw new ServiceError(
          'invalid_setting',
          `${rest.name} does not answer with the part of an object that was asked for`,
        )
      if (end !== undefined && ContentLength !== end - start) throw shorter(key)
      return { body: Body as unknown as AsyncIterable<Uint8Array>, at: start, end: start + ContentLength, etag: ETag }
    },
    404,
  )
}

async function* bytesOf(bucket: Bucket, key: string, download: Download): AsyncGenerator<Uint8Array> {
  const { end, etag } = download
  let { at, body } = download
  for (let tries = 1; at < end; tries++) {
    let last: Uint8Array | null = null
    try {
      for await (const bytes of body) {
        at += bytes.length
        tries = 1
        if (at < end) yield bytes
        else last = bytes
      }
      if (at < end) throw new Error('the download broke off')
    } catch (error) {
      if (error instanceof ServiceError || bucket.signal?.aborted) throw error
      if (at < end) {
        if (tries >= TRIES) throw faultOf(error, bucket.name)
        const next = await openDownload(bucket, key, at, end, etag).catch((fault) => {
          if (statusOf((fault as ServiceError).cause) !== 412) throw fault
          throw new ServiceError('moved_on', `${key} was replaced in ${bucket.name} while it was read`)
        })
        if (next === null) throw new ServiceError('not_found', `${key} is gone from ${bucket.name}`)
        body = next.body
      }
    }
    if (at > end) throw shorter(key)
    // Given when the answer has ended: whoever takes no more would else close a connection that the next request can
    // use.
    if (last) yield last
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function shorter(key: string): ServiceError {
  return new ServiceError('corrupt', `${key} is not as long as was asked of it`)
}

async function putObject(
  { client, Bucket, keyOf, signal, ...rest }: Bucket,
  key: string,
  bytes: Uint8Array | string,
  condition: { IfNoneMatch?: '*' },
): Promise<void> {
  const Body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  const command = new PutObjectCommand({ Bucket, Key: keyOf(key), Body, ...condition })
  await asked(rest, () => client.send(command, { abortSignal: signal }))
}

/**
 * A write that is under way at the same time is answered with 409, and asked again: then it is there, or has failed.
 */
async function putObjectIfAbsent(
  bucket: Bucket,
  key: string,
  bytes: Uint8Array | string,
  get: ObjectStore['get'],
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      await putObject(bucket, key, bytes, { IfNoneMatch: '*' })
      return true
    } catch (error) {
      const status = statusOf((error as ServiceError).cause)
      if (status === 409 && tries < TRIES) continue
      if (status !== 412) throw error
      // It may be ours: a first try that was applied, and answered with an error.
      const there = await readObject({ get }, key)
      if (there !== null) return there.equals(Buffer.from(bytes))
      if (tries >= TRIES) throw error
    }
  }
}

async function composeObject(
  bucket: Bucket,
  key: string,
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  get: ObjectStore['get'],
): Promise<number> {
  const { client, Bucket, keyOf, signal } = bucket
  const send = { abortSignal: signal }
  async function* read({ copyOf, start, end }: Exclude<Piece, Uint8Array>): AsyncGenerator<Uint8Array> {
    const stream = await get(copyOf, { start, end })
    if (stream === null) throw new ServiceError('not_found', `${copyOf} is not in ${bucket.name}`)
    yield* stream
  }
  const spare: Uint8Array[] = []
  const parts = joinPieces(bucket.copies ? pieces : bytesOfPieces(pieces, read), read, spare)
  const first = await parts.next()
  const second = first.done ? first : await parts.next()
  // A single small part needs no multipart upload.
  if (second.done && (first.done || first.value instanceof Uint8Array)) {
    const bytes = first.done ? new Uint8Array(0) : (first.value as Uint8Array)
    await putObject(bucket, key, bytes, {})
    return bytes.length
  }
  const Key = keyOf(key)
  const { UploadId } = await asked(bucket, () => client.send(new CreateMultipartUploadCommand({ Bucket, Key }), send))
  const upload = { Bucket, Key, UploadId }
  try {
    const sent: Promise<SentPart>[] = []
    let sizeBytes = 0
    const start = (part: Piece) => {
      sizeBytes += part instanceof Uint8Array ? part.length : part.end - part.start
      const sending = sendPart(bucket, { ...upload, PartNumber: sent.length + 1 }, part, spare)
      sending.catch(() => {})
      sent.push(sending)
    }
    start(first.value as Piece)
    if (!second.done) start(second.value)
    for await (const part of parts) {
      start(part)
      await sent[sent.length - PARTS_AT_ONCE]
    }
    await completeUpload(bucket, key, upload, await Promise.all(sent), sizeBytes)
    return sizeBytes
  } catch (error) {
    // With a signal that has aborted nothing can be sent any more but by this.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw error
  }
}

/** Returns pieces none of which is to be copied. */
async function* bytesOfPieces(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  read: (piece: Exclude<Piece, Uint8Array>) => AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece
    else if (piece.bytes?.length === piece.end - piece.start) yield piece.bytes
    else yield* read(piece)
  }
}

/** Ends an upload of parts. One that was applied and answered with an error is unknown when it is asked for again. */
async function completeUpload(
  bucket: Bucket,
  key: string,
  upload: { Bucket: string; Key: string; UploadId: string | undefined },
  Parts: { ETag?: string; PartNumber: number }[],
  sizeBytes: number,
): Promise<void> {
  const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })
  try {
    await asked(bucket, () => bucket.client.send(command, { abortSignal: bucket.signal }))
  } catch (error) {
    const isUnknown = ((error as ServiceError).cause as Error | undefined)?.name === 'NoSuchUpload'
    if (!isUnknown || (await headObject(bucket, key))?.sizeBytes !== sizeBytes) throw error
  }
}

async function* listObjects(
  { client, Bucket, signal, ...rest }: Bucket,
  prefix: string,
  within: string,
  after?: string,
): AsyncGenerator<Listed> {
  const StartAfter = after === undefined ? undefined : prefix + after
  for (let ContinuationToken: string | undefined; ; ) {
    const command = new ListObjectsV2Command({ Bucket, Prefix: prefix + within, ContinuationToken, StartAfter })
    const page = await asked(rest, () => client.send(command, { abortSignal: signal }))
    for (const { Key = '', Size = 0, LastModified } of page.Contents ?? [])
      yield { key: Key.slice(prefix.length), sizeBytes: Size, changedMs: LastModified?.getTime() ?? 0 }
    if (!page.IsTruncated || !page.NextContinuationToken) return
    ContinuationToken = page.NextContinuationToken
  }
}

/**
 * Asks the store, and says in a sentence what went wrong.
 *
 * @param none a status that means that there is nothing: null
 */
async function asked<T>({ name }: Pick<Bucket, 'name'>, ask: () => Promise<T>): Promise<T>
async function asked<T>({ name }: Pick<Bucket, 'name'>, ask: () => Promise<T>, none: number): Promise<T | null>
async function asked<T>({ name }: Pick<Bucket, 'name'>, ask: () => Promise<T>, none?: number): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (statusOf(error) === none && none !== undefined && (error as Error).name !== 'NoSuchBucket') return null
    throw faultOf(error, name)
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode
}

/**
 * Credentials, region and rights are for whoever set them; all else may work a little later. The sentence has no
 * secret: names and codes alone.
 */
function faultOf(error: unknown, store: string): unknown {
  const { name = '', code = '', message = '' } = error as { name?: string; code?: string; message?: string }
  if (error instanceof ServiceError) return error
  if (name === 'AbortError') return new ServiceError('canceled', 'it was stopped', { cause: error })
  const status = statusOf(error)
  const cause = error
  if (name === 'CredentialsProviderError' || /credential/i.test(name))
    return new ServiceError(
      'invalid_setting',
      `${store} needs credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role`,
      { cause },
    )
  if (/region is missing/i.test(message))
    return new ServiceError('invalid_setting', `${store} needs a region: AWS_REGION, or ?region= behind the address`, {
      cause,
    })
  if (name === 'NoSuchBucket')
    return new ServiceError('invalid_setting', `${store}: there is no such bucket`, { cause })
  if (status !== undefined && status < 500 && status !== 429)
    return new ServiceError('invalid_setting', `${store} refuses: ${name} (${status})`, { cause })
  const what = status === undefined ? code || name : `${name} (${status})`
  return new ServiceError('store_away', `${store} cannot be reached: ${what}, after ${TRIES} tries`, { cause })
}

type SentPart = { ETag?: string; PartNumber: number }

/** Sends a part of an upload, or has the server copy it. A buffer that was sent is put back among the spare ones. */
async function sendPart(
  bucket: Bucket,
  to: { Bucket: string; Key: string; UploadId: string | undefined; PartNumber: number },
  part: Piece,
  spare: Uint8Array[],
): Promise<SentPart> {
  const { client, Bucket, keyOf, signal } = bucket
  const { PartNumber } = to
  const send = { abortSignal: signal }
  if (part instanceof Uint8Array) {
    const { ETag } = await asked(bucket, () => client.send(new UploadPartCommand({ ...to, Body: part }), send))
    spare.push(part)
    return { ETag, PartNumber }
  }
  const CopySource = encodeURI(`${Bucket}/${keyOf(part.copyOf)}`)
  const CopySourceRange = `bytes=${part.start}-${part.end - 1}`
  const command = new UploadPartCopyCommand({ ...to, CopySource, CopySourceRange })
  const { CopyPartResult } = await asked(bucket, () => client.send(command, send))
  return { ETag: CopyPartResult?.ETag, PartNumber }
}
