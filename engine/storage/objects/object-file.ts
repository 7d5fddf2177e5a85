import { basename } from 'node:path'
import type { ReadFile } from '../files/block-file.ts'
import type { ObjectStore } from './object-store.ts'

/**
 * Opens an object for reading, with a single request if it is read in order. A missing object is reported by the first
 * read, as ENOENT.
 *
 * @param range what will be read of it in order, if that is known
 */
export function openObject(store: ObjectStore, key: string, range?: { start: number; end: number }): ReadFile {
  let stream: { bytes: AsyncGenerator<Uint8Array>; rest: Uint8Array; at: number } | null = null
  const close = async () => {
    await stream?.bytes.return(undefined)
    stream = null
  }
  return {
    stat: async () => {
      const facts = await store.head(key)
      if (facts === null) throw objectGone(key)
      return { size: facts.sizeBytes }
    },
    read: async (into, offset, length, position) => {
      if (stream?.at !== position) {
        await close()
        const end = range === undefined ? position + length : range.end
        const bytes = await store.get(key, { start: position, end })
        if (bytes === null) throw objectGone(key)
        stream = { bytes, rest: new Uint8Array(0), at: position }
      }
      if (stream.rest.length === 0) stream.rest = (await stream.bytes.next()).value ?? new Uint8Array(0)
      const taken = stream.rest.subarray(0, length)
      into.set(taken, offset)
      stream.rest = stream.rest.subarray(taken.length)
      stream.at += taken.length
      return { bytesRead: taken.length }
    },
    close,
  }
}

/** Returns the error of a missing object, as a file system reports it. */
export function objectGone(key: string): Error {
  return Object.assign(new Error(`ENOENT: ${basename(key)} is not in the store`), { code: 'ENOENT' })
}
