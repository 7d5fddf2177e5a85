import { ServiceError } from '../../model/errors.ts'
import { isCode } from '../../model/system-errors.ts'
import type { CopiedRange } from '../files/block-file.ts'

/** Facts of the object under a key. `etag` differs whenever the bytes do; `changedMs` is since the epoch. */
export type ObjectFacts = { sizeBytes: number; etag: string; changedMs: number }

/** An object in a list. */
export type Listed = { key: string; sizeBytes: number; changedMs: number }

/**
 * A piece of a composed object: bytes, or a range of another object; `bytes` are its first ones, if they are at hand.
 */
export type Piece = Uint8Array | (CopiedRange & { bytes?: Uint8Array })

/**
 * Objects by key in an S3 bucket, or as files below a directory. An object is either whole or absent. Gazette writes
 * almost every object once and never changes it, so nothing has to be locked. Transient faults are retried inside.
 *
 * Each function throws ServiceError: store_away when the store is unreachable, invalid_setting when it refuses, usage
 * for an invalid key.
 */
export type ObjectStore = {
  /** Location of the store, for people; without secrets. */
  name: string
  /** True if requests go to a server, which may carry them out after the process that sent them has ended. */
  isServer: boolean
  head: (key: string) => Promise<ObjectFacts | null>
  /**
   * Streams an object, or its bytes from `start` to before `end`; null if it does not exist. A broken download resumes
   * where it stopped. The stream throws rather than end early, and throws `moved_on` if the object is replaced
   * meanwhile.
   */
  get: (key: string, range?: { start: number; end: number }) => Promise<AsyncGenerator<Uint8Array> | null>
  /** Writes an object, or replaces it. */
  put: (key: string, bytes: Uint8Array | string) => Promise<void>
  /**
   * Creates an object unless it exists. A retry may meet its own first try, so identical bytes count as written. A
   * caller that must know that it was the only one puts something unique into the bytes, such as the id of its attempt.
   *
   * @returns whether the object has these bytes
   */
  putIfAbsent: (key: string, bytes: Uint8Array | string) => Promise<boolean>
  /** True if `compose` copies long enough pieces within the store; else it reads and writes them. */
  copies: boolean
  /**
   * Composes an object of pieces of any length, or replaces it. A piece is no longer used when the next is requested.
   *
   * @returns its bytes
   */
  compose: (key: string, pieces: AsyncIterable<Piece> | Iterable<Piece>) => Promise<number>
  /**
   * Lists the keys that begin with `prefix`, in ascending order of bytes.
   *
   * @param after only those behind this one, in that order
   */
  list: (prefix: string, after?: string) => AsyncGenerator<Listed>
  /** Deletes an object if it exists. */
  delete: (key: string) => Promise<void>
  /** Removes temporary files of killed processes that were last written before a time; a server has none. */
  tidy: (olderThan: Date) => Promise<void>
  /**
   * Creates a presigned URL from which anybody can download an object for a while; null without a server.
   *
   * @param fileName what a browser saves it as
   */
  presign: (key: string, seconds: number, fileName: string) => Promise<string | null>
  close: () => void
}

/**
 * Pattern of keys that both S3 and a directory accept: no empty part, none that begins with a dot, no control
 * characters.
 */
const KEY = /^(?!.{901})(?!\.)[^/\\\p{Cc}]+(\/(?!\.)[^/\\\p{Cc}]+)*$/u

/** Returns a key if it is valid. @throws ServiceError usage */
export function checkKey(key: string): string {
  if (KEY.test(key)) return key
  throw new ServiceError(
    'usage',
    `a key must be names between slashes that begin with no dot, got ${JSON.stringify(key)}`,
  )
}

/** Maximum number of reads of an object that is replaced during each of them. */
const READS_MAX = 5

/**
 * Reads a small object whole, and again if it is replaced or removed meanwhile; null when there is none.
 *
 * @throws as `get`
 */
export async function readObject(store: Pick<ObjectStore, 'get'>, key: string): Promise<Buffer | null> {
  for (let reads = 1; ; reads++) {
    const stream = await store.get(key)
    if (stream === null) return null
    try {
      const pieces: Uint8Array[] = []
      for await (const piece of stream) pieces.push(piece)
      return Buffer.concat(pieces)
    } catch (error) {
      if (!isCode(error, 'moved_on', 'not_found') || reads === READS_MAX) throw error
    }
  }
}
