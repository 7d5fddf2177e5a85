import type { Column, Rows } from '../model/columns.ts'
import type { ByteSink } from '../text/sink.ts'
import type { Growing } from './growing.ts'

/** Encodes the rows of a shard, on the thread that computed them. */
export type Encoder = {
  write: (rows: Rows) => void
  /** Flushes the remaining rows, and returns data for the file's tail: a plain value that can be cloned, or null. */
  end: () => ShardEnd
}

export type ShardEnd = unknown

/** Options of an encoder. */
export type EncoderOptions = {
  columns: Column[]
  formulaGuard: boolean
  sink: ByteSink
  /** Dictionaries by column, for formats whose files begin with them. */
  dictionaries: Record<string, ColumnDictionary>
}

/** Texts of a file's dictionary: concatenated UTF-8 in the order of their codes, and the end offset of each. */
export type Texts = { bytes: Growing<Uint8Array>; ends: Growing<Int32Array> }

/** Dictionary of a column: its number of values, and the positions of those to be written. */
export type ColumnDictionary = { size: number; codes: Map<unknown, number> }

/** Bytes around the shards of a file. Offsets count from the start of the file. */
export type FileFrame = {
  head: Uint8Array[]
  /** Throws ServiceError format_limit if a file of this format cannot hold so many rows. */
  checkRows?: (rows: number) => void
  tail: (ends: { offset: number; end: ShardEnd; rows: number }[], offset: number) => Uint8Array
}
