import { crc32, deflateRawSync } from 'node:zlib'

/** Builds XLSX files, byte by byte, so that tests may break what they like. */
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** @param change may rewrite an entry's size or CRC-32 as the archive gives them */
export function zipOf(
  parts: Record<string, string | Buffer>,
  change: (name: string, facts: { crc: number; size: number; flags: number }) => object = () => ({}),
): Buffer {
  const [locals, central]: Buffer[][] = [[], []]
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const raw = Buffer.from(content)
    const packed = deflateRawSync(raw)
    const given = { crc: crc32(raw), size: raw.length, flags: 0 }
    const { crc, size, flags } = { ...given, ...change(name, given) }
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(flags, 2)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt32LE(crc, 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(size, 18)
    shared.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    locals.push(Buffer.from('PK\x03\x04', 'latin1'), shared, Buffer.from(name), packed)
    central.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), shared, tail, Buffer.from(name))
    offset += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Object.keys(parts).length, 8)
  end.writeUInt16LE(Object.keys(parts).length, 10)
  end.writeUInt32LE(Buffer.concat(central).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...central, end])
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** The parts of a workbook, of sheets whose `sheetData` is given. */
export function workbookParts(
  sheets: Record<string, string>,
  { strings = [], formats = [], workbookPr = '' }: { strings?: string[]; formats?: string[]; workbookPr?: string } = {},
): Record<string, string> {
  const names = Object.keys(sheets)
  const relations = [
    ...names.map((_, i) => ['worksheet', `worksheets/sheet${i + 1}.xml`]),
    ['sharedStrings', 'sharedStrings.xml'],
    ['styles', '/xl/styles.xml'],
  ].map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`)
  const tags = names.map((name, i) => `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
  const codes = formats.map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${escaped(code)}"/>`)
  const styles = formats.map((_, i) => `<xf numFmtId="${164 + i}" xfId="0"/>`)
  return {
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${workbookPr}<sheets>${tags.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships>${relations.join('')}</Relationships>`,
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}">${strings.join('')}</sst>`,
    'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      names.map((name, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
  }
}

function columnName(column: number): string {
  return column < 26
    ? String.fromCharCode(65 + column)
    : columnName(Math.floor(column / 26) - 1) + columnName(column % 26)
}

/** Writes a table as Excel does: texts shared, numbers as numbers, no cell where there is nothing. */
export function tableWorkbook(rows: string[][], name = 'Sheet1'): Buffer {
  const index = new Map<string, number>()
  const shared = (text: string) => {
    if (!index.has(text)) index.set(text, index.size)
    return index.get(text)!
  }
  const cell = (text: string, at: string) => {
    if (text === '') return ''
    if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return `<c r="${at}"><v>${text}</v></c>`
    return `<c r="${at}" t="s"><v>${shared(text)}</v></c>`
  }
  const data = rows.map(
    (cells, r) => `<row r="${r + 1}">${cells.map((text, c) => cell(text, `${columnName(c)}${r + 1}`)).join('')}</row>`,
  )
  const strings = [...index.keys()].map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`)
  return zipOf(workbookParts({ [name]: data.join('') }, { strings }))
}
