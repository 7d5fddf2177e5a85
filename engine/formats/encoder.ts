import type { Column, Rows } from '../model/columns.ts'
import type { Sink } from '../text/sink.ts'
import type { Growing } from './growing.ts'

/** Encodes the rows of a shard, on the thread that computed them. */
export type Encoder = {
  write: (rows: Rows) => void
  /** Writes what is left, and returns what the file's tail needs to know of it: plain data, null for nothing. */
  end: () => ShardEnd
}

export type ShardEnd = unknown

/** Options of an encoder. */
export type EncoderOptions = {
  columns: Column[]
  formulaGuard: boolean
  sink: Sink
  /** Dictionaries by column, for formats whose file begins with them. */
  dictionaries: Record<string, ColumnDictionary>
}

/** The texts of a file's dictionary, as UTF-8, one after the other in the order of their codes, and where each ends. */
export type Texts = { bytes: Growing<Uint8Array>; ends: Growing<Int32Array> }

/** The dictionary of a column: how many values it has, and the places of those that are to be written. */
export type ColumnDictionary = { size: number; codes: Map<unknown, number> }

/** The bytes around the shards of a file. Offsets count from the beginning of the file. */
export type FileFrame = {
  head: Uint8Array[]
  /** Throws ServiceError format_limit when there are more rows than such a file holds. */
  checkRows?: (rows: number) => void
  tail: (ends: { offset: number; end: ShardEnd; rows: number }[], offset: number) => Uint8Array
}
