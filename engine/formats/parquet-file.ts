import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import type { Column } from '../model/columns.ts'
import { arrowSchemaMessage } from './arrow-schema.ts'
import type { FileFrame } from './encoder.ts'
import type { Chunk } from './parquet.ts'
import { leavesOf, parquetSchema } from './parquet-schema.ts'

const MAGIC = Buffer.from('PAR1')

/**
 * Returns the frame of a Parquet file: magic bytes before the row groups of the shards, and after them the metadata,
 * with each column's meaning and unit.
 */
export function parquetFrame(columns: Column[], about: Record<string, string>): FileFrame {
  const described = columns.map(({ name, unit, meaning }) => ({ name, unit: unit === '' ? null : unit, meaning }))
  const schema = Buffer.from(arrowSchemaMessage(columns)).toString('base64')
  const facts = Object.entries({ ...about, columns: JSON.stringify(described), 'ARROW:schema': schema })
  const leaves = columns.flatMap(leavesOf)
  return {
    head: [MAGIC],
    tail: (ends) => {
      const groups = ends.filter(({ end }) => end !== null)
      const rowGroups = groups.map(({ offset, end, rows }) => {
        const chunks = end as Chunk[]
        const total = BigInt(chunks.reduce((sum, { byteCount }) => sum + byteCount, 0))
        const plain = BigInt(chunks.reduce((sum, { plainByteCount }) => sum + plainByteCount, 0))
        const chunksAt = chunks.map((chunk, c) => columnChunk(chunk, leaves[c], offset))
        return { columns: chunksAt, total_byte_size: plain, total_compressed_size: total, num_rows: BigInt(rows) }
      })
      const writer = new ByteWriter()
      writeMetadata(writer, {
        version: 2,
        created_by: 'gazette',
        schema: parquetSchema(columns),
        num_rows: BigInt(groups.reduce((sum, { rows }) => sum + rows, 0)),
        row_groups: rowGroups,
        key_value_metadata: facts.map(([key, value]) => ({ key, value })),
      } as never)
      return Buffer.concat([writer.getBytes(), MAGIC])
    },
  }
}

function columnChunk(chunk: Chunk, { type, path }: ReturnType<typeof leavesOf>[number], offset: number) {
  const { dictionaryOffset, dataOffset, byteCount, plainByteCount, valueCount, encoding, codec } = chunk
  return {
    file_offset: BigInt(offset + (dictionaryOffset ?? dataOffset)),
    meta_data: {
      type,
      encodings: encoding === 'PLAIN' ? [encoding] : ['PLAIN' as const, encoding],
      path_in_schema: path,
      codec,
      num_values: BigInt(valueCount),
      total_uncompressed_size: BigInt(plainByteCount),
      total_compressed_size: BigInt(byteCount),
      data_page_offset: BigInt(offset + dataOffset),
      ...(dictionaryOffset === null ? {} : { dictionary_page_offset: BigInt(offset + dictionaryOffset) }),
    },
  }
}
