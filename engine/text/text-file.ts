import { closeSync, openSync, writeSync } from 'node:fs'

/** Streams a text file in pieces of about 1 MiB, for any number of rows. */
export type TextFile = { write: (text: string) => void; close: () => void }

const PIECE_LENGTH = 2 ** 20

export function createTextFile(path: string, header: string): TextFile {
  const descriptor = openSync(path, 'w')
  let waiting = header
  const flush = () => {
    const bytes = Buffer.from(waiting)
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    waiting = ''
  }
  return {
    write: (text) => {
      waiting += text
      if (waiting.length >= PIECE_LENGTH) flush()
    },
    close: () => {
      try {
        flush()
      } finally {
        closeSync(descriptor)
      }
    },
  }
}
