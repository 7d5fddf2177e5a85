import type { FileMetaData } from 'hyparquet'
// Not the whole library, which takes 10 ms to load, in every thread.
import { parquetHeader } from 'hyparquet/src/column.js'
import { parquetMetadata } from 'hyparquet/src/metadata.js'

/**
 * Columns of a sample file as typed arrays, straight from its pages. Import writes them so that nothing is left to undo: not
 * compressed, no NULL, doubles as they are or as a dictionary's indices. A general reader takes ten times as long (DuckDB),
 * or gives arrays of objects.
 */
export type SamplePages = {
  rowCount: number
  columns: string[]
  /** Of each group of rows: its first row, the one behind its last, and of each column's pages the offset in the file and the bytes. */
  groups: number[][]
}

/** Reads `into.length` bytes from `offset` on, or throws. */
export type ReadAt = (into: Uint8Array, offset: number) => void

const TAIL_BYTES = 8
const MAGIC = 0x31524150

/** Finds the pages. @throws Error when this is no Parquet file, or one that import did not write */
export function findPages(readAt: ReadAt, sizeBytes: number): SamplePages {
  const tail = new DataView(new ArrayBuffer(TAIL_BYTES))
  if (sizeBytes < TAIL_BYTES) throw new Error('shorter than its end')
  readAt(new Uint8Array(tail.buffer), sizeBytes - TAIL_BYTES)
  const footerBytes = tail.getUint32(0, true) + TAIL_BYTES
  if (tail.getUint32(4, true) !== MAGIC || footerBytes > sizeBytes) throw new Error('no Parquet file')
  const footer = new Uint8Array(footerBytes)
  readAt(footer, sizeBytes - footerBytes)
  return pagesOf(parquetMetadata(footer.buffer), sizeBytes)
}

/** As numbers alone: threads keep those of many files, and what hyparquet makes of one takes 13 KB. */
function pagesOf({ row_groups }: FileMetaData, sizeBytes: number): SamplePages {
  let rowCount = 0
  const [columns = []] = row_groups.map(columnsOf)
  const groups = row_groups.map((group) => {
    if (columnsOf(group).join() !== columns.join()) throw new Error('groups with other columns')
    const from = rowCount
    rowCount += Number(group.num_rows)
    const places = group.columns.flatMap(({ meta_data }) => {
      if (meta_data?.codec !== 'UNCOMPRESSED') throw new Error('compressed')
      const offset = Number(meta_data.dictionary_page_offset ?? meta_data.data_page_offset)
      const byteCount = Number(meta_data.total_compressed_size)
      if (offset + byteCount > sizeBytes) throw new Error('a column lies beyond the end')
      return [offset, byteCount]
    })
    return [from, rowCount, ...places]
  })
  return { rowCount, columns, groups }
}

function columnsOf({ columns }: FileMetaData['row_groups'][number]): string[] {
  return columns.map(({ meta_data }) => meta_data?.path_in_schema.join('.') ?? '')
}

/** They grow to the largest column chunk, and the largest dictionary; a thread reads one at a time. */
let scratch = new ArrayBuffer(1 << 19)
let dictionaryScratch = new Float64Array(1 << 14)

/**
 * Fills `target` with a column's values from row `fromRow` on.
 *
 * @param target Float64Array for a DOUBLE column, Uint8Array (0 or 1) for a BOOLEAN one
 * @param wanted 1 for rows that somebody will look at, others may be left as they are; by default all
 * @throws Error when the pages are not as import writes them, or hold fewer rows
 */
export function readPages(
  readAt: ReadAt,
  { rowCount, columns, groups }: SamplePages,
  column: string,
  fromRow: number,
  target: Float64Array | Uint8Array,
  wanted?: Uint8Array,
): void {
  const toRow = fromRow + target.length
  if (toRow > rowCount) throw new Error(`${rowCount} rows, not ${toRow}`)
  const place = columns.indexOf(column)
  if (place < 0) throw new Error(`no column ${column}`)
  for (const group of groups) {
    const [from, to] = group
    if (to <= fromRow || from >= toRow) continue
    const [offset, byteCount] = group.slice(2 + 2 * place)
    if (scratch.byteLength < byteCount) scratch = new ArrayBuffer(byteCount)
    const bytes = new Uint8Array(scratch, 0, byteCount)
    readAt(bytes, offset)
    const start = Math.max(from, fromRow)
    const end = Math.min(to, toRow)
    const [first, last] = [start - fromRow, end - fromRow]
    readChunk(bytes, start - from, end - from, target.subarray(first, last), wanted?.subarray(first, last))
  }
}

/** Rows `start` to `end` of a column chunk: its dictionary, if it has one, and its data pages one after the other. */
function readChunk(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Float64Array | Uint8Array,
  wanted: Uint8Array | undefined,
): void {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 }
  let dictionary: Float64Array | null = null
  let row = 0
  while (row < end) {
    const { type, compressed_page_size, dictionary_page_header, data_page_header } = parquetHeader(reader)
    const at = reader.offset
    const page = bytes.subarray(at, at + compressed_page_size)
    if (page.length !== compressed_page_size) throw new Error('a page is cut short')
    reader.offset = at + compressed_page_size
    if (type === 'DICTIONARY_PAGE' && dictionary_page_header) {
      const { num_values } = dictionary_page_header
      if (dictionaryScratch.length < num_values) dictionaryScratch = new Float64Array(num_values)
      dictionary = dictionaryScratch.subarray(0, num_values)
      copyDoubles(page, 0, dictionary)
      continue
    }
    if (type !== 'DATA_PAGE' || !data_page_header) throw new Error(`a page of type ${type}`)
    const { num_values, encoding } = data_page_header
    const from = Math.max(start, row) - row
    const to = Math.min(end, row + num_values) - row
    if (to > from) {
      const values = page.subarray(levelsBytes(page, num_values))
      const into = target.subarray(row + from - start, row + to - start)
      if (into instanceof Uint8Array) copyFlags(values, from, into)
      else if (encoding === 'PLAIN') copyDoubles(values, from, into)
      else if (dictionary && /^(PLAIN|RLE)_DICTIONARY$/.test(encoding))
        lookUp(values, dictionary, from, into, wanted?.subarray(row + from - start, row + to - start))
      else throw new Error(`a page in ${encoding}`)
    }
    row += num_values
  }
}

/** Bytes of the definition levels before a page's values: one run that says that none is NULL. */
function levelsBytes(page: Uint8Array, valueCount: number): number {
  const byteCount = page[0] | (page[1] << 8) | (page[2] << 16) | (page[3] << 24)
  const [run, at] = varint(page, 4)
  const isOneRunOfOnes = run === valueCount * 2 && page[at] === 1 && at + 1 === 4 + byteCount
  if (!isOneRunOfOnes) throw new Error('a column with NULLs')
  return 4 + byteCount
}

function varint(bytes: Uint8Array, at: number): [value: number, at: number] {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]
    value += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) return [value, at]
    if (byte === undefined || shift > 28) throw new Error('a run without an end')
  }
}

/** PLAIN: eight bytes a value, lowest first, as in the machine's memory. */
function copyDoubles(values: Uint8Array, from: number, into: Float64Array): void {
  const bytes = values.subarray(8 * from, 8 * (from + into.length))
  if (bytes.length !== into.byteLength) throw new Error('fewer values than promised')
  new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes)
}

/** PLAIN: a bit a value, lowest first. */
function copyFlags(values: Uint8Array, from: number, into: Uint8Array): void {
  if (values.length * 8 < from + into.length) throw new Error('fewer values than promised')
  for (let i = 0, bit = from; i < into.length; i++, bit++) into[i] = (values[bit >> 3] >> (bit & 7)) & 1
}

/** Indices in runs: equal ones, or groups of eight of so many bits each; a run's header says which, and how many. */
function lookUp(
  values: Uint8Array,
  dictionary: Float64Array,
  from: number,
  into: Float64Array,
  wanted: Uint8Array | undefined,
): void {
  const bitWidth = values[0]
  const indexBytes = (bitWidth + 7) >> 3
  const mask = 2 ** bitWidth - 1
  const end = from + into.length
  let at = 1
  let i = wanted === undefined ? from : nextWanted(wanted, 0) + from
  for (let row = 0; i < end; ) {
    const [header, next] = varint(values, at)
    at = next
    const isPacked = (header & 1) === 1
    const count = isPacked ? (header >>> 1) * 8 : header >>> 1
    const byteCount = isPacked ? (count * bitWidth) / 8 : indexBytes
    if (count === 0 || at + byteCount > values.length) throw new Error('fewer values than promised')
    const last = Math.min(row + count, end)
    if (isPacked) {
      for (; i < last; i = wanted === undefined ? i + 1 : nextWanted(wanted, i + 1 - from) + from) {
        const bit = (i - row) * bitWidth
        const byte = at + (bit >> 3)
        // At most 24 bits from within a byte: four bytes hold them, and beyond the end there is nothing to hold.
        const word = values[byte] | (values[byte + 1] << 8) | (values[byte + 2] << 16) | (values[byte + 3] << 24)
        const index = (word >>> (bit & 7)) & mask
        if (index >= dictionary.length) throw new Error('no such value')
        into[i - from] = dictionary[index]
      }
    } else if (i < last) {
      let index = 0
      for (let b = 0; b < indexBytes; b++) index |= values[at + b] << (8 * b)
      if (index >= dictionary.length) throw new Error('no such value')
      into.fill(dictionary[index], i - from, last - from)
      i = wanted === undefined ? last : nextWanted(wanted, last - from) + from
    }
    row += count
    at += byteCount
  }
}

/** The first row from `i` on that is wanted, or the end. */
function nextWanted(wanted: Uint8Array, i: number): number {
  const next = wanted.indexOf(1, i)
  return next === -1 ? wanted.length : next
}
