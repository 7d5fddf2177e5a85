// A small server of S3 for tests: one bucket, in memory or a directory, on loopback. It keeps the rules that Gazette
// stands on: signatures, conditions, parts of 5 MiB at least, ranges, pages of lists. Faults come on demand. By
// command, it prints its address and runs until it is ended: node test/engine/storage/s3-server.mjs [--directory DIR]
// [--port N] [--latency MS]
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openFiles, openMemory } from './s3-files.mjs'

const PART_MIN_BYTES = 5 << 20
const CLOCK_SKEW_MS = 15 * 60_000

class S3Error extends Error {
  constructor(status, code) {
    super(code)
    this.status = status
    this.code = code
  }
}

export async function startS3({
  bucket = 'studies',
  region = 'us-east-1',
  pageSize = 1000,
  conditions = 'kept',
  directory = null,
  port = 0,
  latencyMs = 0,
} = {}) {
  const disk = directory === null ? openMemory() : openFiles(directory)
  const credentials = disk.remember('credentials', () => ({
    accessKeyId: `AK${randomBytes(6).toString('hex')}`,
    secretAccessKey: randomBytes(20).toString('hex'),
  }))
  const { objects, uploads } = disk.found
  const state = {
    bucket,
    region,
    pageSize,
    conditions,
    latencyMs,
    credentials,
    disk,
    objects: new Map(objects.map(({ key, bytes }) => [key, bytes])),
    etags: new Map(objects.map(({ key, etag }) => [key, etag])),
    changed: new Map(objects.map(({ key, changed }) => [key, changed])),
    uploads: new Map(uploads.map(({ id, ...upload }) => [id, upload])),
    asked: [],
    faults: [],
    unlisted: new Set(),
  }
  const server = createServer((request, response) => {
    // Who sets the clock of a test sets that of the SDK, too, which else goes by what answers say.
    response.sendDate = false
    answer(state, request, response).catch((error) => {
      if (error instanceof S3Error) return sendError(response, error)
      console.error(error)
      response.destroy()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    bucket,
    credentials,
    objects: state.objects,
    asked: state.asked,
    faults: state.faults,
    unlisted: state.unlisted,
    openUploads: () => state.uploads.size,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function answer(state, request, response) {
  const body = await bodyOf(request)
  if (state.latencyMs > 0) await sleep(state.latencyMs)
  const url = new URL(request.url, `http://${request.headers.host}`)
  checkSignature(state, request, url, body)
  const [, bucket, ...rest] = url.pathname.split('/')
  if (decodeURIComponent(bucket) !== state.bucket) throw new S3Error(404, 'NoSuchBucket')
  const key = decodeURIComponent(rest.join('/'))
  const name = operationOf(request.method, key, url.searchParams, request.headers)
  state.asked.push(`${name} ${key}`)
  const fault = state.faults.find(({ on = name, key: of = /^/ }) => on === name && of.test(key))
  if (fault) fault.times = (fault.times ?? 1) - 1
  if (fault?.times === 0) state.faults.splice(state.faults.indexOf(fault), 1)
  if (fault?.kind === '503') throw new S3Error(503, 'SlowDown')
  if (fault?.kind === '403') throw new S3Error(403, 'AccessDenied')
  if (fault?.kind === '409') throw new S3Error(409, 'ConditionalRequestConflict')
  const kept = KEEPS.has(name) ? await state.disk.keep(body.pieces) : null
  const made = operate(state, name, key, { query: url.searchParams, headers: request.headers, body, kept })
  if (fault?.kind === '500') throw new S3Error(500, 'InternalError')
  const { status = 200, headers = {}, content = '' } = made ?? {}
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  response.writeHead(status, {
    'content-length': bytes.length,
    'x-amz-request-id': randomBytes(8).toString('hex'),
    ...headers,
  })
  if (fault?.kind === 'cut') {
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
  } else if (request.method === 'HEAD') response.end()
  else if (bytes instanceof Buffer) response.end(bytes)
  // Who reads no further has gone.
  else await pipeline(state.disk.read(bytes), response).catch(() => response.destroy())
}

function operationOf(method, key, query, headers) {
  if (key === '' && method === 'GET' && query.get('list-type') === '2') return 'ListObjectsV2'
  if (method === 'POST' && query.has('uploads')) return 'CreateMultipartUpload'
  if (method === 'POST' && query.has('uploadId')) return 'CompleteMultipartUpload'
  if (method === 'PUT' && query.has('partNumber')) return headers['x-amz-copy-source'] ? 'UploadPartCopy' : 'UploadPart'
  if (method === 'DELETE' && query.has('uploadId')) return 'AbortMultipartUpload'
  const plain = { GET: 'GetObject', HEAD: 'HeadObject', PUT: 'PutObject', DELETE: 'DeleteObject' }[method]
  if (!plain || key === '') throw new S3Error(501, 'NotImplemented')
  return plain
}

/** Does what was asked, at once: so of several who create a key one is let in. */
function operate(state, name, key, given) {
  try {
    return OPERATIONS[name](state, key, given)
  } catch (error) {
    if (given.kept) state.disk.drop(given.kept)
    throw error
  }
}

/** Operations whose bodies are bytes to store. */
const KEEPS = new Set(['PutObject', 'UploadPart'])

const OPERATIONS = {
  PutObject(state, key, { headers, body, kept }) {
    checkConditions(state, key, headers)
    return { headers: { etag: write(state, key, kept, [body.sum]) } }
  },
  HeadObject(state, key, given) {
    return OPERATIONS.GetObject(state, key, given)
  },
  GetObject(state, key, { headers, query }) {
    const bytes = state.objects.get(key)
    if (bytes === undefined) throw new S3Error(404, 'NoSuchKey')
    const etag = state.etags.get(key)
    if (headers['if-match'] && headers['if-match'] !== etag) throw new S3Error(412, 'PreconditionFailed')
    const disposition = query.get('response-content-disposition')
    const changed = new Date(state.changed.get(key) ?? 0).toUTCString()
    const common = {
      etag,
      'last-modified': changed,
      'accept-ranges': 'bytes',
      ...(disposition ? { 'content-disposition': disposition } : {}),
    }
    if (headers.range === undefined) return { headers: common, content: bytes }
    const { start, end } = rangeOf(headers.range, bytes.length)
    const range = { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }
    return { status: 206, headers: { ...common, ...range }, content: bytes.subarray(start, end) }
  },
  DeleteObject(state, key) {
    state.disk.removeObject(key, state.objects.get(key))
    state.objects.delete(key)
    state.etags.delete(key)
    return { status: 204 }
  },
  ListObjectsV2(state, _key, { query }) {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token')
      ? Buffer.from(query.get('continuation-token'), 'base64url').toString()
      : (query.get('start-after') ?? '')
    const most = Math.min(state.pageSize, Number(query.get('max-keys') ?? 1000))
    const keys = [...state.objects.keys()]
      .filter((key) => key.startsWith(prefix) && isBefore(after, key) && !state.unlisted.has(key))
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const page = keys.slice(0, most)
    const isCut = keys.length > most
    const written = query.get('encoding-type') === 'url' ? encodeURIComponent : xml
    const contents = page.map(
      (key) =>
        `<Contents><Key>${written(key)}</Key><LastModified>${new Date(state.changed.get(key) ?? 0).toISOString()}</LastModified><ETag>${xml(state.etags.get(key))}</ETag><Size>${state.objects.get(key).length}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
    )
    const next = isCut
      ? `<NextContinuationToken>${Buffer.from(page.at(-1)).toString('base64url')}</NextContinuationToken>`
      : ''
    return xmlAnswer(
      'ListBucketResult',
      `<Name>${state.bucket}</Name><Prefix>${xml(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${most}</MaxKeys><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}`,
    )
  },
  CreateMultipartUpload(state, key) {
    const id = randomBytes(12).toString('hex')
    state.disk.beginUpload(id, key)
    state.uploads.set(id, { key, parts: new Map() })
    return xmlAnswer(
      'InitiateMultipartUploadResult',
      `<Bucket>${state.bucket}</Bucket><Key>${xml(key)}</Key><UploadId>${id}</UploadId>`,
    )
  },
  UploadPart(state, key, { query, body, kept }) {
    return { headers: { etag: takePart(state, key, query, kept, body.sum) } }
  },
  UploadPartCopy(state, key, { query, headers }) {
    const [, bucket, source] = /^\/?([^/]+)\/(.*)$/.exec(decodeURIComponent(headers['x-amz-copy-source'])) ?? []
    const bytes = bucket === state.bucket ? state.objects.get(source) : undefined
    if (bytes === undefined) throw new S3Error(404, 'NoSuchKey')
    const [, first, last] =
      /^bytes=(\d+)-(\d+)$/.exec(headers['x-amz-copy-source-range'] ?? `bytes=0-${bytes.length - 1}`) ?? []
    if (first === undefined || Number(last) >= bytes.length || Number(first) > Number(last))
      throw new S3Error(400, 'InvalidArgument')
    const part = bytes.subarray(Number(first), Number(last) + 1)
    // Of what is not in memory, something that differs with it.
    const sum = sumOf(part instanceof Buffer ? part : `${state.etags.get(source)} ${first} ${last}`)
    const etag = takePart(state, key, query, part, sum)
    return xmlAnswer('CopyPartResult', `<ETag>${xml(etag)}</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified>`)
  },
  CompleteMultipartUpload(state, key, { query, headers, body }) {
    const upload = uploadOf(state, key, query)
    const asked = [
      ...Buffer.concat(body.pieces)
        .toString()
        .matchAll(/<Part>([\s\S]*?)<\/Part>/g),
    ].map(([, part]) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: /<ETag>(.*?)</.exec(part)?.[1].replaceAll('&quot;', '"'),
    }))
    if (asked.length === 0) throw new S3Error(400, 'MalformedXML')
    const parts = asked.map(({ number, etag }, i) => {
      if (i > 0 && number <= asked[i - 1].number) throw new S3Error(400, 'InvalidPartOrder')
      const part = upload.parts.get(number)
      if (part === undefined || part.etag !== etag) throw new S3Error(400, 'InvalidPart')
      if (i < asked.length - 1 && part.bytes.length < PART_MIN_BYTES) throw new S3Error(400, 'EntityTooSmall')
      return part.bytes
    })
    checkConditions(state, key, headers)
    const sums = asked.map(({ etag }) => Buffer.from(etag.slice(1, -1), 'hex'))
    const etag = write(state, key, state.disk.join(parts), sums, true)
    endUpload(state, query, upload)
    return xmlAnswer(
      'CompleteMultipartUploadResult',
      `<Bucket>${state.bucket}</Bucket><Key>${xml(key)}</Key><ETag>${xml(etag)}</ETag>`,
    )
  },
  AbortMultipartUpload(state, key, { query }) {
    endUpload(state, query, uploadOf(state, key, query))
    return { status: 204 }
  },
}

function checkConditions({ objects, etags, conditions }, key, headers) {
  const [none, match] = [headers['if-none-match'], headers['if-match']]
  if (conditions === 'unknown' && (none || match)) throw new S3Error(501, 'NotImplemented')
  if (conditions !== 'kept') return
  if (none !== undefined && none !== '*') throw new S3Error(501, 'NotImplemented')
  if (none === '*' && objects.has(key)) throw new S3Error(412, 'PreconditionFailed')
  if (match !== undefined && etags.get(key) !== match)
    throw new S3Error(objects.has(key) ? 412 : 404, 'PreconditionFailed')
}

/** Parts make another ETag, from which nobody gets the sum of the whole. */
function write({ objects, etags, changed, disk }, key, bytes, sums, isOfParts = false) {
  const etag = isOfParts
    ? `"${sumOf(Buffer.concat(sums)).toString('hex')}-${sums.length}"`
    : `"${sums[0].toString('hex')}"`
  const now = Date.now()
  disk.saveObject(key, { bytes, etag, changed: now }, objects.get(key))
  objects.set(key, bytes)
  etags.set(key, etag)
  changed.set(key, now)
  return etag
}

function endUpload({ uploads, disk }, query, { parts }) {
  const id = query.get('uploadId')
  disk.endUpload(id, parts)
  uploads.delete(id)
}

/** Returns the ETag. On AWS it is an MD5, or not, for example for encrypted objects, so nobody may rely on it. */
function sumOf(bytes) {
  return createHash('sha256').update(bytes).digest().subarray(0, 16)
}

function uploadOf({ uploads }, key, query) {
  const upload = uploads.get(query.get('uploadId'))
  if (upload?.key !== key) throw new S3Error(404, 'NoSuchUpload')
  return upload
}

function takePart(state, key, query, bytes, sum) {
  const number = Number(query.get('partNumber'))
  if (!(number >= 1 && number <= 10_000)) throw new S3Error(400, 'InvalidArgument')
  const etag = `"${sum.toString('hex')}"`
  const { parts } = uploadOf(state, key, query)
  state.disk.savePart(query.get('uploadId'), number, { bytes, etag }, parts.get(number))
  parts.set(number, { bytes, etag })
  return etag
}

function rangeOf(text, length) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(text) ?? []
  if (first === undefined || (first === '' && last === '')) throw new S3Error(416, 'InvalidRange')
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1)
  if (start >= end) throw new S3Error(416, 'InvalidRange')
  return { start, end }
}

function isBefore(a, b) {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}

/** Checks a signature of version 4, in the header or in the address, and the hash of the body. */
function checkSignature({ credentials, region }, request, url, body) {
  const { headers } = request
  const isPresigned = url.searchParams.has('X-Amz-Signature')
  const header = /^AWS4-HMAC-SHA256 Credential=(.*?), ?SignedHeaders=(.*?), ?Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  )
  if (!isPresigned && !header) throw new S3Error(403, 'AccessDenied')
  const [credential, signed, signature, time] = isPresigned
    ? ['Credential', 'SignedHeaders', 'Signature', 'Date'].map((name) => url.searchParams.get(`X-Amz-${name}`) ?? '')
    : [...header.slice(1), headers['x-amz-date'] ?? '']
  const [keyId, day, place, service, end] = credential.split('/')
  if (keyId !== credentials.accessKeyId) throw new S3Error(403, 'InvalidAccessKeyId')
  if (place !== region || service !== 's3' || end !== 'aws4_request' || !time.startsWith(day))
    throw new S3Error(400, 'AuthorizationHeaderMalformed')
  if (!signed.split(';').includes('host')) throw new S3Error(403, 'AccessDenied')
  checkTime(time, isPresigned ? Number(url.searchParams.get('X-Amz-Expires')) : null)
  const payload = isPresigned ? 'UNSIGNED-PAYLOAD' : headers['x-amz-content-sha256']
  if (payload === undefined) throw new S3Error(400, 'MissingSecurityHeader')
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== body.sha256) throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
  const canonical = [
    request.method,
    url.pathname
      .split('/')
      .map((part) => escaped(decodeURIComponent(part)))
      .join('/'),
    query.join('&'),
    ...signed.split(';').map(
      (name) =>
        `${name}:${String(headers[name] ?? '')
          .trim()
          .replaceAll(/ +/g, ' ')}`,
    ),
    '',
    signed,
    payload,
  ].join('\n')
  const scope = `${day}/${place}/${service}/${end}`
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const hmac = (secret, data) => createHmac('sha256', secret).update(data).digest()
  const secret = scope.split('/').reduce(hmac, `AWS4${credentials.secretAccessKey}`)
  const expected = hmac(secret, text).toString('hex')
  if (signature.length !== 64 || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
    throw new S3Error(403, 'SignatureDoesNotMatch')
}

function checkTime(time, expiresSeconds) {
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(at)) throw new S3Error(403, 'AccessDenied')
  const since = Date.now() - at
  if (expiresSeconds === null && Math.abs(since) > CLOCK_SKEW_MS) throw new S3Error(403, 'RequestTimeTooSkewed')
  if (expiresSeconds !== null && (!(expiresSeconds > 0 && expiresSeconds <= 604_800) || since > expiresSeconds * 1000))
    throw new S3Error(403, 'AccessDenied')
}

/** Percent-encodes like signatures: everything except letters, digits and -._~ */
function escaped(text) {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function xml(text) {
  return String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function xmlAnswer(name, inner) {
  const content = `<?xml version="1.0" encoding="UTF-8"?><${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${name}>`
  return { headers: { 'content-type': 'application/xml' }, content }
}

function sendError(response, { status, code }) {
  const content = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(content) })
  response.end(response.req.method === 'HEAD' ? undefined : content)
}

/** Reads a body, and hashes it as it comes: what is signed with its hash has to have it. */
async function bodyOf(request) {
  const pieces = []
  const hash = createHash('sha256')
  for await (const piece of request) {
    pieces.push(piece)
    hash.update(piece)
  }
  const sha256 = hash.digest()
  return { pieces, sha256: sha256.toString('hex'), sum: sha256.subarray(0, 16) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = { type: 'string' }
  const { values } = parseArgs({ options: { directory: text, port: text, latency: text } })
  const { directory, port = 0, latency = 0 } = values
  const { url, bucket, credentials } = await startS3({ directory, port: Number(port), latencyMs: Number(latency) })
  console.log(JSON.stringify({ url, bucket, credentials }))
}
