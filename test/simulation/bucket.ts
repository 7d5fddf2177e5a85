import { createHash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import type { ObjectStore } from '../../engine/storage/objects/object-store.ts'
import { openS3 } from '../../engine/storage/objects/s3-objects.ts'
import { type Client, errorWithoutStack } from './disk.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'

/**
 * A bucket in memory, for the requests of the SDK. It answers 503, also after it has done what it was asked; it cuts
 * bodies, and its lists are late. Each process has it under its own name: so it is known who asks, and the killed ones
 * get no answer.
 */
export type Bucket = {
  /** Probability that a request fails, 0 to 1. */
  faults: number
  /** Content by key. */
  objects: Map<string, Buffer>
  /** Called after each change, which `writer` has made. */
  onChange: (did: 'put' | 'delete', key: string, before: Buffer | undefined) => void
  writer: Client | null
}

const stores = new WeakMap<Client, ObjectStore>()

/** Returns the bucket as a process has it open. */
export function storeOf(client: Client): ObjectStore {
  let store = stores.get(client)
  if (store === undefined) {
    const place = { bucket: client.name, prefix: '', region: 'nowhere', endpoint: undefined, pathStyle: true }
    store = openS3({ kind: 's3', ...place })
    stores.set(client, store)
  }
  return store
}

/** Number of tries, as configured for the SDK. */
const TRIES = 5
/** Longest delay of a list of the bucket. */
export const LATE_MS = 3000

type Input = {
  Bucket: string
  Key: string
  Body?: Uint8Array
  IfNoneMatch?: string
  IfMatch?: string
  Range?: string
  Prefix?: string
  StartAfter?: string
  UploadId?: string
  PartNumber?: number
  CopySource?: string
  CopySourceRange?: string
  MultipartUpload?: { Parts: { PartNumber: number }[] }
}

function refusal(status: number, name: string): Error {
  return Object.assign(errorWithoutStack(name), { name, $metadata: { httpStatusCode: status } })
}

/** Makes a bucket that takes what the SDK sends. @returns it, and what gives the SDK back */
export function openBucket(
  clients: Map<string, Client>,
  timeline: Timeline,
  random: Random,
): { bucket: Bucket; release: () => void } {
  const uploads = new Map<string, Map<number, Buffer>>()
  /** Recent changes, which a delayed list may not show yet. */
  let recent: { key: string; atMs: number; before: number | undefined }[] = []
  const changedAt = new Map<string, Date>()
  const bucket: Bucket = { faults: 0, objects: new Map(), onChange: () => {}, writer: null }
  const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`

  function change(key: string, bytes: Buffer | null): void {
    const before = bucket.objects.get(key)
    recent = recent.filter(({ atMs }) => timeline.nowMs() - atMs < LATE_MS)
    changedAt.set(key, new Date())
    recent.push({ key, atMs: timeline.nowMs(), before: before?.length })
    if (bytes === null) bucket.objects.delete(key)
    else bucket.objects.set(key, bytes)
    bucket.onChange(bytes === null ? 'delete' : 'put', key, before)
  }

  function list(prefix: string, after: string) {
    const sizes = new Map<string, number>()
    for (const [key, bytes] of bucket.objects) if (key.startsWith(prefix)) sizes.set(key, bytes.length)
    const sinceMs = random.chance(0.3) ? timeline.nowMs() - random.below(LATE_MS) : Number.POSITIVE_INFINITY
    for (const { key, atMs, before } of recent.toReversed()) {
      if (atMs < sinceMs) continue
      if (before === undefined) sizes.delete(key)
      else sizes.set(key, before)
    }
    const keys = [...sizes.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    return { Contents: keys.map((Key) => ({ Key, Size: sizes.get(Key), LastModified: changedAt.get(Key) })) }
  }

  function rangeOf(bytes: Buffer, range: string | undefined): { start: number; end: number } {
    const [, start = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
    return { start: Number(start), end: last === '' ? bytes.length : Math.min(bytes.length, Number(last) + 1) }
  }

  async function* body(bytes: Buffer): AsyncGenerator<Uint8Array> {
    if (!random.chance(bucket.faults)) return yield bytes
    yield bytes.subarray(0, random.below(bytes.length + 1))
    if (random.chance(0.5)) throw new Error('the connection broke')
  }

  const need = (key: string): Buffer => {
    const bytes = bucket.objects.get(key)
    if (bytes === undefined) throw refusal(404, 'NoSuchKey')
    return bytes
  }
  const parts = (id?: string) => {
    const found = uploads.get(id ?? '')
    if (!found) throw refusal(404, 'NoSuchUpload')
    return found
  }
  const answers: Record<string, (input: Input) => object> = {
    HeadObjectCommand: ({ Key }) => {
      const bytes = need(Key)
      return { ContentLength: bytes.length, ETag: etagOf(bytes), LastModified: changedAt.get(Key) }
    },
    GetObjectCommand: ({ Key, Range, IfMatch }) => {
      const bytes = need(Key)
      if (IfMatch && IfMatch !== etagOf(bytes)) throw refusal(412, 'PreconditionFailed')
      const { start, end } = rangeOf(bytes, Range)
      const ContentRange = Range && `bytes ${start}-${end - 1}/${bytes.length}`
      return { Body: body(bytes.subarray(start, end)), ContentLength: end - start, ContentRange, ETag: etagOf(bytes) }
    },
    PutObjectCommand: ({ Key, Body, IfNoneMatch }) => {
      if (IfNoneMatch && bucket.objects.has(Key)) throw refusal(412, 'PreconditionFailed')
      change(Key, Buffer.from(Body!))
      return {}
    },
    DeleteObjectCommand: ({ Key }) => {
      if (bucket.objects.has(Key)) change(Key, null)
      return {}
    },
    ListObjectsV2Command: ({ Prefix = '', StartAfter = '' }) => list(Prefix, StartAfter),
    CreateMultipartUploadCommand: () => {
      const UploadId = `upload ${random.below(2 ** 31)}`
      uploads.set(UploadId, new Map())
      return { UploadId }
    },
    UploadPartCommand: ({ UploadId, PartNumber, Body }) => {
      parts(UploadId).set(PartNumber!, Buffer.from(Body!))
      return { ETag: etagOf(Buffer.from(Body!)) }
    },
    UploadPartCopyCommand: ({ UploadId, PartNumber, CopySource = '', CopySourceRange }) => {
      const bytes = need(decodeURI(CopySource).split('/').slice(1).join('/'))
      const { start, end } = rangeOf(bytes, CopySourceRange)
      parts(UploadId).set(PartNumber!, bytes.subarray(start, end))
      return { CopyPartResult: { ETag: etagOf(bytes) } }
    },
    CompleteMultipartUploadCommand: ({ Key, UploadId, MultipartUpload }) => {
      const there = parts(UploadId)
      change(Key, Buffer.concat(MultipartUpload!.Parts.map(({ PartNumber }) => there.get(PartNumber)!)))
      uploads.delete(UploadId!)
      return {}
    },
    AbortMultipartUploadCommand: ({ UploadId }) => {
      uploads.delete(UploadId ?? '')
      return {}
    },
  }

  /** One request: how it comes out once its time has come; null when it is to be made again. */
  function ask(name: string, input: Input): { answer?: object; error?: Error; isFinal: boolean } {
    const fails = random.chance(bucket.faults)
    const unavailable = { error: refusal(random.chance(0.5) ? 503 : 500, 'SlowDown'), isFinal: false }
    if (fails && random.chance(0.5)) return unavailable
    try {
      const answer = answers[name](input)
      return fails ? unavailable : { answer, isFinal: true }
    } catch (error) {
      return { error: error as Error, isFinal: true }
    }
  }

  function send(this: S3Client, command: { constructor: { name: string }; input: Input }): Promise<unknown> {
    const client = clients.get(command.input.Bucket)!
    return new Promise((resolve, reject) => {
      let tries = 0
      const run = (): void => {
        if (client.isDead && random.chance(0.5)) return
        const standsMs = client.standsUntilMs - timeline.nowMs()
        if (!client.isDead && standsMs > 0) return void timeline.after(standsMs + random.next(), run)
        bucket.writer = client
        const { answer, error, isFinal } = ask(command.constructor.name, command.input)
        if (client.isDead) return
        if (!isFinal && ++tries < TRIES) timeline.after(20 + random.below(500), run)
        else if (error) reject(error)
        else resolve(answer)
      }
      if (!client.isDead) timeline.after(5 + random.next() * 30, run)
    })
  }
  const { send: actual } = S3Client.prototype
  S3Client.prototype.send = send as unknown as typeof actual
  return {
    bucket,
    release: () => {
      S3Client.prototype.send = actual
    },
  }
}
