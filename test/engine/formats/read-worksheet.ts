import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { SaxesParser } from 'saxes'
import { fromBufferPromise } from 'yauzl'

type Cell = string | number | boolean | null

/** Reads the cells of a worksheet of an XLSX file, as its types say; a cell without a value is null. */
export async function readWorksheet(bytes: Buffer, name: string): Promise<Cell[][]> {
  const xml = (await unzip(bytes)).get(name)!.toString()
  const rows: Cell[][] = []
  let type = ''
  let value: string | null = null
  const parser = new SaxesParser()
  parser.on('opentag', ({ name: tag, attributes }) => {
    if (tag === 'row') rows.push([])
    if (tag !== 'c') return
    type = String(attributes.t ?? 'n')
    value = null
  })
  parser.on('text', (text) => {
    if (text.trim() !== '' || value !== null) value = (value ?? '') + text
  })
  parser.on('closetag', ({ name: tag }) => {
    if (tag === 't' && value === null) value = ''
    if (tag === 'c') rows.at(-1)!.push(cellOf(type, value))
    if (tag === 'c') value = null
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.write(xml).close()
  return rows
}

function cellOf(type: string, value: string | null): Cell {
  if (value === null) return null
  if (type === 'n') return Number(value)
  if (type === 'b') return value === '1'
  return value.replace(/_x([0-9A-F]{4})_/g, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
}

/** Unzips a file by its directory, and checks the checksums. */
export async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true })
  const files = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry()) {
    const plain = await buffer(await zip.openReadStreamPromise(entry))
    if (crc32(plain) !== entry.crc32) throw new Error(`${entry.fileName} has another checksum`)
    files.set(entry.fileName, plain)
  }
  return files
}
