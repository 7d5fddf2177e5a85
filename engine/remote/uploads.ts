import type { BlockFile } from '../files/block-file.ts'
import { ServiceError } from '../model/errors.ts'
import type { ObjectStore, Piece } from '../store/object-store.ts'

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
  const waiting: { piece: Piece; length: number }[] = []
  let waitingBytes = 0
  let state: 'open' | 'finished' | 'completed' | 'aborted' = 'open'
  let wake = () => {}
  let taken = () => {}

  async function* pieces(): AsyncGenerator<Piece> {
    for (;;) {
      if (state === 'aborted') throw new ServiceError('canceled', 'an upload was given up')
      const next = waiting.shift()
      if (next !== undefined) {
        waitingBytes -= next.length
        taken()
        yield next.piece
      } else if (state === 'completed') return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  let failed: { error: unknown } | null = null
  const sent = store.compose(key, pieces()).catch((error) => {
    failed = { error }
    taken()
    throw error
  })
  sent.catch(() => {})
  /** Waits until no more than so much waits to be taken. */
  const drain = async (bytesMax: number) => {
    while (failed === null && waitingBytes > bytesMax)
      await new Promise<void>((resolve) => {
        taken = resolve
      })
    if (failed !== null) throw failed.error
  }
  return {
    write: async (bytes, place) => {
      if (bytes.length === 0) return
      const own = new Uint8Array(bytes)
      waiting.push({ piece: place ? { ...place, bytes: own } : own, length: own.length })
      waitingBytes += bytes.length
      wake()
      await drain(WAITING_BYTES_MAX)
    },
    finish: async () => {
      await drain(0)
      state = 'finished'
    },
    complete: async () => {
      state = 'completed'
      wake()
      await sent
    },
    abort: async () => {
      if (state === 'completed') return
      state = 'aborted'
      wake()
      await sent.catch(() => undefined)
    },
  }
}
