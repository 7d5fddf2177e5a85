import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { ServiceError } from '../../model/errors.ts'
import { isCode, isDiskFull } from '../../model/system-errors.ts'
import { temporaryPath } from '../../storage/files/layout.ts'

/** Bytes in an unlinked file: its descriptor, which all threads share, and their position. */
export type Spilled = { spill: number; start: number; length: number }
export type Held = Uint8Array | Spilled

/**
 * Buffer of a shard's output until it is written: in memory, and spilled to disk beyond `HELD_MAX`. Most shards spill
 * nothing.
 */
type Spill = {
  /** Buffers a copy of bytes. @throws ServiceError disk_full */
  keep: (bytes: Uint8Array) => Held
  /** File descriptor, which the reader closes; undefined if nothing was spilled. */
  file: () => number | undefined
}

/** Largest number of bytes in memory, as many as the pool's blocks of one shard. */
const HELD_MAX = 40 << 20

/** Creates a buffer. @param directory for the file; if it is not writable, the system's temporary directory is used */
export function openSpill(directory: string): Spill {
  let held = 0
  let file: number | undefined
  let end = 0
  return {
    keep: (bytes) => {
      if (held + bytes.length <= HELD_MAX) {
        held += bytes.length
        return bytes.slice()
      }
      file ??= openNameless(directory)
      const start = end
      writeWhole(file, bytes)
      end += bytes.length
      return { spill: file, start, length: bytes.length }
    },
    file: () => file,
  }
}

/** Reads spilled bytes. @throws ServiceError corrupt if the file lacks them */
export function heldBytes(held: Held): Uint8Array {
  if (held instanceof Uint8Array) return held
  const bytes = new Uint8Array(held.length)
  for (let read = 0; read < held.length; ) {
    const count = readSync(held.spill, bytes, read, held.length - read, held.start + read)
    if (count === 0) throw new ServiceError('corrupt', 'the spilled bytes of an export cannot be read back')
    read += count
  }
  return bytes
}

/** Frees the disk space of a shard. */
export function closeSpill(file: number | undefined): void {
  if (file !== undefined) closeSync(file)
}

function writeWhole(file: number, bytes: Uint8Array): void {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new ServiceError('disk_full', 'the disk is full', { cause: error })
  }
}

function openNameless(directory: string): number {
  try {
    return openIn(directory)
  } catch (error) {
    if (!isCode(error, 'EACCES', 'EROFS', 'EPERM')) throw error
    return openIn(tmpdir())
  }
}

function openIn(directory: string): number {
  const path = temporaryPath(directory, 'shard')
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}
