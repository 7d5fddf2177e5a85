import { isUtf8 } from 'node:buffer'
import { parseString } from 'fast-csv'
import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import { inMib, RECORD_MAX_BYTES } from './bundle-limits.ts'
import { openBundleFile } from './open-bundle-file.ts'

/** A record; `line` is the line where it starts, from 1. Line breaks inside quoted cells count, too. */
export type CsvRow = { line: number; cells: string[] }
/** Text of a record without its line end. */
type RawRecord = { line: number; text: string }

const LF = 10
const BOM = '\uFEFF'

/**
 * Reads CSV (RFC 4180, LF or CRLF, with or without BOM or gzip) in bounded memory, in batches of records, the header
 * first. Skips empty lines. fast-csv parses quoted cells. Records are split here, since fast-csv counts no lines inside
 * quotes, stops at the first broken record, accepts invalid UTF-8, and buffers everything after an open quote.
 *
 * @param file name for problems
 * @param problems gets what cannot be read; reading goes on after a broken record, and ends after a fault that hides
 *   where records start, and at a header with another separator
 * @param maxBytes largest uncompressed size
 */
export async function* readCsv(
  path: string,
  file: string,
  problems: Problems,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<CsvRow[]> {
  const report = (line: number, value: string | null, rule: string) =>
    addProblem(problems, { file, line, column: null, value, rule })
  let isHead = true
  for await (const records of readRecords(path, maxBytes, report)) {
    if (isHead && records.length > 0) {
      isHead = false
      const other = otherSeparator(records[0].text)
      if (other) return report(records[0].line, records[0].text, `must separate its cells by commas, not by ${other}`)
    }
    const whole = wholeOf(records, ',', report)
    if (whole.length > 0) yield await parseRecords(whole, ',')
  }
}

/** Returns what separates the cells of a header without a comma, on which all of its rows would have faults. */
function otherSeparator(header: string): 'semicolons' | 'tabs' | null {
  if (header.includes(',')) return null
  if (header.includes(';')) return 'semicolons'
  return header.includes('\t') ? 'tabs' : null
}

/** Returns the rows of CSV in memory, under the rules of `readCsv`. @param problems gets what cannot be read */
export async function parseCsv(
  bytes: Buffer,
  separator: Separator,
  file: string,
  problems: Problems,
): Promise<CsvRow[]> {
  const report = (line: number, value: string | null, rule: string) =>
    addProblem(problems, { file, line, column: null, value, rule })
  const cut = cutRecords(report)
  const records = cut.records(bytes)
  // What breaks off has been told already.
  if (records === null) return []
  cut.end()
  return parseRecords(wholeOf(records, separator, report), separator)
}

type Separator = ',' | ';'

/** Returns the records that can be read, and reports the others. */
function wholeOf(records: RawRecord[], separator: Separator, report: ReportLine): RawRecord[] {
  return records.filter(({ line, text }) => {
    const fault = faultOf(text, separator)
    if (fault) report(line, text, fault)
    return fault === null
  })
}

/**
 * Returns the cells of complete records. Records without a quote are split at separators, which takes a twentieth of
 * the time.
 */
async function parseRecords(records: RawRecord[], separator: Separator): Promise<CsvRow[]> {
  const quoted = records.filter(isQuoted)
  const texts = quoted.map(({ text }) => text)
  const cells = (await parseQuoted(texts, separator))[Symbol.iterator]()
  return records.map((record) => ({
    line: record.line,
    cells: isQuoted(record) ? cells.next().value! : record.text.split(separator),
  }))
}

function isQuoted({ text }: RawRecord): boolean {
  return text.includes('"')
}

async function parseQuoted(records: string[], separator: Separator): Promise<string[][]> {
  if (records.length === 0) return []
  const rows: string[][] = []
  const text = records.map((record) => `${record}\n`).join('')
  const options = { headers: false, delimiter: separator }
  for await (const cells of parseString(text, options) as AsyncIterable<string[]>) {
    const record = records[rows.length]
    // Before a first cell that holds nothing else, fast-csv drops white space and a BOM.
    if (/^\s/.test(record)) cells[0] = record.split(separator, 1)[0]
    rows.push(cells)
  }
  if (rows.length !== records.length) throw new Error(`${records.length} records were read as ${rows.length} rows`)
  return rows
}

type ReportLine = (line: number, value: string | null, rule: string) => void

/** Splits a file into batches of records; stops after a fault that hides where the next record starts. */
async function* readRecords(path: string, maxBytes: number, report: ReportLine): AsyncGenerator<RawRecord[]> {
  const cut = cutRecords(report)
  let rest: Buffer[] = []
  let restBytes = 0
  let allBytes = 0
  try {
    for await (const chunk of openBundleFile(path)) {
      allBytes += chunk.length
      if (allBytes > maxBytes) return report(cut.line(), null, `must have at most ${inMib(maxBytes)} unpacked`)
      const end = chunk.lastIndexOf(LF) + 1
      if (end > 0) {
        const records = cut.records(Buffer.concat([...rest, chunk.subarray(0, end)]))
        if (records === null) return
        yield records
        rest = []
        restBytes = 0
      }
      rest.push(chunk.subarray(end))
      restBytes += chunk.length - end
      if (restBytes > RECORD_MAX_BYTES)
        return report(cut.line(), null, `must have lines of at most ${RECORD_MAX_BYTES} bytes`)
    }
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException)?.code).startsWith('Z_')) throw error
    return report(cut.line(), null, 'must be a whole gzip file')
  }
  const last = restBytes > 0 ? cut.records(Buffer.concat(rest)) : []
  if (last === null) return
  yield last
  cut.end()
}

/** Joins lines to records while a quote is open. */
function cutRecords(report: ReportLine) {
  let line = 1
  let open: { line: number; lines: string[]; length: number } | null = null

  /** Returns the records in complete lines; null if the file cannot be read further. */
  const records = (bytes: Buffer): RawRecord[] | null => {
    if (!isUtf8(bytes)) {
      report(line + badLine(bytes), null, 'must be UTF-8')
      return null
    }
    const found: RawRecord[] = []
    const text = bytes.toString('utf8')
    const lines = (line === 1 && text.startsWith(BOM) ? text.slice(1) : text).split('\n')
    if (text.endsWith('\n')) lines.pop()
    for (const one of lines) {
      const isOdd = hasOddQuotes(one)
      open ??= { line, lines: [], length: 0 }
      const isOpen = isOdd !== open.lines.length > 0
      line++
      open.lines.push(one)
      open.length += one.length + 1
      if (isOpen && open.length <= RECORD_MAX_BYTES) continue
      if (isOpen) {
        end()
        return null
      }
      const record = open.lines.join('\n')
      const plain = record.endsWith('\r') ? record.slice(0, -1) : record
      if (plain !== '') found.push({ line: open.line, text: plain })
      open = null
    }
    return found
  }
  const end = () => {
    if (open) report(open.line, open.lines.join('\n'), 'has a quote that is not closed')
  }
  return { records, end, line: () => line }
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

const STRAY_QUOTE = 'has a quote inside a cell, where quotes must be doubled and the whole cell quoted'
const STRAY_RETURN = 'must end its lines with LF or CRLF, not with CR alone'

/** Returns the fault of a record that fast-csv would refuse or misread; null if there is none. */
function faultOf(record: string, separator: Separator): string | null {
  if (!record.includes('"')) return record.includes('\r') ? STRAY_RETURN : null
  for (let at = 0; ; at++) {
    if (record[at] === '"') {
      let close = record.indexOf('"', at + 1)
      while (record[close + 1] === '"') close = record.indexOf('"', close + 2)
      if (close < 0) return STRAY_QUOTE
      at = close + 1
    } else {
      const next = record.indexOf(separator, at)
      const end = next < 0 ? record.length : next
      const cell = record.slice(at, end)
      if (cell.includes('"')) return STRAY_QUOTE
      if (cell.includes('\r')) return STRAY_RETURN
      at = end
    }
    if (at === record.length) return null
    if (record[at] !== separator) return STRAY_QUOTE
  }
}

/** Returns the number of lines before the first with invalid UTF-8. */
function badLine(bytes: Buffer): number {
  let start = 0
  for (let lines = 0; ; lines++) {
    const end = bytes.indexOf(LF, start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return lines
    start = end + 1
  }
}
