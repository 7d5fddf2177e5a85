import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { ServiceError } from '../model/errors.ts'
import { type Plan, planId } from '../model/plan.ts'
import type { ShardResult } from '../run/export-thread.ts'
import type { Shard } from '../run/shards.ts'

/**
 * The file of a part: the bytes of its shards one after the other, an index (V8's serialization of a `PartIndex`), and a
 * trailer: the index's SHA-256, its length in 8 bytes, and a mark. docs/parts.md.
 */

/** Which part of how many; from 1 on. */
export type Part = { number: number; of: number }

/** A shard in a part: by the place of its first test in the selection. */
type ShardEntry = Pick<ShardResult, 'rows' | 'end' | 'sums'> & { first: number; bytes: number; sha256: string }
type PartIndex = { plan: Plan; part: Part; shards: ShardEntry[] }

const MARK = Buffer.from('GZTPART1')
const TRAILER_BYTES = 32 + 8 + MARK.length
/** An index has some hundred bytes a shard. */
const INDEX_BYTES_MAX = 1 << 30

/** Starts the index of a part. */
export function startIndex(plan: Plan, part: Part) {
  const shards: ShardEntry[] = []
  return {
    /** Adds a shard, and returns what takes its bytes. */
    add: ({ first }: Shard, { rows, end, sums }: ShardResult) => {
      const entry: ShardEntry = { first, bytes: 0, sha256: '', rows, end, sums }
      const hash = createHash('sha256')
      shards.push(entry)
      return {
        update: (bytes: Uint8Array) => {
          hash.update(bytes)
          entry.bytes += bytes.length
        },
        end: () => {
          entry.sha256 = hash.digest('hex')
        },
      }
    },
    /** Returns the bytes behind the shards. */
    end: (): Uint8Array => {
      const index = serialize({ plan, part, shards } satisfies PartIndex)
      const length = Buffer.alloc(8)
      length.writeBigUInt64LE(BigInt(index.length))
      return Buffer.concat([index, createHash('sha256').update(index).digest(), length, MARK])
    },
  }
}

/** A part whose index was read. */
export type PartFile = {
  name: string
  plan: Plan
  part: Part
  /** Places of the first tests of its shards. */
  firsts: number[]
  /** @throws ServiceError corrupt when the bytes are not what was written; a system's error when they cannot be read */
  read: (first: number) => Promise<ShardResult>
}

/**
 * Reads the index of a part's file. The file is opened again for each shard: thousands of parts may be composed.
 *
 * @throws ServiceError usage when it is no such file, is cut short, or is damaged; a system's error when it cannot be read
 */
export async function openPart(path: string): Promise<PartFile> {
  const name = basename(path)
  const { plan, part, shards } = await withFile(path, (file) => readIndex(file, name))
  const places = new Map<number, { entry: ShardEntry; offset: number }>()
  let offset = 0
  for (const entry of shards) {
    places.set(entry.first, { entry, offset })
    offset += entry.bytes
  }
  return {
    name,
    plan,
    part,
    firsts: [...places.keys()],
    read: async (first) => {
      const place = places.get(first)
      if (!place) throw new ServiceError('corrupt', `${name} lacks a shard`)
      return withFile(path, (file) => readShard(file, name, place))
    },
  }
}

async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r')
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

async function readIndex(file: FileHandle, name: string): Promise<PartIndex> {
  const { size } = await file.stat()
  const trailer = await readBytes(file, Math.max(0, size - TRAILER_BYTES), Math.min(size, TRAILER_BYTES))
  if (trailer.length < TRAILER_BYTES || !trailer.subarray(40).equals(MARK))
    throw new ServiceError('usage', `${name} is not a whole part: gazette export --part writes parts`)
  const length = Number(trailer.readBigUInt64LE(32))
  if (length > INDEX_BYTES_MAX || length > size - TRAILER_BYTES)
    throw new ServiceError('usage', `${name} is damaged: make it again`)
  const bytes = await readBytes(file, size - TRAILER_BYTES - length, length)
  if (!createHash('sha256').update(bytes).digest().equals(trailer.subarray(0, 32)))
    throw new ServiceError('usage', `${name} is damaged: make it again`)
  return deserialize(bytes) as PartIndex
}

async function readShard(
  file: FileHandle,
  name: string,
  { entry, offset }: { entry: ShardEntry; offset: number },
): Promise<ShardResult> {
  const bytes = await readBytes(file, offset, entry.bytes)
  if (createHash('sha256').update(bytes).digest('hex') !== entry.sha256)
    throw new ServiceError('corrupt', `${name} is damaged: make it again`)
  const { rows, end, sums } = entry
  return { rows, end, sums, blocks: bytes.length > 0 ? [bytes] : [], pieces: [] }
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}

/**
 * Checks that parts are of one export and are all there, each once.
 *
 * @param version the version of Gazette that runs
 * @throws ServiceError usage
 */
export function checkParts(parts: PartFile[], version: string): void {
  const [first] = parts
  if (first.plan.version !== version) {
    const versions = `of version ${first.plan.version}, and this is ${version}`
    throw new ServiceError('usage', `${first.name} is ${versions}: parts are composed by the version that made them`)
  }
  const names = new Map<number, string>()
  for (const { name, plan, part } of parts) {
    if (planId(plan) !== planId(first.plan))
      throw new ServiceError(
        'usage',
        `${name} and ${first.name} are of different exports: ${differenceOf(plan, first.plan)}`,
      )
    if (part.of !== first.part.of)
      throw new ServiceError('usage', `${name} is one of ${part.of} parts, ${first.name} one of ${first.part.of}`)
    const known = names.get(part.number)
    if (known !== undefined)
      throw new ServiceError('usage', `${name} and ${known} are both part ${part.number} of ${part.of}`)
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
  return `${name} is ${JSON.stringify(plan[name] ?? null)} and ${JSON.stringify(other[name] ?? null)}`
}
