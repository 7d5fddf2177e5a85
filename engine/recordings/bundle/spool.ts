import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { BATCH_ROWS, type Batch, makeBatch } from './batch.ts'

/**
 * Batches on disk, between a reader, which waits for its files, and the Parquet writer, which may not wait. What is
 * known only at the end of a recording, like an item's onset, is so applied on the way out.
 */
export type Spool = {
  /** Returns how many bytes it has taken so far. */
  write: (batch: Batch) => number
  /** Fills `batch` with the next rows in the order written; false at the end. */
  read: (batch: Batch) => boolean
  /** Closes and deletes it. */
  close: () => void
}

const COLUMNS = [
  'tMs',
  'gazeXPx',
  'gazeYPx',
  'scrollYPx',
  'mouseXPx',
  'mouseYPx',
  'test',
  'isClick',
] as const satisfies (keyof Batch)[]

/** Opens a spool file. @param path of a file that is not there */
export function openSpool(path: string): Spool {
  const descriptor = openSync(path, 'wx+')
  const rowBytes = COLUMNS.reduce((sum, name) => sum + makeBatch()[name].BYTES_PER_ELEMENT, 0)
  const block = Buffer.alloc(4 + BATCH_ROWS * rowBytes)
  let end = 0
  let at = 0
  return {
    write: (batch) => {
      if (batch.n === 0) return end
      block.writeUInt32LE(batch.n, 0)
      let size = 4
      for (const name of COLUMNS) {
        const { buffer, byteOffset, BYTES_PER_ELEMENT } = batch[name]
        const bytes = new Uint8Array(buffer, byteOffset, batch.n * BYTES_PER_ELEMENT)
        block.set(bytes, size)
        size += bytes.length
      }
      for (let done = 0; done < size; ) done += writeSync(descriptor, block, done, size - done, end + done)
      end += size
      return end
    },
    read: (batch) => {
      if (at >= end) return false
      readWhole(descriptor, block, 4, at)
      batch.n = block.readUInt32LE(0)
      readWhole(descriptor, block, batch.n * rowBytes, at + 4)
      let size = 0
      for (const name of COLUMNS) {
        const { buffer, byteOffset, BYTES_PER_ELEMENT } = batch[name]
        const bytes = batch.n * BYTES_PER_ELEMENT
        new Uint8Array(buffer, byteOffset, bytes).set(block.subarray(size, size + bytes))
        size += bytes
      }
      at += 4 + size
      return true
    },
    close: () => {
      closeSync(descriptor)
      rmSync(path, { force: true })
    },
  }
}

function readWhole(descriptor: number, block: Buffer, size: number, from: number): void {
  for (let done = 0; done < size; ) {
    const read = readSync(descriptor, block, done, size - done, from + done)
    if (read === 0) throw new Error('the spooled samples are cut short')
    done += read
  }
}
