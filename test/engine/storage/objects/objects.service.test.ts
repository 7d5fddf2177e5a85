import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRandom } from '../../../../demo/random.ts'
import { joinPieces, PART_MIN_BYTES } from '../../../../engine/storage/objects/join-pieces.ts'
import { type ObjectStore, type Piece, readObject } from '../../../../engine/storage/objects/object-store.ts'
import { openObjects } from '../../../../engine/storage/objects/open-objects.ts'
import { probeObjects } from '../../../../engine/storage/objects/probe.ts'
import { giveCredentials, urlOf } from '../credentials.ts'
import { type S3Server, startS3 } from '../s3-server.mjs'

const MIB = 1 << 20
let takeCredentials: (() => void) | undefined
let dir: string
let server: S3Server
let s3: ObjectStore
let files: ObjectStore

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gazette-objects-'))
  server = await startS3({ pageSize: 3 })
  takeCredentials = giveCredentials(server)
  s3 = await openObjects(urlOf(server))
  files = await openObjects(`file://${join(dir, 'store')}`)
})
afterAll(async () => {
  s3?.close()
  await server?.stop()
  await rm(dir, { recursive: true, force: true })
  takeCredentials?.()
})
beforeEach(() => {
  server.faults.length = 0
  server.asked.length = 0
})

const bytesOf = async (store: ObjectStore, key: string, range?: { start: number; end: number }) => {
  const stream = await store.get(key, range)
  if (stream === null) return null
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}
const sha256 = (bytes: Uint8Array | null) => bytes && createHash('sha256').update(bytes).digest('hex')
const keysOf = async (store: ObjectStore, prefix: string) => {
  const keys: string[] = []
  for await (const { key, sizeBytes } of store.list(prefix)) keys.push(`${key} ${sizeBytes}`)
  return keys
}

describe.each([
  ['a bucket', () => s3],
  ['a directory', () => files],
])('objects in %s', (_name, the) => {
  test('are what was written, as a whole and in ranges, until they are deleted', async () => {
    expect(await the().head('a/none')).toBeNull()
    expect(await bytesOf(the(), 'a/none')).toBeNull()
    await the().put('a/x y+ä&%.csv', 'first')
    await the().put('a/x y+ä&%.csv', 'second one')
    expect(await bytesOf(the(), 'a/x y+ä&%.csv')).toEqual(Buffer.from('second one'))
    expect(await bytesOf(the(), 'a/x y+ä&%.csv', { start: 7, end: 10 })).toEqual(Buffer.from('one'))
    expect(await bytesOf(the(), 'a/x y+ä&%.csv', { start: 0, end: 0 })).toEqual(Buffer.alloc(0))
    expect(await the().head('a/x y+ä&%.csv')).toMatchObject({ sizeBytes: 10 })
    await expect(bytesOf(the(), 'a/x y+ä&%.csv', { start: 7, end: 20 })).rejects.toMatchObject({ code: 'corrupt' })
    await the().delete('a/x y+ä&%.csv')
    await the().delete('a/x y+ä&%.csv')
    expect(await the().head('a/x y+ä&%.csv')).toBeNull()
    await the().put('a/empty', '')
    expect(await bytesOf(the(), 'a/empty')).toEqual(Buffer.alloc(0))
  })

  test('are created once, whoever tries', async () => {
    const tries = await Promise.all(Array.from({ length: 8 }, (_, i) => the().putIfAbsent('once/by', `attempt ${i}`)))
    expect(tries.filter(Boolean)).toHaveLength(1)
    expect((await bytesOf(the(), 'once/by'))?.toString()).toBe(`attempt ${tries.indexOf(true)}`)
    // The very same bytes are a first try that is met again.
    expect(await the().putIfAbsent('once/by', `attempt ${tries.indexOf(true)}`)).toBe(true)
  })

  test('are listed by prefix, in the order of bytes, over any number of pages', async () => {
    const names = ['b', 'b-', 'b/1', 'b/2', 'b/ä', 'b0', 'b/2/x', 'c', 'B', 'b/~', 'b/10'].filter(
      (name) => !['b', 'b/2'].includes(name),
    )
    for (const name of names) await the().put(`list/${name}`, name)
    const sorted = names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const sized = (list: string[]) => list.map((name) => `list/${name} ${Buffer.byteLength(name)}`)
    expect(await keysOf(the(), 'list/')).toEqual(sized(sorted))
    expect(await keysOf(the(), 'list/b/')).toEqual(sized(sorted.filter((name) => name.startsWith('b/'))))
    expect(await keysOf(the(), 'list/b/1')).toEqual(sized(['b/1', 'b/10']))
    expect(await keysOf(the(), 'nothing/')).toEqual([])
  })

  test('are put together of pieces of any length', async () => {
    const large = randomBytes(11 * MIB)
    const small = randomBytes(3000)
    await the().put('parts/large', large)
    await the().put('parts/small', small)
    const copy = (of: 'large' | 'small', start: number, end: number): Piece => ({ copyOf: `parts/${of}`, start, end })
    const cases: [Piece[], Buffer][] = [
      [[], Buffer.alloc(0)],
      [[small], small],
      [[copy('small', 0, 3000)], small],
      [
        [small, copy('large', 0, large.length), copy('small', 10, 20), copy('large', 5 * MIB, 11 * MIB), small],
        Buffer.concat([small, large, small.subarray(10, 20), large.subarray(5 * MIB), small]),
      ],
    ]
    for (const [pieces, wanted] of cases) {
      expect(await the().compose('parts/whole', pieces)).toBe(wanted.length)
      expect(sha256(await bytesOf(the(), 'parts/whole'))).toBe(sha256(wanted))
    }
    await expect(
      the().compose('parts/no', [copy('small', 0, 3000), large, { copyOf: 'parts/none', start: 0, end: 9 }]),
    ).rejects.toThrow()
    expect(await the().head('parts/no')).toBeNull()
    expect(server.openUploads()).toBe(0)
  })

  test('have keys that lead nowhere else', async () => {
    for (const key of ['', '/a', 'a/', 'a//b', '../a', 'a/../b', '.a', 'a/.tmp', 'a\\b', 'a\0b', 'x'.repeat(901)])
      await expect(the().put(key, 'x')).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('a key must be'),
      })
  })

  test('pass the probe, which leaves nothing, and removes an hour later what a killed one left', async () => {
    await the().put('probe/left', 'by one that was killed')
    await probeObjects(the(), new Date())
    expect(await keysOf(the(), 'probe/')).toEqual(['probe/left 22'])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 })
    await probeObjects(the(), new Date()).finally(() => vi.useRealTimers())
    expect(await keysOf(the(), 'probe/')).toEqual([])
  })
})

test('a directory keeps nothing of what was being written', async () => {
  await expect(
    files.compose(
      'half/x',
      (async function* () {
        yield Buffer.from('some')
        throw new Error('power cut')
      })(),
    ),
  ).rejects.toThrow('power cut')
  expect(await files.head('half/x')).toBeNull()
  expect(await readdir(join(dir, 'store', '.incoming'))).toEqual([])
})

/** Lengths in MiB: most are neighbours of the one before, of a handful of objects; some have their bytes at hand. */
function randomPieces(seed: number, sources: Map<string, Buffer>): { pieces: Piece[]; whole: Buffer } {
  const random = createRandom(seed)
  const pieces: Piece[] = []
  const bytes: Buffer[] = []
  let at = { copyOf: 'a', end: 0 }
  for (let i = 0; i < 12; i++) {
    const length = Math.floor(random.uniform() ** 3 * 14 * MIB)
    if (random.uniform() < 0.3)
      at = { copyOf: random.uniform() < 0.5 ? 'a' : 'b', end: Math.floor(random.uniform() * 9) }
    const source = sources.get(at.copyOf)!
    const [start, end] = [at.end, Math.min(at.end + length, source.length)]
    const there = source.subarray(start, end)
    bytes.push(there)
    const isAtHand = random.uniform() < 0.6
    pieces.push(
      random.uniform() < 0.2 ? there : { copyOf: at.copyOf, start, end, ...(isAtHand ? { bytes: there } : {}) },
    )
    at.end = end
  }
  return { pieces, whole: Buffer.concat(bytes) }
}

test('pieces become parts as S3 takes them, in any order and length, and neighbours are copied as one', async () => {
  const sources = new Map(['a', 'b'].map((name) => [name, randomBytes(40 * MIB)]))
  let copied = 0
  for (let seed = 1; seed <= 4; seed++) {
    const { pieces, whole } = randomPieces(seed, sources)
    const parts: Buffer[] = []
    const isSent: boolean[] = []
    async function* read({ copyOf, start, end }: Exclude<Piece, Uint8Array>) {
      yield sources.get(copyOf)!.subarray(start, end)
    }
    for await (const part of joinPieces(pieces, read)) {
      isSent.push(part instanceof Uint8Array)
      parts.push(
        Buffer.from(part instanceof Uint8Array ? part : sources.get(part.copyOf)!.subarray(part.start, part.end)),
      )
    }
    expect(Buffer.concat(parts).equals(whole)).toBe(true)
    expect(parts.slice(0, -1).every(({ length }) => length >= PART_MIN_BYTES)).toBe(true)
    copied += isSent.filter((each) => !each).length
  }
  expect(copied).toBeGreaterThan(3)
  const blocks = Array.from({ length: 30 }, (_, i) => ({ copyOf: 'a', start: i * MIB, end: (i + 1) * MIB }))
  const joined: Piece[] = []
  for await (const part of joinPieces([...blocks], async function* () {})) joined.push(part)
  expect(joined).toEqual([{ copyOf: 'a', start: 0, end: 30 * MIB }])
})

describe('a bucket', () => {
  test('copies large pieces without sending them', async () => {
    await s3.put('copy/large', randomBytes(6 * MIB))
    server.asked.length = 0
    await s3.compose('copy/whole', [{ copyOf: 'copy/large', start: 0, end: 6 * MIB }, randomBytes(10)])
    expect(server.asked.map((line) => line.split(' ')[0])).toEqual([
      'CreateMultipartUpload',
      'UploadPartCopy',
      'UploadPart',
      'CompleteMultipartUpload',
    ])
  })

  test('bears a server that is busy, cuts bodies, and answers what it did with an error', async () => {
    const bytes = randomBytes(2 * MIB)
    server.faults.push({ kind: '503', times: 2 }, { kind: '500', on: 'PutObject' })
    await s3.put('faults/x', bytes)
    server.faults.push({ kind: 'cut', on: 'GetObject', times: 3 })
    expect(sha256(await bytesOf(s3, 'faults/x'))).toBe(sha256(bytes))
    server.faults.push({ kind: '503', on: 'ListObjectsV2' })
    expect(await keysOf(s3, 'faults/')).toHaveLength(1)
    // Applied, answered with 500, tried again, refused: it was ours.
    server.faults.push({ kind: '500', on: 'PutObject' })
    expect(await s3.putIfAbsent('faults/once', 'attempt 1')).toBe(true)
    server.faults.push({ kind: '500', on: 'PutObject' })
    expect(await s3.putIfAbsent('faults/once', 'attempt 2')).toBe(false)
    server.faults.push({ kind: '409', on: 'PutObject' })
    expect(await s3.putIfAbsent('faults/twice', 'attempt 3')).toBe(true)
    server.faults.push({ kind: '500', on: 'CompleteMultipartUpload' }, { kind: '503', on: 'UploadPart' })
    expect(await s3.compose('faults/parts', [{ copyOf: 'copy/large', start: 0, end: 6 * MIB }, bytes])).toBe(8 * MIB)
    expect(server.openUploads()).toBe(0)
  })

  test.each([
    ['replaced', () => s3.put('faults/lease', 'holder 3'), 'holder 3'],
    ['removed', () => s3.delete('faults/lease'), undefined],
  ])('reads a small object anew that is %s while it is read', async (_, change, now) => {
    await s3.put('faults/lease', 'holder 1')
    let reads = 0
    const get: typeof s3.get = async (key) => {
      if (reads++ > 0) return s3.get(key)
      server.faults.push({ kind: 'cut', on: 'GetObject' })
      const first = await s3.get(key)
      await change()
      return first
    }
    expect((await readObject({ get }, 'faults/lease'))?.toString()).toBe(now)
    expect(reads).toBe(2)
  })

  test('says in one sentence what does not go, without any secret', async () => {
    await s3.put('x', 'x')
    server.faults.push({ kind: '500', times: 5 })
    await expect(bytesOf(s3, 'x')).rejects.toMatchObject({
      code: 'store_away',
      message: 's3://studies/lab/ cannot be reached: InternalError (500), after 5 tries',
    })
    const at = async (url: string) => {
      const store = await openObjects(url)
      return readObject(store, 'x').finally(() => store.close())
    }
    await expect(at(urlOf({ ...server, bucket: 'other' }))).rejects.toMatchObject({
      code: 'invalid_setting',
      message: 's3://other/lab/: there is no such bucket',
    })
    const secret = process.env.AWS_SECRET_ACCESS_KEY
    try {
      process.env.AWS_SECRET_ACCESS_KEY = 'wrong'
      await expect(at(urlOf(server))).rejects.toMatchObject({
        code: 'invalid_setting',
        message: 's3://studies/lab/ refuses: SignatureDoesNotMatch (403)',
      })
    } finally {
      process.env.AWS_SECRET_ACCESS_KEY = secret
    }
    await expect(at(urlOf({ ...server, url: 'http://127.0.0.1:1' }))).rejects.toMatchObject({
      code: 'store_away',
      message: 's3://studies/lab/ cannot be reached: ECONNREFUSED, after 5 tries',
    })
  })

  test('signs an address for one object and a while, which no other key opens', async () => {
    await s3.put('signed/x.csv', 'a,b')
    const address = (await s3.presign('signed/x.csv', 60, 'my "x".csv'))!
    const response = await fetch(address)
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="my__x_.csv"')
    expect(await response.text()).toBe('a,b')
    expect((await fetch(address, { headers: { range: 'bytes=2-' } })).status).toBe(206)
    expect((await fetch(address.replace('x.csv', 'y.csv'))).status).toBe(403)
    expect((await fetch(address.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'))).status).toBe(403)
    expect((await fetch(address.split('?')[0])).status).toBe(403)
    expect(await files.presign('signed/x.csv', 60, 'x.csv')).toBeNull()
  })
})

test.each([
  ['ignored', /overwrites what is there/],
  ['unknown', /refuses it .*NotImplemented \(501\)/],
] as const)('a store whose conditions are %s is refused by the probe', async (conditions, sentence) => {
  const other = await startS3({ conditions })
  const takeOthers = giveCredentials(other)
  const store = await openObjects(urlOf(other))
  try {
    await expect(probeObjects(store, new Date())).rejects.toMatchObject({
      code: 'invalid_setting',
      message: expect.stringMatching(sentence),
    })
    expect(other.objects.size).toBe(0)
  } finally {
    takeOthers()
    store.close()
    await other.stop()
  }
})
