import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { BlockFile } from '../files/block-file.ts'
import { ServiceError } from '../model/errors.ts'
import type { ObjectStore, Piece } from '../store/object-store.ts'

/** An object on its way: nobody sees it before it is complete. */
export type Upload = Pick<BlockFile, 'write' | 'finish'> & {
  /** Gives it its name. Before, `finish`. */
  complete: () => Promise<void>
  abort: () => Promise<void>
}

/** Pieces of up to 1 MiB that wait to be taken, twice: as they are written, and as they are read. */
const WAITING_MAX = 2

/** Begins to write an object in order, as parts that are sent while the next bytes are made. */
export function newUpload(store: ObjectStore, key: string): Upload {
  const stream = new PassThrough({ objectMode: true, highWaterMark: WAITING_MAX })
  stream.on('error', () => undefined)
  const sent = store.compose(key, stream)
  // Whoever writes is told; and so that nobody waits for what is never taken.
  sent.catch((error) => stream.destroy(error))
  return {
    write: async (bytes, place) => {
      const own = new Uint8Array(bytes)
      const piece: Piece = place ? { ...place, bytes: own } : own
      if (stream.destroyed) await sent
      else if (bytes.length > 0 && !stream.write(piece)) await Promise.race([once(stream, 'drain'), sent])
    },
    finish: async () => {},
    complete: async () => {
      stream.end()
      await sent
    },
    abort: async () => {
      stream.destroy(new ServiceError('canceled', 'an upload was given up'))
      await sent.catch(() => undefined)
    },
  }
}
