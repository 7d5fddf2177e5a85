import { Utf8, vectorFromArray } from 'apache-arrow'
import type { Column } from '../model/columns.ts'
import { arrowSchema, isDictionary } from './arrow.ts'
import { type Block, dictionaryMessage, footer, MAGIC, schemaMessage } from './arrow-message.ts'
import type { FileFrame } from './encoder.ts'

/**
 * Returns the frame of an Arrow IPC file: magic, schema and dictionaries before the record batches of the shards, the
 * footer behind them.
 *
 * @param dictionaries the values of each column that has one, in the order of their codes
 */
export function arrowFrame(
  columns: Column[],
  about: Record<string, string>,
  dictionaries: Record<string, string[]>,
): FileFrame {
  const schema = arrowSchema(columns, about, (name) => dictionaries[name].length)
  const head: Uint8Array[] = [MAGIC, new Uint8Array(2), schemaMessage(schema)]
  const blocks: Block[] = []
  for (const [id, column] of columns.entries()) {
    if (!isDictionary(column)) continue
    const offset = head.reduce((sum, { length }) => sum + length, 0)
    const { pieces, block } = dictionaryMessage(vectorFromArray(dictionaries[column.name], new Utf8()), id)
    head.push(...pieces)
    blocks.push({ ...block, offset })
  }
  return {
    head: Buffer.concat(head),
    tail: (ends) => {
      const batches = ends.flatMap(({ offset, end }) => (end === null ? [] : [{ ...(end as Block), offset }]))
      return footer(schema, batches, blocks)
    },
  }
}
