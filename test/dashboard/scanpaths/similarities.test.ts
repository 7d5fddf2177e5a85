import { expect, test } from 'vitest'
import {
  type ComparedScanpath,
  cellsOf,
  orderOf,
  type Pair,
  pairNumbers,
} from '../../../dashboard/pages/scanpaths/similarities.ts'

/** Three scanpaths; the first two are alike, and nothing is known of the third's shape. */
const LEVENSHTEIN = [0.5, 0.75, 0.25]
const scanpaths = ['a', 'b', 'c'].map((participantId, s) => ({
  participantId,
  fixations: s + 3,
  aoiString: 'AB.',
  means: { levenshteinSimilarity: LEVENSHTEIN[s], vector: s === 2 ? null : 0.9 },
})) as unknown as ComparedScanpath[]
const pairs = [
  { first: 0, second: 1, levenshtein: 1, levenshteinSimilarity: 0.8, vector: 0.9 },
  { first: 0, second: 2, levenshtein: 2, levenshteinSimilarity: 0.2, vector: null },
  { first: 1, second: 2, levenshtein: 3, levenshteinSimilarity: 0.4, vector: null },
] as unknown as Pair[]
/** The third has the first name. */
const places = new Map([
  ['c', 0],
  ['a', 1],
  ['b', 2],
])

test('scanpaths are in the order of names, or of their mean similarity, those without one last', () => {
  expect(orderOf(scanpaths, 'name', 'vector', places)).toEqual([2, 0, 1])
  expect(orderOf(scanpaths, 'similarity', 'levenshteinSimilarity', places)).toEqual([1, 0, 2])
  expect(orderOf(scanpaths, 'similarity', 'vector', places)).toEqual([0, 1, 2])
  expect(orderOf([], 'similarity', 'vector', places)).toEqual([])
})

test('each pair is the cell of its later row and its earlier column', () => {
  expect(cellsOf(pairs, [1, 0, 2], 'levenshteinSimilarity')).toEqual([[], [0.8], [0.4, 0.2]])
  expect(cellsOf(pairs, [2, 0, 1], 'vector')).toEqual([[], [null], [null, 0.9]])
})

test('the numbers have a row for each pair, in the columns of the analysis', () => {
  const data = { scanpaths, pairs } as unknown as Parameters<typeof pairNumbers>[0]
  const { columns, rows } = pairNumbers(data, (s) => 'ABC'[s])
  expect(columns.slice(0, 9)).toEqual([
    ...['participant_1', 'participant_2', 'fixation_count_1', 'fixation_count_2', 'aoi_string_1', 'aoi_string_2'],
    ...['levenshtein', 'levenshtein_similarity', 'needleman_wunsch'],
  ])
  expect(rows.map((row) => row.slice(0, 8))).toEqual([
    ['A', 'B', 3, 4, 'AB.', 'AB.', 1, 0.8],
    ['A', 'C', 3, 5, 'AB.', 'AB.', 2, 0.2],
    ['B', 'C', 4, 5, 'AB.', 'AB.', 3, 0.4],
  ])
})
