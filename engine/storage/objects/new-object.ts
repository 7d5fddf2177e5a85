import { ServiceError } from '../../model/errors.ts'
import type { BlockFile } from '../files/block-file.ts'
import type { ObjectStore, Piece } from './object-store.ts'

/** An object that is being written. It is not visible before `complete`. */
export type ObjectUpload = Pick<BlockFile, 'write' | 'finish'> & {
  /** Publishes the object. Call `finish` before. */
  complete: () => Promise<void>
  abort: () => Promise<void>
}

/** Starts to write an object from its beginning to its end, as parts that are sent while the next bytes are made. */
export function newObject(store: ObjectStore, key: string): ObjectUpload {
  const { give, end, stop, pieces } = handOver()
  const sent = store.compose(key, pieces)
  // Whoever writes is told; and so that nobody waits for what is never taken.
  sent.catch(stop)
  return {
    write: async (bytes, place) => {
      if (bytes.length > 0) await give(place ? { ...place, bytes } : bytes)
    },
    finish: async () => {},
    complete: async () => {
      end()
      await sent
    },
    abort: async () => {
      stop(new ServiceError('canceled', 'an upload was given up'))
      await sent.catch(() => undefined)
    },
  }
}

type Given = { piece: Piece; taken: () => void; fail: (error: unknown) => void }

/**
 * Passes pieces from a writer to a reader without a copy. `give` resolves when the reader asks for the next piece
 * (backpressure).
 */
function handOver() {
  let given: Given | null = null
  let isOver = false
  let fault: unknown
  let look = () => {}

  const stop = (error: unknown) => {
    if (!isOver) fault = error
    isOver = true
    given?.fail(error)
    look()
  }
  async function* pieces(): AsyncGenerator<Piece> {
    for (;;) {
      if (given === null && !isOver)
        await new Promise<void>((resolve) => {
          look = resolve
        })
      if (fault !== undefined) throw fault
      if (given === null) return
      yield given.piece
      const { taken } = given
      given = null
      taken()
    }
  }
  return {
    pieces: pieces(),
    give: (piece: Piece) =>
      new Promise<void>((taken, fail) => {
        if (isOver) return fail(fault)
        given = { piece, taken, fail }
        look()
      }),
    end: () => {
      isOver = true
      look()
    },
    stop,
  }
}
