import { type DataType, type Field, tableFromIPC } from 'apache-arrow'
import { parquetMetadata } from 'hyparquet'
import { expect, test } from 'vitest'
import { columnsOf } from '../../../engine/exports/columns/columns-of.ts'
import { NO_FACTS } from '../../../engine/exports/columns/study-facts.ts'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import { arrowSchema } from '../../../engine/formats/arrow.ts'
import { arrowSchemaMessage } from '../../../engine/formats/arrow-schema.ts'
import { parquetFrame } from '../../../engine/formats/parquet-file.ts'

/** Normalizes a schema as Arrow's own library reads it; a dictionary counts as its values. */
const told = ({ name, type, metadata }: Field): object => {
  const own: DataType = 'dictionary' in type ? (type as unknown as { dictionary: DataType }).dictionary : type
  const children = (own.children ?? []).map((child: Field, i: number) =>
    told(`${own}`.startsWith('List') && i === 0 ? (child.clone({ name: 'element' }) as Field) : child),
  )
  return { name, type: `${own}`.replace(/[<{].*/, ''), about: Object.fromEntries(metadata), children }
}

test('each export has the fields of its Arrow file, with types, meanings and units, also within tuples', () => {
  for (const entry of EXPORTS) {
    const columns = columnsOf(entry, NO_FACTS)
    const { fields } = tableFromIPC(arrowSchemaMessage(columns)).schema
    expect(fields.map(told), entry.name).toEqual(arrowSchema(columns, {}, () => 1).fields.map(told))
  }
})

test('a Parquet file holds them where readers by Arrow look', () => {
  const columns = columnsOf(EXPORTS[0], NO_FACTS)
  const { head, tail } = parquetFrame(columns, { export: 'x' })
  const bytes = Uint8Array.from(Buffer.concat([...head, tail([], 4)]))
  const facts = parquetMetadata(bytes.buffer).key_value_metadata!
  const [schema] = facts.filter(({ key }) => key === 'ARROW:schema')
  const { fields } = tableFromIPC(Buffer.from(schema.value!, 'base64')).schema
  expect(fields.map(({ name }) => name)).toEqual(columns.map(({ name }) => name))
})
