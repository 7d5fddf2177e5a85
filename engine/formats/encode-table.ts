import type { Column, Rows } from '../model/columns.ts'
import type { FormatName } from '../model/format-names.ts'
import { createSink } from '../text/sink.ts'
import { loadFormat } from './load.ts'

/**
 * Encodes a small table as a whole file.
 *
 * @param columns without a domain, since a domain would require a file dictionary
 * @param about metadata of the file, for formats that store it
 */
export async function encodeTable(
  { columns, rows }: { columns: Column[]; rows: Rows },
  format: FormatName,
  about: Record<string, string>,
  formulaGuard: boolean,
): Promise<Buffer> {
  const { encoder: encoderOf, frame } = await loadFormat(format)
  const { head, tail, checkRows } = frame({ columns, about, dictionaries: {} })
  checkRows?.(rows.n)
  const blocks: Uint8Array[] = []
  const sink = createSink((finished) => void blocks.push(finished.slice()))
  const encoder = encoderOf({ columns, formulaGuard, sink, dictionaries: {} })
  if (rows.n > 0) encoder.write(rows)
  const end = encoder.end()
  const lengthOf = (parts: Uint8Array[]) => parts.reduce((sum, { length }) => sum + length, 0)
  const offset = lengthOf(head)
  const rest = tail([{ offset, end, rows: rows.n }], offset + lengthOf(blocks))
  return Buffer.concat([...head, ...blocks, rest])
}
