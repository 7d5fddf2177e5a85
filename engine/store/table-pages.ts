import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { type Reader, readerOf } from '../columns.ts'
import { ServiceError } from '../errors.ts'
import { readFault } from './read-fault.ts'
import { columnsFrom } from './table-bytes.ts'

/** Columns of a table that stay on disk, and are read a page of rows at a time. */
export type Pages = {
  path: string
  names: string[]
  /** Of each page, but the last. */
  rowCount: number
  /** Where each page begins in the file, and where the last ends. */
  offsets: number[]
  /** SHA-256 of each page, in hex. */
  hashes: string[]
}

/** A page that was read, in memory that is another's once it has not been looked at for long: so look who has it. */
type Slot = { pages: Pages | null; index: number; memory: ArrayBuffer; readers: Record<string, Reader> }

/** This thread's, that of the latest look last. */
const slots: Slot[] = []
const SLOTS_MAX = 16
const ROOM_BYTES = 1 << 14

/**
 * Readers of those columns, by name. They read a page when the first of its rows is asked for, 0.2 ms, and compare it with its hash.
 * What they throw: ServiceError corrupt when the file is not as promised, overloaded when too many files are open.
 */
export function pagedReaders(pages: Pages): [string, Reader][] {
  const { names, rowCount } = pages
  let slot: Slot | null = null
  return names.map((name) => [
    name,
    (row) => {
      const index = Math.floor(row / rowCount)
      if (slot === null || slot.index !== index || slot.pages !== pages) slot = slotOf(pages, index)
      return slot.readers[name](row - index * rowCount)
    },
  ])
}

function slotOf(pages: Pages, index: number): Slot {
  const at = slots.findIndex((slot) => slot.pages === pages && slot.index === index)
  const isNew = at < 0 && slots.length < SLOTS_MAX
  const slot: Slot = isNew
    ? { pages: null, index: 0, memory: new ArrayBuffer(0), readers: {} }
    : slots.splice(Math.max(at, 0), 1)[0]
  slots.push(slot)
  if (at >= 0) return slot
  slot.pages = null
  slot.readers = readPage(pages, index, slot)
  slot.pages = pages
  slot.index = index
  return slot
}

function readPage({ path, offsets, hashes }: Pages, index: number, slot: Slot): Record<string, Reader> {
  const byteCount = offsets[index + 1] - offsets[index]
  // Kept, since V8 collects such memory late; with room for pages that are a little larger.
  if (slot.memory.byteLength < byteCount) slot.memory = new ArrayBuffer(Math.ceil(byteCount / ROOM_BYTES) * ROOM_BYTES)
  const bytes = Buffer.from(slot.memory, 0, byteCount)
  const file = basename(path)
  try {
    const descriptor = openSync(path, 'r')
    try {
      if (readSync(descriptor, bytes, 0, byteCount, offsets[index]) !== byteCount) throw new Error('it is cut short')
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw readFault(error, `${file} cannot be read`)
  }
  if (createHash('sha256').update(bytes).digest('hex') !== hashes[index])
    throw new ServiceError('corrupt', `${file} is not what its manifest promises`)
  const { columns } = columnsFrom(bytes)
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, readerOf(column)]))
}
