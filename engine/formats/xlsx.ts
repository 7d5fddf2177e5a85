import type { Column, Value } from '../model/columns.ts'
import { ServiceError } from '../model/errors.ts'
import { fractionText } from '../text/cells.ts'
import { combineCrc, type DeflatedPiece } from '../text/gzip.ts'
import { append, createSink, flush } from '../text/sink.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'
import { isNull } from './gather.ts'
import { textEncoder } from './text.ts'
import { deflateEverywhere } from './xlsx-deflate.ts'

/** ZIP facts about a shard's part of the sheet: checksum, and lengths compressed and uncompressed. */
export type SheetPart = { crc: number; byteCount: number; plainByteCount: number }

/** Largest number of characters in a cell (Excel specifications and limits). */
const CELL_CHARACTERS_MAX = 32_767

/**
 * Encodes a shard's rows as worksheet rows (ECMA-376, part 1, 18.3.1), already deflated. Numbers and booleans are
 * typed; a missing value is an empty cell. Cells have no reference, since a shard does not know how many rows precede
 * it.
 *
 * @returns an encoder that throws ServiceError format_limit for text too long for a cell
 */
export function xlsxEncoder({ columns, sink }: EncoderOptions): Encoder {
  const part: SheetPart = { crc: 0, byteCount: 0, plainByteCount: 0 }
  const rows = createSink((finished) => {
    const { deflated, crc, plainBytes }: DeflatedPiece = deflateEverywhere(finished)
    append(sink, deflated)
    part.crc = combineCrc(part.crc, crc, plainBytes)
    part.byteCount += deflated.length
    part.plainByteCount += plainBytes
  })
  const encoder = textEncoder(
    columns,
    {
      before: columns.map((_, c) => (c === 0 ? '<row>' : '')),
      behind: '</row>\n',
      cell: xlsxCell,
      missing: () => EMPTY,
      quote: '',
      number: NUMBER,
    },
    rows,
  )
  return {
    write: encoder.write,
    end: (): SheetPart => {
      encoder.end()
      flush(sink)
      return part
    },
  }
}

const EMPTY = '<c/>'
const NUMBER = { open: '<c><v>', close: '</v></c>' }

/** Encodes a whole cell. @throws ServiceError format_limit for text that is too long */
function xlsxCell(value: Value, column: Column): string {
  if (isNull(value, column)) return EMPTY
  if (typeof value === 'number') return NUMBER.open + fractionText(value) + NUMBER.close
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`
  const text = String(value)
  if (text.length > CELL_CHARACTERS_MAX)
    throw new ServiceError(
      'format_limit',
      `a cell of ${column.name} has ${text.length.toLocaleString('en')} characters, and a cell of XLSX holds ${CELL_CHARACTERS_MAX.toLocaleString('en')}: choose another format`,
    )
  return textCell(text)
}

/** Encodes a text cell, which no spreadsheet evaluates as a formula. @param style index of a style in styles.xml */
export function textCell(text: string, style = 0): string {
  const space = text.trim() === text ? '' : ' xml:space="preserve"'
  return `<c${style === 0 ? '' : ` s="${style}"`} t="inlineStr"><is><t${space}>${xmlText(text)}</t></is></c>`
}

/**
 * Escapes text for XML. Characters that XML cannot hold, and text that looks like such an escape, are written as
 * `_xHHHH_` (ST_Xstring, 22.9.2.19).
 */
export function xmlText(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(UNWRITABLE, (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Control characters except tab and line feed, lone surrogates, and the two noncharacters. */
const UNWRITABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
