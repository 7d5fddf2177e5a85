import { tableFromIPC } from 'apache-arrow'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { encodeResult } from '../../../../engine/analysis/sql/encode-result.ts'
import { RESULT, RESULT_SCHEMA, readResult } from '../../../../engine/analysis/sql/read-result.ts'
import { openDuckDb } from '../../../../engine/duckdb/duckdb.ts'
import type { FormatName } from '../../../../engine/model/format-names.ts'
import { kept } from '../../kept.ts'

const duckDb = kept(await openDuckDb({ directories: [], threads: 1, memoryMib: 256 }))
await duckDb.connection.run(`CREATE SCHEMA ${RESULT_SCHEMA}`)

/** The file of a query's result. */
async function made(query: string, { format = 'csv' }: { format?: FormatName } = {}) {
  await duckDb.connection.run(`CREATE OR REPLACE TABLE ${RESULT} AS ${query}`)
  const result = await readResult(duckDb.connection)
  const pieces: Uint8Array[] = []
  for await (const bytes of encodeResult(result, format, true)) pieces.push(bytes.slice())
  const bytes = Buffer.concat(pieces)
  return { bytes, text: bytes.toString() }
}

const refusal = (query: string) =>
  made(query).then(
    () => 'it was made',
    (error) => error.message,
  )

const lines = (text: string) => text.trimEnd().split('\n')

describe('a number', () => {
  test('has all its digits in every format, or is refused', async () => {
    const query =
      'SELECT 9007199254740991 AS whole, sum(1) AS large, 0.1 AS tenth, 1/3 AS third, 1e-8::DOUBLE AS small, NULL::INTEGER AS none FROM range(3)'
    const [, csv] = lines((await made(query)).text)
    expect(csv).toBe('9007199254740991,3,0.1,0.3333333333333333,1e-8,')
    const row = { whole: 9007199254740991, large: 3, tenth: 0.1, third: 1 / 3, small: 1e-8, none: null }
    expect(JSON.parse((await made(query, { format: 'ndjson' })).text)).toEqual(row)
    const big = { ...row, whole: 9007199254740991n, large: 3n }
    const arrow = tableFromIPC((await made(query, { format: 'arrow' })).bytes)
      .get(0)!
      .toJSON()
    expect(arrow).toEqual(big)
    const { bytes } = await made(query, { format: 'parquet' })
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
    expect(await parquetReadObjects({ file })).toEqual([big])
  })
  for (const query of [
    'SELECT 9007199254740992 AS n',
    'SELECT -9007199254740992 AS n',
    'SELECT unnest([1, 10::HUGEINT * 1000000000000000000]) AS n',
    'SELECT 12345678901234567.5 AS n',
    "SELECT 'inf'::DOUBLE AS n",
    'SELECT 1e999::DOUBLE AS n',
  ])
    test(`is refused where files would hold another one: ${query}`, async () => {
      expect(await refusal(query)).toMatch(/^column n has (a number of more digits|an infinite number)/)
    })
})

test('texts, dates, lists and missing values are what they were, and text that is a formula is guarded in CSV alone', async () => {
  const query =
    "SELECT * FROM (VALUES ('=1+1', DATE '2024-02-29', [1, 2], {'a': 'x'}, true), ('', NULL, [], NULL, NULL)) t(s, d, l, o, b)"
  expect((await made(query)).text).toBe('s,d,l,o,b\n\'=1+1,2024-02-29,"[1,2]","{""a"":""x""}",true\n,,[],,\n')
  const rows = [
    { s: '=1+1', d: '2024-02-29', l: [1, 2], o: { a: 'x' }, b: true },
    { s: '', d: null, l: [], o: null, b: null },
  ]
  expect(lines((await made(query, { format: 'ndjson' })).text).map((line) => JSON.parse(line))).toEqual(rows)
})

test('a large result is whole in every format, in its order', async () => {
  const query = 'SELECT a FROM range(300_000) t(a) ORDER BY hash(a)'
  const { text } = await made(query)
  const found = lines(text).slice(1).map(Number)
  expect(found).toHaveLength(300_000)
  expect(found.slice(0, 3)).not.toEqual([0, 1, 2])
  expect(new Set(found).size).toBe(300_000)
  const arrow = tableFromIPC((await made(query, { format: 'arrow' })).bytes).getChild('a')!
  expect(Array.from(arrow, Number)).toEqual(found)
})
