import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { EYE_COLUMN_NAMES } from '../../model/eye-columns.ts'
import { BATCH_ROWS, type Batch, eyeColumn } from '../draft/batch.ts'

/**
 * Batches on disk, between a reader, which waits for its files, and the Parquet writer, which must not wait. Facts
 * known only at the end of a recording, such as an item's onset, are applied when the spool is read.
 */
export type Spool = {
  /** Appends a batch, and returns the number of bytes spooled so far. */
  write: (batch: Batch) => number
  /** Fills `batch` with the next rows in the order written; false at the end. */
  read: (batch: Batch) => boolean
  /** Closes and deletes the spool. */
  close: () => void
}

/** Bytes of a value of each column. */
const COLUMN_BYTES = {
  tMs: 8,
  gazeXPx: 8,
  gazeYPx: 8,
  scrollYPx: 8,
  mouseXPx: 8,
  mouseYPx: 8,
  test: 4,
  isClick: 1,
} as const satisfies Partial<Record<keyof Batch, number>>
const COLUMNS = Object.keys(COLUMN_BYTES) as (keyof typeof COLUMN_BYTES)[]
const ROW_BYTES = COLUMNS.reduce((sum, name) => sum + COLUMN_BYTES[name], 0)

/** Header size of a block: its number of rows, and a bit for each of its eye columns. */
const HEAD_BYTES = 8

/** Opens a spool file. @param path path of a file that does not exist yet */
export function openSpool(path: string): Spool {
  const descriptor = openSync(path, 'wx+')
  const block = Buffer.alloc(HEAD_BYTES + BATCH_ROWS * (ROW_BYTES + 8 * EYE_COLUMN_NAMES.length))
  let end = 0
  let at = 0
  return {
    write: (batch) => {
      if (batch.n === 0) return end
      block.writeUInt32LE(batch.n, 0)
      const eyes = EYE_COLUMN_NAMES.filter((name) => batch.eyes[name] !== undefined)
      block.writeUInt32LE(
        eyes.reduce((bits, name) => bits | (1 << EYE_COLUMN_NAMES.indexOf(name)), 0),
        4,
      )
      let size = HEAD_BYTES
      for (const values of [...COLUMNS.map((name) => batch[name]), ...eyes.map((name) => batch.eyes[name]!)]) {
        const { buffer, byteOffset, BYTES_PER_ELEMENT } = values
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
      readWhole(descriptor, block, HEAD_BYTES, at)
      batch.n = block.readUInt32LE(0)
      const bits = block.readUInt32LE(4)
      const eyes = EYE_COLUMN_NAMES.filter((_, i) => (bits & (1 << i)) !== 0)
      readWhole(descriptor, block, batch.n * (ROW_BYTES + 8 * eyes.length), at + HEAD_BYTES)
      for (const values of Object.values(batch.eyes)) values.fill(Number.NaN)
      let size = 0
      for (const values of [...COLUMNS.map((name) => batch[name]), ...eyes.map((name) => eyeColumn(batch, name))]) {
        const { buffer, byteOffset, BYTES_PER_ELEMENT } = values
        const bytes = batch.n * BYTES_PER_ELEMENT
        new Uint8Array(buffer, byteOffset, bytes).set(block.subarray(size, size + bytes))
        size += bytes
      }
      at += HEAD_BYTES + size
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
    if (read === 0) throw new Error('the spooled samples are truncated')
    done += read
  }
}
