import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Samples } from '../compute/gaze.ts'
import { ServiceError } from '../errors.ts'
import { isShortage } from './durable.ts'
import { findPages, type ReadAt, readPages, type SamplePages } from './sample-pages.ts'
import { verifySamples } from './verify-samples.ts'

/** 'clicks' is `isClick`, and the mouse where that is 1: elsewhere `mouseXPx` and `mouseYPx` mean nothing then. */
export type SampleColumn = StoredColumn | 'clicks'
type StoredColumn = 'gazeXPx' | 'gazeYPx' | 'scrollYPx' | 'mouseXPx' | 'mouseYPx' | 'isClick'

const FILE_NAMES: Record<StoredColumn | 'tUs', string> = {
  tUs: 't_us',
  gazeXPx: 'gaze_x_px',
  gazeYPx: 'gaze_y_px',
  scrollYPx: 'scroll_y_px',
  mouseXPx: 'mouse_x_px',
  mouseYPx: 'mouse_y_px',
  isClick: 'is_click',
}

/** The samples of a whole shard, in file order. Columns that were not asked for are empty. */
export type ShardSamples = Samples

/** Arrays that are kept from shard to shard, by column: making them anew each time costs a tenth of an export. */
export type KeptArrays = Map<StoredColumn | 'tUs', Float64Array | Uint8Array>

/** Rows that kept arrays may have: a very long test is not worth its memory for good. */
const KEPT_ROWS_MAX = 1 << 19

/** Which of a snapshot's samples: rows of a file, counted from 0. The file has no hash when it has just been written. */
export type SamplesPlace = {
  directory: string
  file: { name: string; rowCount: number; sha256: string | null }
  fromRow: number
  rowCount: number
}

/** Where the columns lie in the files that were read last, by path and hash: files with a hash never change. */
const found = new Map<string, SamplePages>()
const FOUND_MAX = 64

/**
 * Reads rows of a sample file as columns of length rowCount.
 *
 * @param place the file as its manifest has it: its bytes are compared with the hash, unless that was done before
 * @param kept arrays to use again, which overwrites the samples that were read with them before
 * @throws ServiceError corrupt when the file is not as promised or cannot be read, overloaded when the system has too little for it
 *   at the moment
 */
export function readSamples(
  { directory, file: { name, rowCount: fileRows, sha256 }, fromRow, rowCount }: SamplesPlace,
  columns: SampleColumn[],
  kept: KeptArrays | null = null,
): ShardSamples {
  const path = join(directory, name)
  const onlyClicks = columns.includes('clicks')
  const stored = columns.flatMap((column) => (column === 'clicks' ? CLICKS : column))
  const samples = emptySamples(rowCount, stored, kept)
  if (sha256 !== null) verifySamples(path, sha256)
  try {
    const descriptor = openSync(path, 'r')
    try {
      const readAt = (into: Uint8Array, offset: number) => {
        if (readSync(descriptor, into, 0, into.length, offset) !== into.length) throw new Error('the file is cut short')
      }
      const pages = pagesOf(readAt, descriptor, sha256 && `${sha256} ${path}`)
      if (pages.rowCount !== fileRows) throw new Error(`${pages.rowCount} rows and not ${fileRows}`)
      for (const column of ['tUs', ...stored] as const) {
        const rows = onlyClicks && column.startsWith('mouse') ? samples.isClick : undefined
        readPages(readAt, pages, FILE_NAMES[column], fromRow, samples[column], rows)
      }
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (isShortage(error)) throw new ServiceError('overloaded', 'too little to read samples with', { cause: error })
    throw new ServiceError('corrupt', `${name} cannot be read`, { cause: error })
  }
  // It may have been damaged since it was looked at.
  if (sha256 !== null) verifySamples(path, sha256)
  return samples
}

function pagesOf(readAt: ReadAt, descriptor: number, key: string | null): SamplePages {
  const known = key === null ? undefined : found.get(key)
  if (known) return known
  const pages = findPages(readAt, fstatSync(descriptor).size)
  if (key !== null) {
    if (found.size >= FOUND_MAX) found.delete(found.keys().next().value as string)
    found.set(key, pages)
  }
  return pages
}

/** The flags first: they say where the mouse is wanted. */
const CLICKS: StoredColumn[] = ['isClick', 'mouseXPx', 'mouseYPx']

const NONE = new Float64Array(0)
const NO_FLAGS = new Uint8Array(0)

/** Those of a shard whose tests have none. */
export const NO_SAMPLES: ShardSamples = {
  n: 0,
  tUs: NONE,
  gazeXPx: NONE,
  gazeYPx: NONE,
  scrollYPx: NONE,
  mouseXPx: NONE,
  mouseYPx: NONE,
  isClick: NO_FLAGS,
}

function emptySamples(n: number, columns: StoredColumn[], kept: KeptArrays | null): ShardSamples {
  const column = (name: Exclude<StoredColumn, 'isClick'> | 'tUs') =>
    name === 'tUs' || columns.includes(name) ? arrayOf(kept, name, n, Float64Array) : NONE
  return {
    n,
    tUs: column('tUs'),
    gazeXPx: column('gazeXPx'),
    gazeYPx: column('gazeYPx'),
    scrollYPx: column('scrollYPx'),
    mouseXPx: column('mouseXPx'),
    mouseYPx: column('mouseYPx'),
    isClick: columns.includes('isClick') ? arrayOf(kept, 'isClick', n, Uint8Array) : NO_FLAGS,
  }
}

function arrayOf<T extends Float64Array | Uint8Array>(
  kept: KeptArrays | null,
  name: StoredColumn | 'tUs',
  n: number,
  Kind: new (length: number) => T,
): T {
  const known = kept?.get(name)
  if (known && known.length >= n) return known.subarray(0, n) as T
  if (kept === null || n > KEPT_ROWS_MAX) return new Kind(n)
  // Room for more, so that the next ones, a little larger, do not make it again.
  const made = new Kind(2 ** Math.ceil(Math.log2(n)))
  kept.set(name, made)
  return made.subarray(0, n) as T
}

/** The samples of one test: views, not copies. */
export function sliceSamples(samples: ShardSamples, start: number, n: number): Samples {
  const end = start + n
  const slice = (column: Float64Array) => (column.length === 0 ? NONE : column.subarray(start, end))
  return {
    n,
    tUs: slice(samples.tUs),
    gazeXPx: slice(samples.gazeXPx),
    gazeYPx: slice(samples.gazeYPx),
    scrollYPx: slice(samples.scrollYPx),
    mouseXPx: slice(samples.mouseXPx),
    mouseYPx: slice(samples.mouseYPx),
    isClick: samples.isClick.length === 0 ? NO_FLAGS : samples.isClick.subarray(start, end),
  }
}
