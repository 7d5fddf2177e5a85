import { expect, test } from 'vitest'
import { scanpathsAnswer } from '../../../../engine/analysis/charts/scanpaths-answer.ts'
import { scanpathsTable } from '../../../../engine/analysis/charts/scanpaths-table.ts'
import { coefficientK, type PairSums } from '../../../../engine/exports/columns/scanpath-measures.ts'
import { encodeTable } from '../../../../engine/formats/encode-table.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import { participant, smallBundle, test as testRow } from '../../import/bundles.ts'
import { importedStudy, rectangle } from '../../kept.ts'
import { exported } from '../../studies.ts'

/** Places of gaze, a letter for 200 ms, which is one fixation: in the AOIs A and B, and outside. */
const GAZE = ['ABA', 'AB.', '.', 'A', 'BBB']
const PLACES: Record<string, number> = { A: 50, B: 450, '.': 850 }

const bundle = smallBundle()
// The fourth test is the second one of the third participant.
const tests = [testRow(1, 1, 1), testRow(2, 2, 1), testRow(3, 3, 1), testRow(4, 3, 1), testRow(5, 4, 1)]
const { pool, snapshot } = await importedStudy({
  ...bundle,
  study: { ...bundle.study, aois: [rectangle(1, 'Logo', 0), rectangle(2, 'Text', 400)] },
  participants: [1, 2, 3, 4].map((n) => participant(n)),
  tests,
  samples: GAZE.flatMap((letters, t) =>
    Array.from({ length: letters.length * 20 }, (_, i) => ({
      test_id: tests[t].test_id,
      t_ms: String(i * 10),
      gaze_x_px: String(PLACES[letters[Math.floor(i / 20)]]),
      gaze_y_px: '500',
    })),
  ),
})

const SETTINGS = { movingMedianRangeMs: 20 }

test('a row has the AOI string of a test and the measures of its scanpath', async () => {
  const { csv } = await exported(pool, snapshot, 'scanpaths', SETTINGS)
  const [header, ...rows] = csv
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  const columns = header.slice(header.indexOf('aoi_string'), header.indexOf('saccade_pair_count'))
  expect(columns.join(' ')).toBe(
    'aoi_string fixation_count place_count transition_count transition_entropy_bits stationary_entropy_bits recurrence_percents determinism_percents laminarity_percents recurrence_center_percents',
  )
  const cells = rows.map((row) => columns.map((name) => row[header.indexOf(name)]).join(' '))
  expect(cells).toEqual([
    // Of three pairs, the first and the last fixation recur, two of two steps apart.
    'ABA 3 3 2 0 1 33.333333 0 0 100',
    'AB. 3 3 2 0 1 0   ',
    '. 1 3 0      ',
    'A 1 3 0      ',
    // One long fixation is cut into two.
    'BB 2 3 0   100 0 0 100',
  ])
})

test('coefficient K compares fixations and the saccades after them with all others', () => {
  // Durations 100, 200, 300 and amplitudes 30, 20, 10 have SD 100 and 10: −1 − 1, 0, and 1 + 1.
  const pair = (d: number, a: number) => ({ n: 1, d, dd: d * d, a, aa: a * a })
  const ksOf = (tests: PairSums[]) => tests.map(coefficientK(tests))
  expect(ksOf([pair(100, 30), pair(200, 20), pair(300, 10)])).toEqual([-2, 0, 2])
  const none = { n: 0, d: 0, dd: 0, a: 0, aa: 0 }
  expect(ksOf([none, pair(100, 30)])).toEqual([Number.NaN, Number.NaN])
  expect(ksOf([pair(100, 30), pair(100, 20)])).toEqual([Number.NaN, Number.NaN])
  expect(ksOf([])).toEqual([])
})

test('each pair of participants is compared, by their first test', async () => {
  const subject = {
    snapshot,
    item: snapshot.study.items[0],
    participantIndex: null,
    parameters: { ...defaultParameters(), ...SETTINGS },
    formulaGuard: false,
  }
  const answer = await scanpathsAnswer(subject, { pool, signal: new AbortController().signal })
  expect(answer.scanpaths.map(({ aoiString }) => aoiString)).toEqual(['ABA', 'AB.', '.', 'BB'])
  expect(
    answer.pairs.map(({ first, second, levenshtein, needlemanWunsch }) => [
      first,
      second,
      levenshtein,
      needlemanWunsch,
    ]),
  ).toEqual([
    // A for a dot; two match, one does not.
    [0, 1, 1, 1],
    [0, 2, 3, -3],
    [0, 3, 2, -1],
    [1, 2, 2, -1],
    [1, 3, 2, -1],
    [2, 3, 2, -2],
  ])
  // 0.4 to the right and back, or on: vectors 0 and 0.8 apart, directions equal and opposite, of equal lengths.
  expect(answer.pairs[0]).toMatchObject({ levenshteinSimilarity: 0.666667, direction: 0.5, length: 1, position: 1 })
  expect(answer.pairs[0].vector).toBeCloseTo(1 - 0.4 / (2 * Math.hypot(1, 0.5)), 5)
  expect(answer.pairs[1]).toMatchObject({ vector: null, direction: null, length: null, position: null, duration: null })
  // The mean of the three pairs: 0.666667, 0 and 0.333333; 1, −3 and −1. One of them has no MultiMatch with any.
  expect(answer.scanpaths[0].means).toMatchObject({ levenshteinSimilarity: 0.333333, needlemanWunsch: -1 })
  expect(answer.scanpaths.map(({ means }) => means.length)).toEqual([1, 1, null, null])
  const csv = new TextDecoder().decode(await encodeTable(scanpathsTable(answer), 'csv', {}, false))
  expect(csv).toContain(',3,3,ABA,AB.,1,0.666667,1,')
  expect(csv).not.toContain('NaN')
})

test('each scanpath comes with its measures, as the export has them for its test', async () => {
  const subject = {
    snapshot,
    item: snapshot.study.items[0],
    participantIndex: null,
    parameters: { ...defaultParameters(), ...SETTINGS },
    formulaGuard: false,
  }
  const { scanpaths } = await scanpathsAnswer(subject, { pool, signal: new AbortController().signal })
  const [first, , third, fourth] = scanpaths
  expect(first).toMatchObject({ places: 3, transitions: 2, transitionEntropyBits: 0, stationaryEntropyBits: 1 })
  expect(first).toMatchObject({ recurrencePercents: 33.333333, recurrenceCenterPercents: 100, saccadePairs: 2 })
  expect(third).toMatchObject({ transitionEntropyBits: null, recurrencePercents: null, coefficientK: null })
  expect(fourth).toMatchObject({ stationaryEntropyBits: null, determinismPercents: 0, recurrencePercents: 100 })
  const { csv } = await exported(pool, snapshot, 'scanpaths', SETTINGS)
  const [header, ...rows] = csv
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  const cellOf = (testId: string, name: string) =>
    rows.find((row) => row[header.indexOf('test_id')] === testId)![header.indexOf(name)]
  for (const { testId, coefficientK } of scanpaths)
    expect(cellOf(testId, 'coefficient_k')).toBe(coefficientK === null ? '' : String(coefficientK))
})

test('one participant has a scanpath and no pair, and nobody has none', async () => {
  const answerOf = (filter: string) =>
    scanpathsAnswer(
      {
        snapshot,
        item: snapshot.study.items[0],
        participantIndex: null,
        parameters: { ...defaultParameters(), ...SETTINGS, filter },
        formulaGuard: false,
      },
      { pool, signal: new AbortController().signal },
    )
  const one = await answerOf("participant_external_id = 'P1'")
  expect([one.scanpaths.map(({ aoiString }) => aoiString), one.pairs]).toEqual([['ABA'], []])
  const nobody = await answerOf("participant_external_id = 'P99'")
  expect([nobody.scanpaths, nobody.pairs]).toEqual([[], []])
  const csv = new TextDecoder().decode(await encodeTable(scanpathsTable(nobody), 'csv', {}, false))
  expect(csv.trim().split('\n')).toHaveLength(1)
})
