import { crc32 } from 'node:zlib'
import type { Column } from '../model/columns.ts'
import { ServiceError } from '../model/errors.ts'
import { combineCrc, type DeflatedPiece } from '../text/gzip.ts'
import type { FileFrame } from './encoder.ts'
import { checkRows, formatOf } from './formats.ts'
import { type SheetPart, textCell, xmlText } from './xlsx.ts'
import { deflateEverywhere } from './xlsx-deflate.ts'

const XLSX = formatOf({ format: 'xlsx' })
/** Largest number of columns of a worksheet (Excel specifications and limits). */
const COLUMNS_MAX = 16_384
const BYTES_MAX = 2 ** 32 - 1

/**
 * Returns the frame of an XLSX file (ECMA-376): a ZIP whose last entry is the sheet with the rows, deflated shard by
 * shard. Further sheets give each column's meaning and unit, and the file's provenance.
 *
 * @returns a frame that throws ServiceError format_limit if the file would need more rows or bytes than it can hold
 * @throws ServiceError format_limit for too many columns
 */
export function xlsxFrame(columns: Column[], about: Record<string, string>): FileFrame {
  if (columns.length > COLUMNS_MAX)
    throw new ServiceError(
      'format_limit',
      `the table has ${columns.length.toLocaleString('en')} columns, and XLSX holds ${COLUMNS_MAX.toLocaleString('en')}: choose another format`,
    )
  const entries: Entry[] = []
  let offset = 0
  const head: Uint8Array[] = []
  const put = (bytes: Uint8Array) => {
    head.push(bytes)
    offset += bytes.length
  }
  for (const [name, text] of Object.entries(membersOf(columns, about))) {
    const bytes = Buffer.from(text)
    const entry = { name, offset, crc: crc32(bytes), byteCount: bytes.length, plainByteCount: bytes.length }
    entries.push({ ...entry, isStreamed: false })
    put(localHeader({ ...entry, isStreamed: false }))
    put(bytes)
  }
  const sheet: Entry = { name: SHEET, offset, crc: 0, byteCount: 0, plainByteCount: 0, isStreamed: true }
  put(localHeader(sheet))
  const opening = deflateEverywhere(Buffer.from(sheetHead(columns)))
  put(opening.deflated)
  return {
    head: [Buffer.concat(head)],
    checkRows: (rows) => checkRows(XLSX, rows),
    tail: (ends, at) => {
      const closing = deflateEverywhere(Buffer.from('</sheetData></worksheet>\n'))
      const whole = [partOf(opening), ...ends.flatMap(({ end }) => (end ?? []) as SheetPart), partOf(closing)].reduce(
        joined,
      )
      const byteCount = whole.byteCount + LAST_BLOCK.length
      const closed = { ...sheet, ...whole, byteCount }
      if (closed.plainByteCount > BYTES_MAX || at > BYTES_MAX)
        throw new ServiceError('format_limit', 'the table has more than 4 GiB as XLSX: choose another format')
      const before = [closing.deflated, LAST_BLOCK, descriptor(closed)]
      const directoryAt = at + before.reduce((sum, { length }) => sum + length, 0)
      return Buffer.concat([...before, directory([...entries, closed], directoryAt)])
    },
  }
}

const partOf = ({ deflated, crc, plainBytes }: DeflatedPiece): SheetPart => ({
  crc,
  byteCount: deflated.length,
  plainByteCount: plainBytes,
})

function joined(first: SheetPart, second: SheetPart): SheetPart {
  return {
    crc: combineCrc(first.crc, second.crc, second.plainByteCount),
    byteCount: first.byteCount + second.byteCount,
    plainByteCount: first.plainByteCount + second.plainByteCount,
  }
}

/** Empty block that ends a deflated stream. */
const LAST_BLOCK = Uint8Array.of(3, 0)

const SHEET = 'xl/worksheets/sheet1.xml'
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const BOLD = 1

/** Returns the file's members other than the rows, by name. */
function membersOf(columns: Column[], about: Record<string, string>): Record<string, string> {
  const sheets = [sheetName(about.export ?? 'Data'), 'Columns', 'About']
  const part = (name: string, kind: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="${TYPE}.${kind}+xml"/>`
  const relation = (id: number, kind: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`
  const relations = (inner: string) =>
    `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>\n`
  const sheetNumbers = sheets.map((_, i) => i + 1)
  return {
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part('workbook', 'sheet.main')}${part('styles', 'styles')}${sheetNumbers.map((i) => part(`worksheets/sheet${i}`, 'worksheet')).join('')}</Types>\n`,
    '_rels/.rels': relations(relation(1, 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `${XML}<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets>${sheets.map((name, i) => `<sheet name="${xmlText(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join('')}</sheets></workbook>\n`,
    'xl/_rels/workbook.xml.rels': relations(
      sheetNumbers.map((i) => relation(i, 'worksheet', `worksheets/sheet${i}.xml`)).join('') +
        relation(sheets.length + 1, 'styles', 'styles.xml'),
    ),
    'xl/styles.xml': `${XML}<styleSheet ${MAIN}><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>\n`,
    'xl/worksheets/sheet2.xml': smallSheet([
      ['name', 'type', 'unit', 'meaning'],
      ...columns.map(({ name, type, unit, meaning }) => [name, type, unit, meaning]),
    ]),
    'xl/worksheets/sheet3.xml': smallSheet([['fact', 'value'], ...Object.entries(about)]),
  }
}

/** Makes a valid sheet name: at most 31 characters, the seven forbidden ones replaced. */
function sheetName(name: string): string {
  return name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31)
}

/** Returns the beginning of a sheet, whose first row is frozen. @param widths column widths in characters */
function sheetTop(widths: number[]): string {
  const view = `<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`
  const cols = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`)
  return `${XML}<worksheet ${MAIN}>${view}<cols>${cols.join('')}</cols><sheetData>\n`
}

const rowOf = (cells: string[], style = 0) => `<row>${cells.map((text) => textCell(text, style)).join('')}</row>\n`
const widthOf = (text: string) => Math.min(60, Math.max(10, text.length + 2))

function sheetHead(columns: Column[]): string {
  const names = columns.map(({ name }) => name)
  return sheetTop(names.map(widthOf)) + rowOf(names, BOLD)
}

function smallSheet([header, ...rows]: string[][]): string {
  const widths = header.map((_, c) => Math.max(...[header, ...rows].map((row) => widthOf(row[c]))))
  return `${sheetTop(widths)}${rowOf(header, BOLD)}${rows.map((row) => rowOf(row)).join('')}</sheetData></worksheet>\n`
}

/** An entry of the ZIP. The lengths of a streamed entry follow it, since they are not known before. */
type Entry = { name: string; offset: number; isStreamed: boolean } & SheetPart

const VERSION = 20
/** Flags: lengths after the entry; names in UTF-8. */
const STREAMED = 0x0808
const PLAIN = 0x0800
const DEFLATED = 8
/** Earliest date that a ZIP can store, for reproducible bytes. */
const DATE = 0x0021

/** Returns the fields of an entry's local header; the directory repeats all but three of them (APPNOTE 4.3.7). */
function entryFields({ name, crc, byteCount, plainByteCount, isStreamed }: Entry, hasLengths: boolean): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION, 0)
  fields.writeUInt16LE(isStreamed ? STREAMED : PLAIN, 2)
  fields.writeUInt16LE(isStreamed ? DEFLATED : 0, 4)
  fields.writeUInt16LE(DATE, 8)
  if (hasLengths) {
    fields.writeUInt32LE(crc, 10)
    fields.writeUInt32LE(byteCount, 14)
    fields.writeUInt32LE(plainByteCount, 18)
  }
  fields.writeUInt16LE(Buffer.byteLength(name), 22)
  return fields
}

function localHeader(entry: Entry): Buffer {
  return Buffer.concat([Buffer.from('PK\x03\x04'), entryFields(entry, !entry.isStreamed), Buffer.from(entry.name)])
}

function descriptor({ crc, byteCount, plainByteCount }: SheetPart): Buffer {
  const bytes = Buffer.from('PK\x07\x08            ')
  bytes.writeUInt32LE(crc, 4)
  bytes.writeUInt32LE(byteCount, 8)
  bytes.writeUInt32LE(plainByteCount, 12)
  return bytes
}

/** Encodes the directory at the end of the ZIP (APPNOTE 4.3.12, 4.3.16). */
function directory(entries: Entry[], at: number): Buffer {
  const headers = entries.map((entry) => {
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(entry.offset, 10)
    return Buffer.concat([
      Buffer.from('PK\x01\x02'),
      Buffer.from([VERSION, 0]),
      entryFields(entry, true),
      rest,
      Buffer.from(entry.name),
    ])
  })
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(
    headers.reduce((sum, { length }) => sum + length, 0),
    12,
  )
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...headers, end])
}
