import type { BlockFile } from '../files/block-file.ts'
import { ServiceError } from '../model/errors.ts'
import type { ObjectStore, Piece } from './object-store.ts'

/** An object on its way: nobody sees it before it is complete. */
export type Upload = Pick<BlockFile, 'write' | 'finish'> & {
  /** Gives it its name. Before, `finish`. */
  complete: () => Promise<void>
  abort: () => Promise<void>
}

/** Begins to write an object in order, as parts that are sent while the next bytes are made. */
export function newObject(store: ObjectStore, key: string): Upload {
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
 * Hands pieces over without a copy: `give` resolves when the one who reads `pieces` is done with the piece, and asks
 * for the next.
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
