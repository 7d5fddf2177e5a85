import { posix } from 'node:path'
import { cellOf, type NumberKind, numberKind } from './cell-texts.ts'
import { DamagedWorkbook } from './damaged-workbook.ts'
import { readXml } from './read-xml.ts'
import type { ZipParts } from './zip-parts.ts'

/** A workbook's sheets of cells, and the data to which their cells refer. */
type Workbook = {
  sheets: Sheet[]
  is1904: boolean
  sharedStrings: string | null
  styles: string | null
}
/** A sheet of a workbook. @property part its name in the archive */
export type Sheet = { name: string; part: string }

const WORKBOOK = 'xl/workbook.xml'
const SHEETS_MAX = 256
/** Largest number and total length of the shared texts. */
const [STRINGS_MAX, STRINGS_MAX_LENGTH] = [1 << 22, 1 << 26]
/**
 * Size of the shared texts that is always read, and their largest compression ratio: each of them is listed once, so
 * they shrink to a tenth at most.
 */
const [STRINGS_FREE_BYTES, STRINGS_RATIO_MAX] = [1 << 22, 50]
/** Excel's limit. Cells may share a text many times, so longer ones would fill memory. */
const CELL_MAX_LENGTH = 32_767
const STYLES_MAX = 1 << 16

export function isWorkbook(parts: ZipParts): boolean {
  return parts.has(WORKBOOK)
}

/** Lists the sheets, in order. @throws DamagedWorkbook */
export async function readWorkbook(parts: ZipParts): Promise<Workbook> {
  const named: { name: string; id: string }[] = []
  let is1904 = false
  await readAll(parts, WORKBOOK, (name, attributes) => {
    if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
    if (name !== 'sheet') return
    named.push({ name: attributes.name ?? '', id: relationId(attributes) })
    if (named.length > SHEETS_MAX) throw new DamagedWorkbook(`has more than ${SHEETS_MAX} sheets`)
  })
  const byId = new Map<string, string>()
  const byType = new Map<string, string>()
  await readAll(parts, 'xl/_rels/workbook.xml.rels', (name, { Id, Type = '', Target = '' }) => {
    if (name !== 'Relationship' || byId.size > PARTS_MAX) return
    const part = Target.startsWith('/') ? Target.slice(1) : posix.join('xl', Target)
    const type = Type.slice(Type.lastIndexOf('/') + 1)
    byType.set(type, part)
    if (type === 'worksheet') byId.set(Id, part)
  })
  // Sheets of charts have no cells.
  const sheets = named.flatMap(({ name, id }) => (byId.has(id) ? [{ name, part: byId.get(id)! }] : []))
  if (new Set(sheets.map(({ name }) => name)).size < sheets.length)
    throw new DamagedWorkbook('has two sheets of one name')
  return {
    sheets,
    is1904,
    sharedStrings: byType.get('sharedStrings') ?? null,
    styles: byType.get('styles') ?? null,
  }
}

const PARTS_MAX = 1 << 16

/** Returns the relationship id of a sheet's part, whatever the namespace prefix. */
function relationId(attributes: Record<string, string>): string {
  const name = Object.keys(attributes).find((one) => one.endsWith(':id'))
  return name === undefined ? '' : attributes[name]
}

/** Reads the shared texts, by number, as cells of a line. @throws DamagedWorkbook for too many */
export async function readSharedStrings(parts: ZipParts, part: string | null): Promise<string[]> {
  if (part === null || !parts.has(part)) return []
  const { packedBytes, bytes } = parts.sizes(part)
  if (bytes > STRINGS_FREE_BYTES && bytes > packedBytes * STRINGS_RATIO_MAX)
    throw new DamagedWorkbook(`has texts that unpack to more than ${STRINGS_RATIO_MAX} times their size`)
  const strings: string[] = []
  let [text, length, isText, phonetic] = ['', 0, false, 0]
  const handlers = {
    onOpen: (name: string) => {
      if (name === 'si') text = ''
      else if (name === 'rPh') phonetic++
      isText = name === 't' && phonetic === 0
    },
    onText: (more: string) => {
      if (!isText) return
      text += more
      if (text.length > CELL_MAX_LENGTH)
        throw new DamagedWorkbook(`has a text of more than ${CELL_MAX_LENGTH} characters`)
    },
    onClose: (name: string) => {
      isText = false
      if (name === 'rPh') phonetic--
      if (name !== 'si') return
      length += text.length
      if (length > STRINGS_MAX_LENGTH || strings.length >= STRINGS_MAX)
        throw new DamagedWorkbook('has more texts in its cells than can be held')
      strings.push(cellOf(text))
    },
  }
  await readXml(parts.stream(part), handlers)
  return strings
}

/** Reads the meaning of numbers for each cell style, by the number of the style. @throws DamagedWorkbook */
export async function readNumberKinds(parts: ZipParts, part: string | null): Promise<NumberKind[]> {
  if (part === null || !parts.has(part)) return []
  const codes = new Map<number, string>()
  const kinds: NumberKind[] = []
  let isOfCells = false
  await readAll(parts, part, (name, { numFmtId, formatCode }) => {
    if (codes.size > STYLES_MAX || kinds.length > STYLES_MAX) throw new DamagedWorkbook('has too many styles')
    if (name === 'numFmt') codes.set(Number(numFmtId), formatCode ?? '')
    else if (name === 'cellXfs' || name === 'cellStyleXfs') isOfCells = name === 'cellXfs'
    else if (name === 'xf' && isOfCells) kinds.push(numberKind(Number(numFmtId ?? 0), codes.get(Number(numFmtId))))
    else if (name === 'cellStyles' || name === 'dxfs') isOfCells = false
  })
  return kinds
}

async function readAll(
  parts: ZipParts,
  part: string,
  onOpen: (name: string, attributes: Record<string, string>) => void,
): Promise<void> {
  await readXml(parts.stream(part), { onOpen })
}
