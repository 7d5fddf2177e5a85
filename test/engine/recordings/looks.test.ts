import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const MAPPING = mappingOf({
  time: { column: 't', unit: 'ms', origin: 'item' },
  screen: { widthPx: 1000, heightPx: 1000 },
})

type Run = { who?: string; what: string; n: number; from: number; x: number; more?: string }

/** Rows of runs, 16 ms apart. */
const rowsOf = (runs: Run[]) =>
  runs.flatMap(({ who = 'a', what, n, from, x, more = '' }) =>
    Array.from({ length: n }, (_, i) => ({ t: from + 16 * i, row: `${who},${what},${from + 16 * i},${x},5${more}` })),
  )

async function looksOf(rows: string[], mapping: object = MAPPING, header = 'who,what,t,x,y') {
  const directory = writeFiles({ 'a.csv': `${[header, ...rows].join('\n')}\n` })
  const { looks, conversion } = await convertAndRead([directory], { mapping })
  return {
    looks: looks.map(({ participant, item, samples }) => [participant, item, samples.length, samples[0][1]]),
    conversion,
  }
}

const texts = (runs: Run[]) => rowsOf(runs).map(({ row }) => row)

describe('an item that comes again is a test of its own', () => {
  test.each<[string, Run[], unknown[]]>([
    [
      'behind another one, on a clock that runs on',
      [
        { what: 'cat', n: 20, from: 0, x: 1 },
        { what: 'dog', n: 20, from: 320, x: 2 },
        { what: 'cat', n: 20, from: 640, x: 3 },
      ],
      [
        ['a', 'cat', 20, 1],
        ['a', 'dog', 20, 2],
        ['a', 'cat', 20, 3],
      ],
    ],
    [
      'behind another one, on a clock of its own',
      [
        { what: 'cat', n: 20, from: 0, x: 1 },
        { what: 'dog', n: 20, from: 0, x: 2 },
        { what: 'cat', n: 20, from: 0, x: 3 },
      ],
      [
        ['a', 'cat', 20, 1],
        ['a', 'dog', 20, 2],
        ['a', 'cat', 20, 3],
      ],
    ],
    [
      'at once, on a clock that begins anew',
      [
        { what: 'cat', n: 20, from: -200, x: 1 },
        { what: 'cat', n: 20, from: -184, x: 2 },
        { what: 'cat', n: 20, from: -200, x: 3 },
      ],
      [
        ['a', 'cat', 20, 1],
        ['a', 'cat', 20, 2],
        ['a', 'cat', 20, 3],
      ],
    ],
    [
      'behind rows without an item',
      [
        { what: 'cat', n: 20, from: 0, x: 1 },
        { what: '', n: 20, from: 320, x: 2 },
        { what: 'cat', n: 20, from: 640, x: 3 },
      ],
      [
        ['a', 'cat', 20, 1],
        ['a', 'cat', 20, 3],
      ],
    ],
  ])('%s', async (_, runs, expected) => {
    const { looks, conversion } = await looksOf(texts(runs))
    expect(looks).toEqual(expected)
    expect(conversion.doubts.join()).toMatch(
      /items come again in (one test|2 tests), first for a at cat: each time is a test of its own/,
    )
  })

  test('also where the trial has the same number in both blocks', async () => {
    const runs = ['1', '2'].flatMap((_, block): Run[] => [
      { what: 'cat', n: 20, from: 0, x: 1 + block, more: ',1' },
      { what: 'dog', n: 20, from: 0, x: 3 + block, more: ',2' },
    ])
    const { looks } = await looksOf(texts(runs), { ...MAPPING, trial: 'trial' }, 'who,what,t,x,y,trial')
    expect(looks).toEqual([
      ['a', 'cat', 20, 1],
      ['a', 'dog', 20, 3],
      ['a', 'cat', 20, 2],
      ['a', 'dog', 20, 4],
    ])
  })

  test('unless the mapping says that it is the same', async () => {
    const runs = [
      { what: 'cat', n: 20, from: 0, x: 1 },
      { what: 'dog', n: 20, from: 320, x: 2 },
      { what: 'cat', n: 20, from: 640, x: 3 },
    ]
    const { looks, conversion } = await looksOf(texts(runs), { ...MAPPING, comesAgain: 'same-test' })
    expect(looks).toEqual([
      ['a', 'cat', 40, 1],
      ['a', 'dog', 20, 2],
    ])
    expect(conversion.doubts).toEqual([])
  })
})

describe('a test is not cut', () => {
  const sorted = (runs: Run[]) =>
    rowsOf(runs)
      .sort((a, b) => a.t - b.t)
      .map(({ row }) => row)

  test('where the rows of several people alternate', async () => {
    const { looks, conversion } = await looksOf(
      sorted([
        { who: 'a', what: 'cat', n: 20, from: 0, x: 1 },
        { who: 'b', what: 'cat', n: 20, from: 0, x: 2 },
        { who: 'b', what: 'dog', n: 20, from: 400, x: 3 },
      ]),
    )
    expect(looks).toEqual([
      ['a', 'cat', 20, 1],
      ['b', 'cat', 20, 2],
      ['b', 'dog', 20, 3],
    ])
    expect(conversion.doubts).toEqual([])
  })

  test('where a table is sorted by the time in a trial', async () => {
    const { looks } = await looksOf(
      sorted([
        { what: 'cat', n: 20, from: 0, x: 1 },
        { what: 'dog', n: 20, from: 0, x: 2 },
      ]),
    )
    expect(looks).toEqual([
      ['a', 'cat', 20, 1],
      ['a', 'dog', 20, 2],
    ])
  })

  test('by a hole in its times, a step back of one sample, or a single row without an item', async () => {
    const rows = texts([
      { what: 'cat', n: 20, from: 0, x: 1 },
      { what: 'cat', n: 20, from: 5000, x: 1 },
    ])
    ;[rows[4], rows[5]] = [rows[5], rows[4]]
    rows.splice(10, 0, 'a,,150,1,1')
    const { looks, conversion } = await looksOf(rows)
    expect(looks).toEqual([['a', 'cat', 40, 1]])
    expect(conversion.doubts.join()).toMatch(/one test is interrupted, for up to 5 s, first that of a at cat: where an/)
  })
})

test('what is to be checked is said once for all files', async () => {
  const rows = texts(['cat', 'dog', 'cat'].map((what, k) => ({ what, n: 20, from: 3000 * k, x: k })))
  const csv = ['who,what,t,x,y', ...rows, ...texts([{ what: 'cat', n: 2, from: 20_000, x: 1 }])].join('\n')
  const directory = writeFiles({ 'a.csv': `${csv}\n`, 'b.csv': `${csv.replaceAll('\na,', '\nb,')}\n` })
  const { conversion, tests } = await convertAndRead([directory], { mapping: MAPPING })
  expect(tests).toHaveLength(6)
  expect(conversion.doubts).toEqual([
    expect.stringMatching(/^items come again in 2 tests, first for a at cat/),
    expect.stringMatching(/^2 tests are interrupted, for up to 14 s, first that of a at cat/),
  ])
})
