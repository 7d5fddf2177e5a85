import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encode } from '../../../engine/text/cells.ts'
import { writeRows } from '../../../engine/text/rows.ts'
import { rowsKernel } from '../../../engine/text/rows-kernel.ts'
import { ROWS_WASM } from '../../../engine/text/rows-wasm.ts'
import { BLOCK_BYTES, createSink, flush } from '../../../engine/text/sink.ts'
import type { WriteStep } from '../../../engine/text/steps.ts'
import { buildKernel } from '../../../scripts/build-wasm.mjs'

test('the committed kernel matches its source', async () => {
  expect(ROWS_WASM).toBe(await buildKernel('text/rows'))
})

/** Writes these rows, with the kernel if possible or only with JavaScript; a block may already have content. */
function written(steps: WriteStep[], n: number, withKernel: boolean, before = 0): { text: string; longest: number } {
  const blocks: Buffer[] = []
  const sink = createSink((block) => void blocks.push(Buffer.from(block)), withKernel ? rowsKernel()?.block : undefined)
  sink.bytes.fill(120, 0, before)
  sink.length = before
  writeRows(sink, steps, 0, n)
  flush(sink)
  const all = Buffer.concat(blocks)
  return { text: all.subarray(before).toString(), longest: Math.max(...blocks.map(({ length }) => length)) }
}

const bytes = (text: string): WriteStep => ({ kind: 'bytes', bytes: encode(text) })
const column = (
  kind: 'fractions' | 'wholes' | 'microseconds' | 'exact' | 'exactMs',
  values: number[],
  missing = '',
) => ({
  kind,
  values: Float64Array.from(values),
  missing: encode(missing),
})

describe('rows of text', () => {
  test('have bytes, numbers, flags, marks and texts as their steps say', () => {
    const steps: WriteStep[] = [
      bytes('id,'),
      column('fractions', [1.5, Number.NaN, -0.0000004, 1e12]),
      bytes(','),
      column('wholes', [7, -3, Number.NaN, 0], 'none'),
      bytes(','),
      column('microseconds', [1499, 500, -500, 1_000_000]),
      bytes(','),
      { kind: 'flags', values: Uint8Array.of(1, 0, 2, 0), missing: encode('-') },
      { kind: 'marks', values: Uint8Array.of(0, 1, 0, 1), bytes: encode(',true') },
      bytes(','),
      {
        kind: 'texts',
        texts: [encode('one'), encode('two')],
        indexes: Int32Array.of(0, -1, 1, 0),
        missing: encode('?'),
      },
      bytes('\n'),
    ]
    expect(written(steps, 4, false).text).toBe(
      'id,1.5,7,1,true,one\nid,,-3,1,false,true,?\nid,0,none,0,-,two\nid,1000000000000,0,1000,false,true,one\n',
    )
  })

  test('have rows of their own in a cell, with something between them', () => {
    const inner: WriteStep[] = [bytes('['), column('exact', [0.1, 2, Number.NaN, 512.1234567], 'null'), bytes(']')]
    const nested: WriteStep = {
      kind: 'rows',
      ends: Int32Array.of(2, 2, 4),
      steps: inner,
      between: encode(','),
      open: encode('"['),
      close: encode(']"'),
      empty: encode('[]'),
    }
    expect(written([nested, bytes('\n')], 3, true).text).toBe('"[[0.1],[2]]"\n[]\n"[[null],[512.1234567]]"\n')
  })
})

const BORDERS = [0, -0, 5e-7, -5e-7, 4.9999999e-7, 1, 9.9999995, 99.9999995, 100, 999.9999995, -1000.5, 2147.483647]
const anyNumber = fc.oneof(
  fc.constantFrom(...BORDERS, Number.NaN, 2147.4836475, 3e9, -3e9, 1e18),
  fc.integer({ min: -2_147_483, max: 2_147_483 }).map((n) => n / 1000),
  fc.double({ min: -2147.4, max: 2147.4, noNaN: true }),
  fc.double({ min: -1e-5, max: 1e-5, noNaN: true }),
)
const wholeNumber = fc.oneof(
  fc.integer({ min: -100_000, max: 2_147_483_647 }),
  fc.constantFrom(Number.NaN, 2 ** 31, 86_400_000_000, -86_400_000_000, 999, 1000, 999_999, 1_000_000),
)

const anyColumn = (n: number): fc.Arbitrary<WriteStep> => {
  const of = (values: fc.Arbitrary<number>) => fc.array(values, { minLength: n, maxLength: n })
  const missing = fc.constantFrom('', 'null', 'n/a')
  const bits = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: n, maxLength: n })
  return fc
    .oneof(
      fc.tuple(fc.constantFrom('fractions' as const, 'exact' as const), of(anyNumber), missing),
      fc.tuple(
        fc.constantFrom('wholes' as const, 'microseconds' as const, 'exactMs' as const),
        of(wholeNumber),
        missing,
      ),
      fc
        .tuple(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: n, maxLength: n }), missing)
        .map(([values, text]) => ({ kind: 'flags' as const, values: Uint8Array.from(values), missing: encode(text) })),
      bits.map((values) => ({ kind: 'marks' as const, values: Uint8Array.from(values), bytes: encode(',true') })),
      fc
        .tuple(
          fc.array(fc.string({ maxLength: 40, unit: 'grapheme' }), { minLength: 1, maxLength: 4 }),
          fc.array(fc.integer({ min: -1, max: 3 }), { minLength: n, maxLength: n }),
          missing,
        )
        .map(([texts, at, text]) => ({
          kind: 'texts' as const,
          texts: texts.map((each) => encode(each)),
          indexes: Int32Array.from(at, (index) => Math.min(index, texts.length - 1)),
          missing: encode(text),
        })),
    )
    .map((made) => (Array.isArray(made) ? column(made[0], made[1], made[2]) : made))
}

test('the kernel writes what JavaScript writes, whatever the columns are and wherever a block ends', () => {
  const text = fc.string({ maxLength: 40, unit: 'grapheme' }).map(bytes)
  const rows = fc.integer({ min: 0, max: 60 })
  const table = rows.chain((n) =>
    fc.tuple(fc.constant(n), fc.array(fc.tuple(text, anyColumn(n), text), { minLength: 1, maxLength: 6 })),
  )
  const before = fc.oneof(fc.constant(0), fc.integer({ min: BLOCK_BYTES - 5000, max: BLOCK_BYTES }))
  fc.assert(
    fc.property(table, before, ([n, parts], length) => {
      const steps = parts.flat()
      const { text: here, longest } = written(steps, n, true, length)
      expect(here).toBe(written(steps, n, false, length).text)
      expect(longest).toBeLessThanOrEqual(BLOCK_BYTES)
    }),
    { numRuns: 400, seed: 7 },
  )
})

test('thousands of rows, more columns than the kernel has and longer bytes come out alike', () => {
  const n = 1500
  const numbers = Array.from({ length: n }, (_, i) => (i % 97 === 0 ? 1e15 + i : Math.sin(i) * 100))
  for (const width of [1, 3, 20]) {
    const steps = Array.from({ length: width }, () => [bytes('x'.repeat(width * 3000)), column('fractions', numbers)])
    const some = steps.flat().slice(0, 2 * width)
    const rows = width === 20 ? 30 : n
    expect(written(some, rows, true).text === written(some, rows, false).text).toBe(true)
  }
})

test('the kernel writes rows of up to 32 columns; those of more are written without it', () => {
  const columns = (n: number) => Array.from({ length: n }, () => column('wholes', [1]))
  expect([1, 32, 33].map((n) => rowsKernel()!.load(columns(n)))).toEqual([true, true, false])
})
