import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { BlockFile } from '../files/block-file.ts'
import { ServiceError } from '../model/errors.ts'
import type { ObjectStore } from '../store/object-store.ts'

/** An object on its way: nobody sees it before it is complete. */
export type Upload = Pick<BlockFile, 'write' | 'finish'> & {
  /** Gives it its name. Before, `finish`. */
  complete: () => Promise<void>
  abort: () => Promise<void>
}

/** Bytes that wait to be taken; as many more are in parts that are being sent. */
const WAITING_BYTES_MAX = 4 << 20

/** Begins to write an object in order, as parts that are sent while the next bytes are made. */
export function newUpload(store: ObjectStore, key: string): Upload {
  const stream = new PassThrough({ writableHighWaterMark: WAITING_BYTES_MAX })
  stream.on('error', () => undefined)
  const sent = store.compose(key, stream)
  // Whoever writes is told; and so that nobody waits for what is never taken.
  sent.catch((error) => stream.destroy(error))
  return {
    write: async (bytes) => {
      if (stream.destroyed) await sent
      else if (!stream.write(new Uint8Array(bytes))) await Promise.race([once(stream, 'drain'), sent])
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
