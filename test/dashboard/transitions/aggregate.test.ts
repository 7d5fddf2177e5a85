import { expect, test } from 'vitest'
import type { Aoi, TableData } from '../../../server/dashboard/core/api.ts'
import { COLUMNS, firstLooks, matrixOf, visitingAt, visitsOf } from '../../../server/dashboard/transitions/aggregate.ts'

const AOIS = [
  { id: 'a', itemId: 'i', name: 'A', parts: [] },
  { id: 'b', itemId: 'i', name: 'B', parts: [] },
] as Aoi[]
const table = (columns: string[], rows: string[][]) => ({ columns, rows }) as unknown as TableData

test('transitions add up over tests; what has no AOI is outside', () => {
  const matrix = matrixOf(
    table(COLUMNS.transitions, [
      ['p1', 't1', 'a', 'b', '2'],
      ['p1', 't1', 'b', '', '1'],
      ['p2', 't2', 'a', 'b', '3'],
      ['p2', 't2', '', 'a', '1'],
    ]),
    AOIS,
  )
  expect(matrix.counts).toEqual([
    [0, 5, 0],
    [0, 0, 1],
    [1, 0, 0],
  ])
  expect(matrix).toMatchObject({ leaving: [5, 1, 1], total: 7, participants: 2 })
})

const VISITS = table(COLUMNS.visits, [
  ['p1', 't1', 'a', '0', '200', '200', '150'],
  ['p1', 't1', 'a', '400', '500', '100', '100'],
  ['p2', 't2', 'a', '100', '300', '200', '200'],
])

test('visits are counted, and averaged over those that there are', () => {
  expect(visitsOf(VISITS, AOIS)).toEqual([
    { tests: 2, visits: 3, perTest: 1.5, dwellMs: 150, durationMs: 500 / 3 },
    { tests: 0, visits: 0, perTest: null, dwellMs: null, durationMs: null },
  ])
})

test('a visit lasts from its start to before its end, of all tests, also of those that never visit', () => {
  expect(visitingAt(VISITS, AOIS, 4, [0, 100, 200, 300, 400])).toEqual([
    [25, 50, 25, 0, 25],
    [0, 0, 0, 0, 0],
  ])
})

test('who never looks is censored at the end of their first test, and later tests do not count', () => {
  const firsts = table(COLUMNS.firsts, [
    ['p1', 'a', '300'],
    ['p1', 'b', ''],
    ['p2', 'a', ''],
    ['p2', 'b', ''],
    ['p2', 'a', '10'],
    ['p2', 'b', '20'],
    ['p3', 'a', '700'],
    ['p3', 'b', ''],
  ])
  const tests = table(COLUMNS.tests, [
    ['p1', '1000'],
    ['p2', '500'],
    ['p2', '900'],
    ['p3', ''],
  ])
  const [a, b] = firstLooks(firsts, tests, AOIS, 800)
  expect(a).toMatchObject({ n: 3, looked: 2, medianMs: 700, untilMs: 700 })
  expect(a.steps.map(({ t, atRisk, survival }) => [t, atRisk, Number(survival.toFixed(4))])).toEqual([
    [300, 3, 0.6667],
    [700, 1, 0],
  ])
  expect(b).toEqual({ n: 3, looked: 0, steps: [], medianMs: null, untilMs: 1000 })
})
