import { basename } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import { isCode } from '../model/system-errors.ts'
import { singleFlight } from '../storage/concurrency/coalesce.ts'
import type { ReadFile } from '../storage/files/block-file.ts'
import { blockProof, SUMMED_BYTES } from '../storage/files/block-sums.ts'
import type { Storage } from '../storage/storage.ts'
import { expireDamaged } from './expire-job.ts'
import type { Jobs } from './open-jobs.ts'
import type { Job } from './record/job.ts'
import type { StoredJobFile } from './record/job-files.ts'
import type { StoredFile } from './record/state.ts'

/**
 * Bytes of a published file. Each block is compared with its checksum before it is yielded, and stays valid until the
 * next is requested.
 */
export type ProvedBytes = {
  first: Uint8Array
  /**
   * Bytes after the first block. A damaged block ends them and expires the file, which the next request computes again.
   * An open file outlives its name, so expiry does not truncate it.
   *
   * @throws ServiceError corrupt
   */
  rest: AsyncGenerator<Uint8Array>
  close: () => Promise<void>
}

/**
 * Opens a file of a job that succeeded, from `start` to before `end`; null if it was deleted, or is damaged and
 * therefore expired.
 */
export async function openPublished(
  jobs: Jobs,
  job: Job,
  { path, stored }: StoredJobFile,
  range?: { start: number; end: number },
): Promise<ProvedBytes | null> {
  if (job.end?.state !== 'succeeded') return null
  const { start, end } = range ?? { start: 0, end: stored.bytes }
  const file = await openBlocks(jobs.storage, path, stored, { start, end })
  if (file === null) return null
  try {
    const blocks = proved(file, basename(path), stored, { start, end })
    const { value: first = new Uint8Array(0) } = await blocks.next()
    return { first, rest: noting(blocks, jobs, job), close: file.close }
  } catch (error) {
    await file.close()
    // In a store it is not held open: it may go between two requests.
    if (!isCode(error, 'ENOENT')) await noteDamage(error, jobs, job)
    return null
  }
}

type BlockFile = {
  size: () => Promise<number>
  /** Reads a block; fewer bytes if the file is truncated or the disk fails. */
  read: (from: number, length: number) => Promise<Uint8Array>
  close: () => Promise<void>
}

/** Opens a file for reading by blocks; null if it does not exist. */
async function openBlocks(
  storage: Storage,
  path: string,
  { bytes }: StoredFile,
  { start, end }: { start: number; end: number },
): Promise<BlockFile | null> {
  try {
    if (bytes <= SUMMED_BYTES) {
      const whole = await readWhole(storage, path)
      return { size: async () => whole.length, read: async () => whole, close: async () => undefined }
    }
    const blocks = {
      start: start - (start % SUMMED_BYTES),
      end: Math.min(bytes, Math.ceil(end / SUMMED_BYTES) * SUMMED_BYTES),
    }
    return blocksOf(await storage.open(path, blocks))
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Reads a small file whole; concurrent readers share one read. */
function readWhole(storage: Storage, path: string): Promise<Uint8Array> {
  const known = wholes.get(storage) ?? singleFlight((each) => storage.readWhole(each).catch(noneIfUnreadable))
  wholes.set(storage, known)
  return known(path)
}
const wholes = new WeakMap<Storage, (path: string) => Promise<Uint8Array>>()

/**
 * Returns a reader that reads every block into the same memory: fresh memory for each would cost more in garbage
 * collection than everything else.
 */
function blocksOf(file: ReadFile): BlockFile {
  const memory = Buffer.allocUnsafeSlow(SUMMED_BYTES)
  const read = async (from: number, length: number): Promise<Uint8Array> => {
    let filled = 0
    while (filled < length) {
      const part = await file.read(memory, filled, length - filled, from + filled)
      if (part.bytesRead === 0) break
      filled += part.bytesRead
    }
    return memory.subarray(0, filled)
  }
  return { size: async () => (await file.stat()).size, read, close: () => file.close() }
}

function noneIfUnreadable(error: unknown): Uint8Array {
  if (isCode(error, 'EIO')) return new Uint8Array(0)
  throw error
}

async function* proved(
  file: BlockFile,
  name: string,
  { bytes, sums }: StoredFile,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  if ((await file.size()) !== bytes) throw new ServiceError('corrupt', `${name} is not as long as what was written`)
  const isProved = blockProof(sums)
  for (let index = Math.floor(start / SUMMED_BYTES); index * SUMMED_BYTES < end; index++) {
    const from = index * SUMMED_BYTES
    const length = Math.min(SUMMED_BYTES, bytes - from)
    const block = await file.read(from, length).catch(noneIfUnreadable)
    if (block.length !== length || !isProved(block, index))
      throw new ServiceError('corrupt', `${name} is not what was written, from byte ${from} on`)
    yield block.subarray(Math.max(0, start - from), end - from)
  }
}

async function* noting(blocks: AsyncGenerator<Uint8Array>, jobs: Jobs, job: Job): AsyncGenerator<Uint8Array> {
  try {
    yield* blocks
  } catch (error) {
    const damage = await noteDamage(error, jobs, job)
    throw new ServiceError('corrupt', `job ${job.id}: ${damage}`)
  }
}

/** Returns the damage that an error reports. @throws the error when it tells of none */
async function noteDamage(error: unknown, jobs: Jobs, job: Job): Promise<string> {
  if (!(error instanceof ServiceError) || error.code !== 'corrupt') throw error
  await expireDamaged(jobs, job, error.message, jobs.now())
  return error.message
}
