import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encode, fractionText, quote } from '../../../engine/csv/cells.ts'
import { convertAside, convertHere } from '../../../engine/formats/converter.ts'
import { ndjsonWriter } from '../../../engine/formats/ndjson.ts'
import { missingIn, parseNumber, type RowWriter, readRows } from '../../../engine/formats/rows.ts'
import type { Plan } from '../../../engine/plan.ts'
import type { Column } from '../../../engine/registry.ts'

const column = (name: string, type: Column['type'] = 'string', missing: string | null = null): Column => ({
  name,
  type,
  unit: '',
  meaning: '',
  missing,
})

/** Keeps rows as text. */
function keeper(): RowWriter & { rows: string[][]; repeated: number[] } {
  const rows: string[][] = []
  const repeated: number[] = []
  return {
    rows,
    repeated,
    writeRow: (bytes, starts, ends, same) => {
      rows.push([...starts].map((start, c) => Buffer.from(bytes.subarray(start, ends[c])).toString()))
      repeated.push(same)
    },
    take: () => [],
    end: () => [],
  }
}

const cell = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '"', '""', ',', '\n', 'a"b', '\r\n', ','),
)
const table = fc
  .integer({ min: 1, max: 6 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }))
const csvOf = (rows: string[][]) => encode(rows.map((row) => `${row.map(quote).join(',')}\n`).join(''))

describe('rows of CSV', () => {
  test('are what was written, wherever blocks end, and tell truly which cells repeat', () => {
    fc.assert(
      fc.property(table, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (rows, sizes) => {
        const csv = csvOf(rows)
        const kept = keeper()
        const reader = readRows(rows[0].length, kept)
        for (let at = 0, i = 0; at < csv.length; i++) {
          const end = at + sizes[i % sizes.length]
          reader.push(csv.slice(at, end))
          at = end
        }
        expect(reader.end()).toBe(rows.length - 1)
        expect(kept.rows).toEqual(rows.slice(1))
        for (const [i, same] of kept.repeated.entries())
          expect(kept.rows[i].slice(0, same)).toEqual((kept.rows[i - 1] ?? []).slice(0, same))
      }),
    )
  })
  test('as NDJSON are the objects that JSON.parse gives back', () => {
    fc.assert(
      fc.property(table, (rows) => {
        const columns = rows[0].map((_, c) => column(`c${c} "x"`))
        const writer = ndjsonWriter(columns)
        const reader = readRows(columns.length, writer)
        reader.push(csvOf(rows))
        reader.end()
        const text = Buffer.concat([...writer.take(), ...writer.end()]).toString()
        const wanted = rows
          .slice(1)
          .map((row) => `${JSON.stringify(Object.fromEntries(row.map((value, c) => [columns[c].name, value])))}\n`)
        expect(text).toBe(wanted.join(''))
      }),
    )
  })
  test.each([
    ['cut inside a cell', 'a,b\n1,2\n3'],
    ['cut inside quotes', 'a,b\n1,"2\n'],
    ['without a header', ''],
  ])('that are %s are refused at the end', (_how, csv) => {
    const reader = readRows(2, keeper())
    reader.push(encode(csv))
    expect(() => reader.end()).toThrow()
  })
  test.each(['a,b\n1\n', 'a,b\n1,2,3\n', 'a,b\n"1"x,2\n'])('of another width are refused: %j', (csv) => {
    expect(() => readRows(2, keeper()).push(encode(csv))).toThrow(/wide/)
  })
})

test('numbers are the nearest doubles of what is printed', () => {
  const check = (text: string) => {
    const bytes = encode(`x${text}y`)
    expect(parseNumber(bytes, 1, bytes.length - 1)).toBe(Number(text))
  }
  fc.assert(fc.property(fc.double({ noNaN: true, min: -1e12, max: 1e12 }), (value) => check(fractionText(value))))
  fc.assert(fc.property(fc.integer(), (value) => check(String(value))))
  for (const text of ['0', '-0.5', '9007199254740993', '123456789012345678.123456', '0.000001']) check(text)
})

test('null is an empty cell and the sign for missing, but neither false nor an empty list nor text that is never missing', () => {
  const isNull = (type: Column['type'], missing: string | null, text: string) =>
    missingIn(column('c', type, missing))(encode(text), 0, text.length)
  expect(isNull('int', '0', '0')).toBe(true)
  expect(isNull('int', '0', '10')).toBe(false)
  expect(isNull('string', 'Anonymous', 'Anonymous')).toBe(true)
  expect(isNull('string', '', '')).toBe(true)
  expect(isNull('string', null, '')).toBe(false)
  expect(isNull('number', null, '')).toBe(true)
  expect(isNull('boolean', 'false', 'false')).toBe(false)
  expect(isNull('boolean', '', '')).toBe(true)
  expect(isNull('json', '[]', '[]')).toBe(false)
})

describe.each([
  ['here', convertHere],
  ['in a thread', convertAside],
])('a conversion %s', (_where, convert) => {
  const plan = { export: 'fixations', format: 'parquet', studyId: 's', snapshotId: 'x', version: '0' } as Plan
  test('throws what goes wrong in it, and whatever is asked of it then', async () => {
    const converter = convert(plan, false)
    await converter.push(encode('half a header'))
    await expect(converter.push(encode('\nno row\n'))).rejects.toThrow(/wide/)
    await converter.close()
  })
  test('that is closed before its end leaves nothing waiting', async () => {
    const converter = convert(plan, true)
    await converter.push(encode('study_id,'))
    await converter.close()
    await converter.close()
  })
})
