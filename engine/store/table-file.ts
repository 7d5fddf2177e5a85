import { createHash } from 'node:crypto'
import type { Kind } from '../columns.ts'
import { type Kinds, type Table, type TableSource, tableOf } from '../table.ts'
import { readHashed } from './hash-file.ts'
import { columnsFrom, columnsToBytes } from './table-bytes.ts'
import type { Pages } from './table-pages.ts'

/** What a table's file says of the file beside it, where its other columns lie: the size and the SHA-256, in hex, of each page. */
type Directory = { names: string[]; rowCount: number; sizes: number[]; hashes: string[] }

/** Some 130 bytes each. */
const PAGE_ROWS = 1024

/** A table as one file, which is read whole. */
export function tableToBytes<Row>(rows: Row[], kinds: Kinds<Row>): Buffer {
  return columnsToBytes(rows, fieldsOf(kinds), null)
}

/**
 * A table as two files, of which one is read whole, and the other page by page when it is asked for.
 *
 * @param inMemory the fields in the first
 */
export function pagedTableToBytes<Row>(
  rows: Row[],
  kinds: Kinds<Row>,
  inMemory: (keyof Row & string)[],
): { table: Buffer; pages: Buffer } {
  const kept = fieldsOf(kinds).filter(([name]) => inMemory.includes(name))
  const others = fieldsOf(kinds).filter(([name]) => !inMemory.includes(name))
  const pages = Array.from({ length: Math.ceil(rows.length / PAGE_ROWS) }, (_, i) =>
    columnsToBytes(rows.slice(i * PAGE_ROWS, (i + 1) * PAGE_ROWS), others, null),
  )
  const directory: Directory = {
    names: others.map(([name]) => name),
    rowCount: PAGE_ROWS,
    sizes: pages.map(({ length }) => length),
    hashes: pages.map((page) => createHash('sha256').update(page).digest('hex')),
  }
  return { table: columnsToBytes(rows, kept, directory), pages: Buffer.concat(pages) }
}

function fieldsOf<Row>(kinds: Kinds<Row>): [keyof Row & string, Kind][] {
  return Object.entries(kinds) as [keyof Row & string, Kind][]
}

/**
 * Reads such a table into memory that threads share.
 *
 * @param sha256 of the file, in hex
 * @param pagesPath where its pages lie, if it is one of two files
 * @throws Error when the file has changed, or is of other columns; a system's error
 */
export async function readTableFile<Row>(
  path: string,
  sha256: string,
  kinds: Kinds<Row>,
  pagesPath: string | null,
): Promise<Table> {
  const { buffer } = await readHashed(path, sha256)
  return openTable({ bytes: buffer, pagesPath }, kinds)
}

/** The table in a file that was read, also in another thread. @throws Error when it is of other columns */
export function openTable<Row>(source: TableSource, kinds: Kinds<Row>): Table {
  const { columns, notes } = columnsFrom<Directory | null>(Buffer.from(source.bytes))
  const { pagesPath } = source
  return tableOf(columns, kinds, { pages: pagesPath && notes ? pagesOf(pagesPath, notes) : null, source })
}

function pagesOf(path: string, { names, rowCount, sizes, hashes }: Directory): Pages {
  const offsets = [0]
  for (const [i, size] of sizes.entries()) offsets.push(offsets[i] + size)
  return { path, names, rowCount, offsets, hashes }
}
