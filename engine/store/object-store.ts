import type { Place } from '../files/block-file.ts'
import { ServiceError } from '../model/errors.ts'

/** Facts of the object under a key. `etag` differs whenever the bytes do; `changedMs` is since the epoch. */
export type ObjectFacts = { sizeBytes: number; etag: string; changedMs: number }

/** The same of one in a list. */
export type Listed = { key: string; sizeBytes: number; changedMs: number }

/**
 * A piece of an object that is put together: bytes, or what lies under another key; `bytes` are its first ones, if they
 * are at hand.
 */
export type Piece = Uint8Array | (Place & { bytes?: Uint8Array })

/**
 * Objects by key, whole or not there: a bucket of S3, or files below a directory. Everything that Gazette keeps there
 * is written once and never changed, so there is nothing to lock. What a network or a server does in passing is tried
 * again inside.
 *
 * Each function throws ServiceError store_away when the store cannot be reached, invalid_setting when it refuses, usage
 * for a key that is none.
 */
export type ObjectStore = {
  /** Location of the store, for people; without secrets. */
  name: string
  /** True if requests go to a server, which may carry them out after the process that sent them has ended. */
  isServer: boolean
  head: (key: string) => Promise<ObjectFacts | null>
  /**
   * Reads an object, or its bytes from `start` to before `end`; null when there is none. What breaks off is read on
   * from there; the stream throws rather than end early, and throws `moved_on` when the object is replaced meanwhile.
   */
  get: (key: string, range?: { start: number; end: number }) => Promise<AsyncGenerator<Uint8Array> | null>
  /** Writes an object, in place of what is there. */
  put: (key: string, bytes: Uint8Array | string) => Promise<void>
  /**
   * Writes an object unless there is one. A write that is tried again may meet its own first try, so one with the very
   * same bytes counts as written: who must know that it was the only one has something of its own in the bytes, such as
   * the id of its attempt.
   *
   * @returns whether the object has these bytes
   */
  putIfAbsent: (key: string, bytes: Uint8Array | string) => Promise<boolean>
  /** True if `compose` copies long enough pieces within the store; else it reads and writes them. */
  copies: boolean
  /**
   * Puts an object together of pieces, of any length, in place of what is there; done with each when the next is asked
   * for.
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
  /** Deletes an object; it need not be there. */
  delete: (key: string) => Promise<void>
  /**
   * Makes an address from which anybody can read an object for a while; null where there is no server that could give
   * it.
   *
   * @param fileName what a browser saves it as
   */
  presign: (key: string, seconds: number, fileName: string) => Promise<string | null>
  close: () => void
}

/**
 * Keys that both S3 and a directory accept: no empty part, none that leads elsewhere or is work in progress, no
 * control characters.
 */
const KEY = /^(?!.{901})(?!\.)[^/\\\p{Cc}]+(\/(?!\.)[^/\\\p{Cc}]+)*$/u

/** Returns a key that is one. @throws ServiceError usage */
export function checkKey(key: string): string {
  if (KEY.test(key)) return key
  throw new ServiceError(
    'usage',
    `a key must be names between slashes that begin with no dot, got ${JSON.stringify(key)}`,
  )
}

/** How often an object is read that is replaced each time while it is read. */
const READS_MAX = 5

/** Reads a small object whole, and again if it is replaced meanwhile; null when there is none. @throws as `get` */
export async function readObject(store: Pick<ObjectStore, 'get'>, key: string): Promise<Buffer | null> {
  for (let reads = 1; ; reads++) {
    const stream = await store.get(key)
    if (stream === null) return null
    try {
      const pieces: Uint8Array[] = []
      for await (const piece of stream) pieces.push(piece)
      return Buffer.concat(pieces)
    } catch (error) {
      const isReplaced = error instanceof ServiceError && error.code === 'moved_on'
      if (!isReplaced || reads === READS_MAX) throw error
    }
  }
}
