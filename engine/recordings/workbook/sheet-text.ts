import { openPlain } from '../../files/plain-file.ts'
import { cellOf, dateText, type NumberKind } from './cell-texts.ts'
import { DamagedWorkbook, workbookFault } from './damaged-workbook.ts'
import { PIECE_MAX, readXml, type XmlHandlers } from './read-xml.ts'
import { isWorkbook, readNumberKinds, readSharedStrings, readWorkbook, type Sheet } from './workbook.ts'
import { openZipParts } from './zip-parts.ts'

/** What the largest sheet of Excel's may have. */
const [ROWS_MAX, COLUMNS_MAX] = [1_048_576, 16_384]
/** Far beyond that sheet full of numbers of a tracker: only a file that is made to fill memory and time has more. */
const TEXT_MAX_LENGTH = 2 ** 33
const CHUNK_LENGTH = 1 << 18

/**
 * Lists the sheets of an XLSX file.
 *
 * @param name the file's, for sentences
 * @returns null for an archive that is no workbook
 * @throws ServiceError invalid_bundle for a workbook that cannot be read
 */
export async function sheetsOf(path: string, name: string): Promise<Sheet[] | null> {
  const file = await openPlain(path)
  try {
    const parts = await openZipParts(file)
    return isWorkbook(parts) ? (await readWorkbook(parts)).sheets : null
  } catch (error) {
    // Any other archive may be damaged as it likes: nobody reads it.
    if (!/\.xls[xm]$/i.test(path) && !(error instanceof DamagedWorkbook)) return null
    throw workbookFault(error, name)
  } finally {
    await file.close()
  }
}

/**
 * Yields the cells of a sheet as a table of text, UTF-8, a line per row and tabs between cells, in bounded memory: numbers as they are
 * stored, dates as ISO 8601, booleans as TRUE and FALSE, empty cells where there are none. Rows that are left out are empty lines.
 *
 * @param onShare is told how much was read, 0 to 1
 * @throws ServiceError invalid_bundle for a workbook that cannot be read
 */
export async function* sheetText(
  { path, name, sheet }: { path: string; name: string; sheet: string },
  onShare?: (share: number) => void,
): AsyncGenerator<Buffer> {
  const file = await openPlain(path)
  try {
    const parts = await openZipParts(file)
    const { sharedStrings, styles, is1904 } = await readWorkbook(parts)
    const strings = await readSharedStrings(parts, sharedStrings)
    const kinds = await readNumberKinds(parts, styles)
    const { handlers, take } = openLines(strings, kinds, is1904)
    let length = 0
    for await (const _ of readXml(parts.stream(sheet, onShare), handlers)) {
      const text = take(CHUNK_LENGTH)
      if (text === '') continue
      length += text.length
      if (length > TEXT_MAX_LENGTH) throw new DamagedWorkbook('holds more text than a sheet can')
      yield Buffer.from(text)
    }
    yield Buffer.from(take(0))
  } catch (error) {
    throw workbookFault(error, name)
  } finally {
    await file.close()
  }
}

/** Makes lines of a sheet's elements; `take` returns what is there, once it is at least so long, and forgets it. */
function openLines(strings: string[], kinds: NumberKind[], is1904: boolean) {
  let text = ''
  let [row, column] = [0, 0]
  let [type, kind, value] = ['', 'number' as NumberKind, '']
  let [isInRow, isInCell, isValue, phonetic] = [false, false, false, 0]

  const startRow = (reference: string | undefined) => {
    const next = reference === undefined ? row + 1 : Number(reference)
    if (!(Number.isInteger(next) && next > row && next <= ROWS_MAX))
      throw new DamagedWorkbook(`has a row ${reference ?? row + 1} behind row ${row}`)
    if (next > row + 1) text += '\n'.repeat(next - row - 1)
    row = next
    column = 0
    isInRow = true
  }
  const startCell = (reference: string | undefined, style: string | undefined) => {
    const next = reference === undefined ? column + 1 : columnOf(reference)
    if (!(next > column && next <= COLUMNS_MAX)) throw new DamagedWorkbook(`has a cell ${reference} out of its place`)
    // One tab less in front of the first cell than behind another.
    const tabs = column === 0 ? next - 1 : next - column
    text += tabs === 1 ? '\t' : '\t'.repeat(tabs)
    column = next
    kind = style === undefined ? 'number' : (kinds[Number(style)] ?? 'number')
    value = ''
    isInCell = true
  }
  const handlers: XmlHandlers = {
    onOpen: (name, attributes) => {
      isValue = isInCell && phonetic === 0 && (name === 'v' || name === 't')
      if (name === 'c' && isInRow) {
        type = attributes.t ?? 'n'
        startCell(attributes.r, attributes.s)
      } else if (name === 'row') startRow(attributes.r)
      else if (name === 'rPh') phonetic++
    },
    onText: (more) => {
      if (!isValue) return
      value += more
      if (value.length > PIECE_MAX) throw new DamagedWorkbook(`has a cell of more than ${PIECE_MAX} characters`)
    },
    onClose: (name) => {
      isValue = false
      if (name === 'c' && isInCell) {
        text += valueText(type, value, kind, strings, is1904)
        isInCell = false
      } else if (name === 'row' && isInRow) {
        text += '\n'
        isInRow = false
      } else if (name === 'rPh') phonetic--
    },
  }
  const take = (least: number) => {
    if (text.length < least) return ''
    const taken = text
    text = ''
    return taken
  }
  return { handlers, take }
}

function valueText(type: string, value: string, kind: NumberKind, strings: string[], is1904: boolean): string {
  if (type === 'n') return kind === 'number' || value === '' ? value.trim() : dateText(Number(value), kind, is1904)
  if (type === 's') {
    const shared = strings[Number(value)]
    if (shared === undefined) throw new DamagedWorkbook(`has a cell with the text ${value}, which is not there`)
    return shared
  }
  return type === 'b' ? (value.trim() === '1' ? 'TRUE' : 'FALSE') : cellOf(value)
}

/** Returns the number of a cell's column, from 1: 28 for AB7. */
function columnOf(reference: string): number {
  let column = 0
  for (let i = 0; i < reference.length; i++) {
    const letter = reference.charCodeAt(i) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
  }
  return column
}
