import { createBlocks } from '../run/blocks.ts'
import { createPool, type EnginePool } from '../run/pool.ts'
import { threadFile } from '../run/thread-file.ts'
import type { Arrival } from './arrival.ts'
import { readArrival } from './read-arrival.ts'
import type { BodyKind } from './read-body.ts'

/** Reads bodies of participants: small ones at once, large ones one by one on a thread of their own, so that other requests go on. */
export type ArrivalReader = {
  /** @param bytes of the body, unpacked, in memory of their own; they are gone afterwards. @throws ServiceError invalid_bundle with the first 100 problems */
  read: (bytes: Buffer, kind: BodyKind) => Promise<Arrival>
  close: () => Promise<void>
}

const THREAD = threadFile(import.meta.url, './arrival-thread.js')
/** They take some milliseconds. */
const SMALL_MAX_BYTES = 64 * 1024

export function openArrivalReader(): ArrivalReader {
  let thread: EnginePool | null = null
  return {
    read: async (bytes, kind) => {
      if (bytes.length <= SMALL_MAX_BYTES) return readArrival(bytes, kind)
      thread ??= createPool({ threads: 1, blocks: createBlocks(0) })
      const moved = [bytes.buffer as ArrayBuffer]
      return (await thread.computeBy(THREAD, 'readArrivalInThread', { bytes, kind }, moved)) as Arrival
    },
    close: async () => thread?.close(),
  }
}
