import { type Data, makeData, type Schema, Utf8, Vector } from 'apache-arrow'
import type { Column } from '../model/columns.ts'
import { append, blocksWritten } from '../text/sink.ts'
import { arrowSchema, isDictionary, offsetsOf } from './arrow.ts'
import { type ArrowBlock, dictionaryMessage, footer, MAGIC, schemaMessage } from './arrow-message.ts'
import type { FileFrame, Texts } from './encoder.ts'
import { grownValues } from './growing.ts'

/**
 * Returns the frame of an Arrow IPC file: magic bytes, schema and dictionaries before the record batches of the shards,
 * and the footer after them.
 *
 * @param dictionaries texts of each dictionary column
 */
export function arrowFrame(
  columns: Column[],
  about: Record<string, string>,
  dictionaries: Record<string, Texts>,
): FileFrame {
  const sizes = Object.fromEntries(Object.entries(dictionaries).map(([name, { ends }]) => [name, ends.length]))
  const schema = arrowSchema(columns, about, (name) => sizes[name])
  const { head, blocks } = arrowHead(schema, columns, dictionaries)
  return {
    head,
    tail: (ends) => {
      const batches = ends.flatMap(({ offset, end }) =>
        ((end ?? []) as ArrowBlock[]).map((batch) => ({ ...batch, offset: offset + batch.offset })),
      )
      return footer(schema, batches, blocks)
    },
  }
}

/** Kept separate from the frame: the frame lives until the whole file is written and would hold all texts in memory. */
function arrowHead(schema: Schema, columns: Column[], dictionaries: Record<string, Texts>) {
  const blocks: ArrowBlock[] = []
  const head = blocksWritten((sink) => {
    let offset = 0
    const put = (pieces: Uint8Array[]) => {
      for (const piece of pieces) {
        append(sink, piece)
        offset += piece.length
      }
    }
    put([MAGIC, new Uint8Array(2), schemaMessage(schema)])
    for (const [id, column] of columns.entries()) {
      if (!isDictionary(column)) continue
      const { pieces, block } = dictionaryMessage(new Vector([textsData(dictionaries[column.name])]), id)
      blocks.push({ ...block, offset })
      put(pieces)
    }
  })
  return { head, blocks }
}

function textsData({ bytes, ends }: Texts): Data<Utf8> {
  return makeData({
    type: new Utf8(),
    length: ends.length,
    nullCount: 0,
    valueOffsets: offsetsOf(ends),
    data: grownValues(bytes),
  })
}
