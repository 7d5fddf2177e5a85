import type { Column, Value } from '../model/columns.ts'
import { fractionText } from '../text/cells.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'
import { isNull } from './gather.ts'
import { textEncoder } from './text.ts'

/** Encodes each row as a JSON object with all names, in column order. JSON cells are embedded unchanged. */
export function ndjsonEncoder({ columns, sink }: EncoderOptions): Encoder {
  const before = columns.map(({ name }, c) => `${c === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  return textEncoder(columns, { before, behind: '}\n', cell: jsonCell, missing: () => 'null', quote: '' }, sink)
}

function jsonCell(value: Value, column: Column): string {
  if (isNull(value, column)) return 'null'
  if (typeof value === 'number') return fractionText(value)
  return typeof value === 'boolean' || column.type === 'json' ? String(value) : JSON.stringify(value)
}
