import { checkRatio } from '../../storage/files/gzip-ratio.ts'
import { openPlain } from '../../storage/files/plain-file.ts'
import { type CellLines, openCellLines } from './cell-lines.ts'
import { DamagedWorkbook, workbookFault } from './damaged-workbook.ts'
import { openPlainRows } from './plain-rows.ts'
import { openXml, PIECE_MAX } from './read-xml.ts'
import { isWorkbook, readNumberKinds, readSharedStrings, readWorkbook, type Sheet } from './workbook.ts'
import { openZipParts } from './zip-parts.ts'

/**
 * Lists the sheets of an XLSX file.
 *
 * @param name name of the file, for error messages
 * @returns null for an archive that is not a workbook
 * @throws ServiceError invalid_bundle for a workbook that cannot be read
 */
export async function sheetsOf(path: string, name: string): Promise<Sheet[] | null> {
  const file = await openPlain(path)
  try {
    const parts = await openZipParts(file)
    return isWorkbook(parts) ? (await readWorkbook(parts)).sheets : null
  } catch (error) {
    // Damage in any other archive does not matter: nobody reads it.
    if (!/\.xls[xm]$/i.test(path) && !(error instanceof DamagedWorkbook)) return null
    throw workbookFault(error, name)
  } finally {
    await file.close()
  }
}

/**
 * Yields the cells of a sheet as a table of text in UTF-8, a line per row and tabs between cells, in bounded memory:
 * numbers as stored, dates as ISO 8601, booleans as TRUE and FALSE, missing cells empty. Omitted rows become empty
 * lines.
 *
 * @param onShare receives the share read so far, 0 to 1
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
    const lines = openCellLines({ strings, kinds, is1904 })
    const { size } = await file.stat()
    let written = 0
    const counted = (text: Buffer) => {
      written += text.length
      checkRatio(name, written, size)
      return text
    }
    for await (const _ of readRows(parts.stream(sheet, onShare), lines)) {
      const text = lines.take()
      if (text !== null) yield counted(text)
    }
    yield counted(lines.take(true)!)
  } catch (error) {
    throw workbookFault(error, name)
  } finally {
    await file.close()
  }
}

const ROW_END = Buffer.from('</row>')
/** Longest incomplete row that is buffered; longer ones go to the parser before they end. */
const REST_MAX = 1 << 18

/**
 * Reads the rows of a sheet, plain ones byte by byte, the others and everything around them as XML; yields after each
 * chunk, and whenever lines are full.
 */
async function* readRows(chunks: AsyncIterable<Buffer>, lines: CellLines): AsyncGenerator<void> {
  const sheet = openSheet(lines)
  const readPlainRow = openPlainRows(lines)
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    const lastEnd = bytes.lastIndexOf(ROW_END)
    let at = 0
    for (;;) {
      // Not into a row that is incomplete: V8 would read all others more slowly, once one has been read beyond its end.
      const next = sheet.isBetweenRows && at < lastEnd ? readPlainRow(bytes, at) : -1
      const end = next >= 0 ? next : bytes.indexOf(ROW_END, at) + ROW_END.length
      if (end < ROW_END.length) break
      if (next < 0) sheet.write(bytes.subarray(at, end))
      at = end
      if (lines.isFull()) yield
    }
    rest = bytes.subarray(at)
    if (rest.length > REST_MAX) {
      sheet.write(rest)
      rest = bytes.subarray(bytes.length)
    }
    yield
  }
  sheet.write(rest)
  sheet.close()
}

/** Opens a parser of a sheet's XML; `isBetweenRows` tells whether the text parsed so far ends with the end of a row. */
function openSheet(lines: CellLines) {
  let [type, value] = ['', '']
  let [isInRow, isInCell, isValue, phonetic] = [false, false, false, 0]
  const xml = openXml({
    onOpen: (name, { r, s, t = 'n' }) => {
      sheet.isBetweenRows = false
      isValue = isInCell && phonetic === 0 && (name === 'v' || name === 't')
      if (name === 'c' && isInRow) {
        type = t
        value = ''
        if (!lines.startCell(r === undefined ? null : columnOf(r), Number(s ?? -1)))
          throw new DamagedWorkbook(`has a cell ${r ?? 'too far to the right'} out of its place`)
        isInCell = true
      } else if (name === 'row') {
        if (!lines.startRow(r === undefined ? null : Number(r)))
          throw new DamagedWorkbook(`has a row ${r ?? 'too far down'} out of its place`)
        isInRow = true
      } else if (name === 'rPh') phonetic++
    },
    onText: (more) => {
      if (!isValue) return
      value += more
      if (value.length > PIECE_MAX) throw new DamagedWorkbook(`has a cell of more than ${PIECE_MAX} characters`)
    },
    onClose: (name) => {
      isValue = false
      if (name === 'c' && isInCell) {
        lines.endCell(type, value)
        isInCell = false
      } else if (name === 'row' && isInRow) {
        lines.endRow()
        isInRow = false
        sheet.isBetweenRows = true
      } else if (name === 'rPh') phonetic--
    },
  })
  const sheet = {
    isBetweenRows: false,
    write: (bytes: Buffer) => {
      sheet.isBetweenRows = false
      xml.write(bytes)
      // A comment or the like may contain text that looks like the end of a row.
      if (bytes.includes('<!') || bytes.includes('<?')) sheet.isBetweenRows = false
    },
    close: xml.close,
  }
  return sheet
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
