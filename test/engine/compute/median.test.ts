import { array, assert, constantFrom, double, integer, oneof, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { createPointColumns, movingMedians, type PointColumns } from '../../../engine/compute/median.ts'
import { MEDIAN_WASM } from '../../../engine/compute/median-wasm.ts'
import { buildKernel } from '../../../scripts/build-wasm.mjs'

test('the committed WebAssembly matches its source', async () => {
  expect(MEDIAN_WASM).toBe(await buildKernel('compute/median'))
})

test('this machine has the kernel, or the other tests compare nothing', () => {
  expect(createPointColumns(1).kernel).not.toBeNull()
})

/** Pseudo-random numbers of 0 to 1, fast enough for long series (Park & Miller 1988). */
function randomFrom(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

type Series = { tUs: number[]; x: number[]; y: number[] }

function medians({ tUs, x, y }: Series, start: number, end: number, rangeUs: number, withKernel: boolean) {
  const columns: PointColumns = createPointColumns(tUs.length, withKernel)
  for (let i = 0; i < tUs.length; i++) {
    columns.tUs[i] = tUs[i]
    columns.rawPercent[2 * i] = x[i]
    columns.rawPercent[2 * i + 1] = y[i]
  }
  movingMedians(columns, start, end, rangeUs)
  return [columns.xPercent, columns.yPercent].map((values) => values.slice(start, end))
}

function expectEqual(series: Series, rangeUs: number, start = 0, end = series.tUs.length) {
  const [ours, plain] = [true, false].map((withKernel) => medians(series, start, end, rangeUs, withKernel))
  for (const [axis, values] of ours.entries()) {
    const differs = values.findIndex((value, i) => !Object.is(value, plain[axis][i]))
    expect([axis, differs, values[differs]]).toEqual([axis, -1, undefined])
  }
}

const value = oneof(
  constantFrom(0, 1, 50, 50.000000000000007, 50.00000000000001, -1, 1e9, -1e9, 5e-324, -5e-324),
  double({ min: -1e9, max: 1e9, noNaN: true }),
).map((v) => v + 0)

test('short segments: any steps, any values', () => {
  const points = array(record({ step: integer({ min: 1, max: 50_000 }), x: value, y: value }), {
    minLength: 1,
    maxLength: 200,
  })
  assert(
    property(points, integer({ min: 20_000, max: 1_000_000 }), (rows, rangeUs) => {
      let t = 0
      const tUs = rows.map(({ step }) => (t += step))
      expectEqual({ tUs, x: rows.map(({ x }) => x), y: rows.map(({ y }) => y) }, rangeUs)
    }),
    { numRuns: 500 },
  )
})

/** Generators of values, each a function of the index and a random number. */
const KINDS: Record<string, (i: number, random: number) => number> = {
  noise: (_, random) => random * 100 - 20,
  'few values': (_, random) => Math.floor(random * 4),
  'one value': () => 7,
  rising: (i) => i,
  falling: (i) => -i,
  'nearly one value': (_, random) => 50 + random * 1e-9,
  'a far one among near ones': (i, random) => (i % 997 === 0 ? -1e9 : random * 1e-7),
  'fixations and saccades': (i, random) => Math.floor(i / 250) * 3 + random,
}

for (const [kind, valueAt] of Object.entries(KINDS)) {
  test(`long segments with wide windows: ${kind}`, () => {
    const lengths = integer({ min: 60, max: 20_000 })
    const steps = constantFrom(1000, 500, 250, 1)
    assert(
      property(
        lengths,
        steps,
        integer({ min: 20_000, max: 1_000_000 }),
        integer({ min: 1, max: 1e6 }),
        (n, stepUs, rangeUs, seed) => {
          const random = randomFrom(seed)
          let t = 0
          const tUs = Array.from({ length: n }, () => (t += Math.ceil(stepUs * (0.5 + random()))))
          const xOf = Array.from({ length: n }, (_, i) => valueAt(i, random()))
          const yOf = Array.from({ length: n }, (_, i) => valueAt(n - i, random()))
          // Points of other segments on both sides stay out.
          const start = Math.floor(n / 50)
          expectEqual({ tUs, x: xOf, y: yOf }, Math.min(rangeUs, stepUs * 3000), start, n - start)
        },
      ),
      { numRuns: 4 },
    )
  })
}

test('windows that hold more points than the kernel has room for, among ones that do not', () => {
  const random = randomFrom(5)
  const steps = [...Array(500).fill(1000), ...Array(9000).fill(1), ...Array(500).fill(1000), ...Array(20_000).fill(2)]
  let t = 0
  const tUs = steps.map((step) => (t += step))
  expectEqual({ tUs, x: tUs.map(() => random()), y: tUs.map(() => random()) }, 20_000)
})
