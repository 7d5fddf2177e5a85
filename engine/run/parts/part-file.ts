import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import { ServiceError } from '../../model/errors.ts'
import { type Plan, planId } from '../../model/plan.ts'
import { closing } from '../../storage/concurrency/closing.ts'
import type { CopiedRange, ReadFile } from '../../storage/files/block-file.ts'
import { type DeflatedPiece, inflatePiece } from '../../text/gzip.ts'
import type { BlockPlaces, ShardResult } from '../pool/export-thread.ts'
import { isWorthSharing } from '../shards/blocks.ts'
import type { Shard } from '../shards/shards.ts'

/**
 * The file of a part. It has the blocks of its shards, compressed if the export's file will have a gzip version, which
 * saves nine tenths of the bytes; an index (V8's serialization of a `PartIndex`); and a trailer: the index's SHA-256,
 * its length in 8 bytes, and a magic number. docs/scaling.md.
 */

type OpenFile = (path: string) => Promise<ReadFile>

/** Number of the part, from 1, and number of parts. */
export type Part = { number: number; of: number }

/** A block of a shard: length in bytes and CRC-32, uncompressed and compressed; 0 and 0 if it was not compressed. */
type BlockEntry = { bytes: number; crc: number; deflatedBytes: number; deflatedCrc: number }
/** A shard in a part, by the index of its first test in the selection. */
type ShardEntry = Pick<ShardResult, 'rows' | 'end' | 'sums'> & { first: number; samples: number; blocks: BlockEntry[] }
type PartIndex = { plan: Plan; part: Part; shards: ShardEntry[] }

const MARK = Buffer.from('GZTPART4')
const TRAILER_BYTES = 32 + 8 + MARK.length
/** Largest index, in bytes; it has some thousand bytes for each shard. */
const INDEX_BYTES_MAX = 1 << 30

/**
 * Length of a read: small shards are read together with their neighbours, since a store takes a few milliseconds for
 * each request.
 */
const RUN_BYTES = 4 << 20
/** Neighbouring shards, by their range in the part's file. */
type Run = { start: number; end: number; shards: number }

/** Starts the index of a part. */
export function startIndex(plan: Plan, part: Part) {
  const shards: ShardEntry[] = []
  return {
    /** Adds a shard, and returns a function that takes its blocks. */
    add: ({ first, sampleCount: samples }: Shard, { rows, end, sums }: ShardResult) => {
      const blocks: BlockEntry[] = []
      shards.push({ first, samples, rows, end, sums, blocks })
      return (bytes: Uint8Array, piece?: DeflatedPiece) => {
        const { deflated = NOTHING, crc = crc32(bytes) } = piece ?? {}
        blocks.push({ bytes: bytes.length, crc, deflatedBytes: deflated.length, deflatedCrc: crc32(deflated) })
      }
    },
    /** Returns the bytes after the shards. */
    end: (): Uint8Array => {
      const index = serialize({ plan, part, shards } satisfies PartIndex)
      const length = Buffer.alloc(8)
      length.writeBigUInt64LE(BigInt(index.length))
      return Buffer.concat([index, createHash('sha256').update(index).digest(), length, MARK])
    },
  }
}

const NOTHING = new Uint8Array(0)

/** A part after its index was read. `bytes` is its share of the export's file. */
export type PartFile = {
  name: string
  plan: Plan
  part: Part
  samples: number
  rows: number
  bytes: number
  /** SHA-256 of its index, which contains all other checksums. */
  indexSha256: string
  /** Indexes of the first tests of its shards. */
  firsts: number[]
  /**
   * Reads the blocks of a shard.
   *
   * @throws ServiceError corrupt if the bytes differ from what was written; a system's error if they cannot be read
   */
  read: (first: number) => Promise<ShardResult>
}

/**
 * Reads the index of a part's file. The file is reopened for every few shards, since thousands of parts may be
 * composed.
 *
 * @param openFile opens it; by default a local path
 * @param plainPath path of the part's uncompressed bytes, if they are stored as well
 * @throws ServiceError usage if it is not a part, truncated or damaged; a system's error if it cannot be read
 */
export async function openPart(
  path: string,
  openFile: OpenFile = (each) => open(each, 'r'),
  plainPath?: string,
): Promise<PartFile> {
  const name = basename(path)
  const { index, indexSha256 } = await withFile(openFile(path), (file) => readIndex(file, name))
  const { plan, part, shards } = index
  const places = new Map<number, { entry: ShardEntry; offset: number; length: number; plainOffset: number; run: Run }>()
  let [offset, samples, rows, bytes] = [0, 0, 0, 0]
  let run: Run = { start: 0, end: 0, shards: 0 }
  for (const entry of shards) {
    const length = entry.blocks.reduce((sum, block) => sum + (block.deflatedBytes || block.bytes), 0)
    if (offset - run.start >= RUN_BYTES) run = { start: offset, end: offset, shards: 0 }
    run.shards++
    places.set(entry.first, { entry, offset, length, plainOffset: bytes, run })
    offset += length
    run.end = offset
    samples += entry.samples
    rows += entry.rows
    bytes += entry.blocks.reduce((sum, block) => sum + block.bytes, 0)
  }
  let last: ReadRun | null = null
  /** Reads the run of a shard, unless it was just read for another one. */
  const readRunOf = (run: Run): ReadRun => {
    if (last?.run === run) return last
    const memory = takeMemory(run.end - run.start)
    last = { run, bytes: withFile(openFile(path), (file) => readBytes(file, run.start, memory)), left: run.shards }
    return last
  }
  return {
    name,
    plan,
    part,
    samples,
    rows,
    bytes,
    indexSha256,
    firsts: [...places.keys()],
    read: async (first) => {
      const place = places.get(first)
      if (!place) throw new ServiceError('corrupt', `${name} lacks a shard`)
      const { offset, length, plainOffset, entry, run } = place
      const read = readRunOf(run)
      const bytes = await read.bytes
      const shard = await shardOf(entry, new Uint8Array(bytes.buffer, offset - run.start, length), name)
      const release = () => {
        if (--read.left > 0) return
        if (last === read) last = null
        if (spare.length < SPARE_MAX) spare.push(bytes.buffer)
      }
      return { ...shard, places: placesOf(entry, { path, offset }, { path: plainPath, offset: plainOffset }), release }
    },
  }
}

async function withFile<T>(opening: Promise<ReadFile>, work: (file: ReadFile) => Promise<T>): Promise<T> {
  return closing(await opening, (file) => work(file))
}

/** A run in memory; `left` of its shards are not written yet. */
type ReadRun = { run: Run; bytes: Promise<Buffer>; left: number }

/**
 * Memory of runs that were written, which all parts share. Of fresh memory, the system has to provide each page
 * first, which took most of the time of composing.
 */
const spare: ArrayBufferLike[] = []
const SPARE_MAX = 4

/** Returns memory of that length, which has any content. */
function takeMemory(length: number): Buffer {
  const known = spare.pop()
  // Memory that is too short for a run is dropped, so that longer one is kept.
  if (known !== undefined && known.byteLength >= length) return Buffer.from(known, 0, length)
  return Buffer.allocUnsafeSlow(Math.ceil(length / RUN_BYTES) * RUN_BYTES).subarray(0, length)
}

async function readIndex(file: ReadFile, name: string): Promise<{ index: PartIndex; indexSha256: string }> {
  const { size } = await file.stat()
  const trailer = await readBytes(file, Math.max(0, size - TRAILER_BYTES), Buffer.alloc(Math.min(size, TRAILER_BYTES)))
  if (trailer.length < TRAILER_BYTES || !trailer.subarray(40).equals(MARK))
    throw new ServiceError('usage', `${name} is not a whole part: gazette export --part writes parts`)
  const length = Number(trailer.readBigUInt64LE(32))
  if (length > INDEX_BYTES_MAX || length > size - TRAILER_BYTES)
    throw new ServiceError('usage', `${name} is damaged: compute it again`)
  const bytes = await readBytes(file, size - TRAILER_BYTES - length, Buffer.allocUnsafeSlow(length))
  const indexSha256 = createHash('sha256').update(bytes).digest('hex')
  if (indexSha256 !== trailer.toString('hex', 0, 32))
    throw new ServiceError('usage', `${name} is damaged: compute it again`)
  return { index: deserialize(bytes) as PartIndex, indexSha256 }
}

/**
 * Splits a shard's bytes and decompresses them on another thread. Short blocks have memory of their own, since a stream
 * may hold them for a while before it writes them.
 *
 * @throws ServiceError corrupt if they differ from what was written
 */
async function shardOf(
  { rows, end, sums, blocks: entries }: ShardEntry,
  bytes: Uint8Array,
  name: string,
): Promise<ShardResult> {
  const check = (taken: Uint8Array, length: number, crc: number) => {
    if (taken.length === length && crc32(taken) === crc) return taken
    throw new ServiceError('corrupt', `${name} is damaged: compute it again`)
  }
  let offset = 0
  const pieces: DeflatedPiece[] = []
  const blocks = await Promise.all(
    entries.map(async ({ bytes: plainBytes, crc, deflatedBytes, deflatedCrc }, i) => {
      const length = deflatedBytes || plainBytes
      const taken = bytes.subarray(offset, offset + length)
      offset += length
      if (deflatedBytes === 0) {
        check(taken, plainBytes, crc)
        return isWorthSharing(taken) ? taken : taken.slice()
      }
      const deflated = check(taken, deflatedBytes, deflatedCrc)
      pieces[i] = { deflated, crc, plainBytes }
      return check(await inflatePiece(deflated, plainBytes), plainBytes, crc)
    }),
  )
  return { rows, end, sums, blocks, pieces }
}

/**
 * Returns the positions of the blocks of a shard, which follow each other from `offset` on, in the part and in the
 * uncompressed file.
 */
function placesOf(
  { blocks }: ShardEntry,
  part: { path: string; offset: number },
  inflated: { path: string | undefined; offset: number },
): BlockPlaces[] {
  let [start, plainStart] = [part.offset, inflated.offset]
  return blocks.map(({ bytes, deflatedBytes }) => {
    const inPart: CopiedRange = { copyOf: part.path, start, end: start + (deflatedBytes || bytes) }
    const { path: copyOf } = inflated
    const plain = copyOf === undefined ? undefined : { copyOf, start: plainStart, end: plainStart + bytes }
    start = inPart.end
    plainStart += bytes
    return deflatedBytes === 0 ? { bytes: inPart } : { bytes: plain, gzip: inPart }
  })
}

/** Fills memory with the bytes from a position on. Returns those that the file has. */
async function readBytes(file: ReadFile, position: number, bytes: Buffer): Promise<Buffer> {
  let done = 0
  while (done < bytes.length) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}

/**
 * Checks that parts belong to one export and are complete, without duplicates.
 *
 * @param version of the running Gazette
 * @throws ServiceError usage
 */
export function checkParts(parts: PartFile[], version: string): void {
  const [first] = parts
  if (first.plan.version !== version) {
    const versions = `of version ${first.plan.version}, and this is ${version}`
    throw new ServiceError(
      'usage',
      `${first.name} is ${versions}: parts can be composed only by the version that made them`,
    )
  }
  const names = new Map<number, string>()
  for (const { name, plan, part } of parts) {
    if (planId(plan) !== planId(first.plan))
      throw new ServiceError(
        'usage',
        `${name} and ${first.name} are of different exports: ${differenceOf(plan, first.plan)}`,
      )
    if (part.of !== first.part.of)
      throw new ServiceError(
        'usage',
        `${name} is one of ${part.of} parts, but ${first.name} is one of ${first.part.of}`,
      )
    const known = names.get(part.number)
    if (known !== undefined) {
      throw new ServiceError(
        'usage',
        known === name ? `${name} is given twice` : `${name} and ${known} are both part ${part.number} of ${part.of}`,
      )
    }
    names.set(part.number, name)
  }
  const missing = Array.from({ length: first.part.of }, (_, i) => i + 1).filter((number) => !names.has(number))
  if (missing.length > 0) {
    const shown = missing.slice(0, 10).join(', ') + (missing.length > 10 ? ` and ${missing.length - 10} more` : '')
    throw new ServiceError(
      'usage',
      `of ${first.part.of} parts, ${shown} ${missing.length === 1 ? 'is' : 'are'} missing`,
    )
  }
}

function differenceOf(plan: Plan, other: Plan): string {
  const names = new Set([...Object.keys(plan), ...Object.keys(other)]) as Set<keyof Plan>
  const differing = [...names].filter((name) => JSON.stringify(plan[name]) !== JSON.stringify(other[name]))
  const name = differing.find((each) => each !== 'snapshotId') ?? 'snapshotId'
  if (name === 'snapshotId') return 'the study has changed between them'
  // Of parameters, name only those that differ.
  const isParameters = name === 'parameters'
  const [one, two]: Record<string, unknown>[] = isParameters ? [plan.parameters, other.parameters] : [plan, other]
  const differs = (each: string) => JSON.stringify(one[each]) !== JSON.stringify(two[each])
  const inner = isParameters ? (Object.keys({ ...one, ...two }).find(differs) ?? name) : name
  return `${inner} is ${JSON.stringify(one[inner] ?? null)} and ${JSON.stringify(two[inner] ?? null)}`
}
