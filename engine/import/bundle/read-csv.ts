import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { addProblem, type Problems } from './bundle-problems.ts'

/** A record; `line` is where it starts, from 1, counting the line breaks inside quoted cells, too. */
export type CsvRow = { line: number; cells: string[] }

/** A quote that is never closed would otherwise take the rest of the file into one cell. */
const RECORD_MAX_BYTES = 4 * 1024 * 1024
const LF = 10
const CR = 13
const BOM = '\uFEFF'

/** Opens a bundle file as a stream of its uncompressed bytes. A damaged gzip file makes the stream fail. */
export function openBundleFile(path: string): Readable {
  const file = createReadStream(path, { highWaterMark: 1 << 18 })
  if (!path.endsWith('.gz')) return file
  const gunzip = createGunzip({ chunkSize: 1 << 18 })
  file.on('error', (error) => gunzip.destroy(error))
  gunzip.on('close', () => file.destroy())
  return file.pipe(gunzip)
}

/**
 * Reads CSV (RFC 4180, LF or CRLF, with or without BOM or gzip) in bounded memory, a batch of records at a time, the header
 * first. Wholly empty lines are skipped. Our own, since the line numbers of fast-csv end at the first quoted line break, and
 * its time grows with the square of what follows an open quote.
 *
 * @param file the name that problems carry
 * @param problems what cannot be read; records go on after a broken one, and end after a fault that hides where they start
 */
export async function* readCsv(path: string, file: string, problems: Problems): AsyncGenerator<CsvRow[]> {
  const report = (line: number, value: string | null, rule: string) =>
    addProblem(problems, { file, line, column: null, value, rule })
  let line = 1
  let open: { line: number; text: string } | null = null
  let rest: Buffer[] = []
  let restBytes = 0

  const records = (bytes: Buffer): CsvRow[] | null => {
    if (!isUtf8(bytes)) {
      report(line + badLine(bytes), null, 'must be UTF-8')
      return null
    }
    const rows: CsvRow[] = []
    let text = bytes.toString('utf8')
    if (line === 1 && open === null && text.startsWith(BOM)) text = text.slice(1)
    const lines = text.split('\n')
    if (text.endsWith('\n')) lines.pop()
    for (const one of lines) {
      const start: number = open?.line ?? line
      const record: string = open ? `${open.text}\n${one}` : one
      line++
      if (hasOddQuotes(one) !== (open !== null)) {
        open = { line: start, text: record }
        if (record.length <= RECORD_MAX_BYTES) continue
        report(start, record, 'has a quote that is not closed')
        return null
      }
      open = null
      const plain = record.endsWith('\r') ? record.slice(0, -1) : record
      if (plain === '') continue
      const cells = plain.includes('"') ? quotedCells(plain) : plain.split(',')
      if (cells) rows.push({ line: start, cells })
      else report(start, plain, 'has a quote inside a cell, where quotes must be doubled and the whole cell quoted')
    }
    return rows
  }

  try {
    for await (const chunk of openBundleFile(path) as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(LF) + 1
      if (end > 0) {
        const rows = records(Buffer.concat([...rest, chunk.subarray(0, end)]))
        if (rows === null) return
        if (rows.length > 0) yield rows
        rest = []
        restBytes = 0
      }
      rest.push(chunk.subarray(end))
      restBytes += chunk.length - end
      if (restBytes > RECORD_MAX_BYTES) {
        report(line, null, `must have lines of at most ${RECORD_MAX_BYTES} bytes`)
        return
      }
    }
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException)?.code).startsWith('Z_')) throw error
    report(line, null, 'must be a whole gzip file')
    return
  }
  if (restBytes > 0) {
    const rows = records(Buffer.concat(rest))
    if (rows === null) return
    if (rows.length > 0) yield rows
  }
  const unclosed = open as { line: number; text: string } | null
  if (unclosed) report(unclosed.line, unclosed.text, 'has a quote that is not closed')
}

/** Counts the records behind the header of a CSV without line breaks in its cells: its lines that are not empty. */
export async function countRecords(path: string, signal: AbortSignal): Promise<number> {
  let lines = 0
  let length = 0
  for await (const chunk of openBundleFile(path) as AsyncIterable<Buffer>) {
    signal.throwIfAborted()
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      length += end - start
      const isEmpty = length === 0 || (length === 1 && chunk[end - 1] === CR)
      if (!isEmpty) lines++
      length = 0
      start = end + 1
    }
    length += chunk.length - start
  }
  return lines + (length > 0 ? 1 : 0) - 1
}

/**
 * Returns whether a line has an odd number of quotes: such a line opens a quoted cell or closes the open one, since an
 * escaped quote counts twice.
 */
function hasOddQuotes(line: string): boolean {
  let isOdd = false
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOdd = !isOdd
  return isOdd
}

/** Returns the cells of a record with quotes in it, or null where quotes stand in the wrong place. */
function quotedCells(record: string): string[] | null {
  const cells: string[] = []
  let at = 0
  for (;;) {
    let end: number
    if (record[at] === '"') {
      let close = record.indexOf('"', at + 1)
      while (record[close + 1] === '"') close = record.indexOf('"', close + 2)
      if (close < 0) return null
      cells.push(record.slice(at + 1, close).replaceAll('""', '"'))
      end = close + 1
    } else {
      const comma = record.indexOf(',', at)
      end = comma < 0 ? record.length : comma
      const cell = record.slice(at, end)
      if (cell.includes('"')) return null
      cells.push(cell)
    }
    if (end === record.length) return cells
    if (record[end] !== ',') return null
    at = end + 1
  }
}

/** Returns how many lines stand before the first that is not UTF-8. */
function badLine(bytes: Buffer): number {
  let start = 0
  for (let lines = 0; ; lines++) {
    const end = bytes.indexOf(LF, start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return lines
    start = end + 1
  }
}
