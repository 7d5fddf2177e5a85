import { expect, test } from 'vitest'
import type { AskedGroups } from '../../../../engine/analysis/charts/group-answer.ts'
import { looksAnswer } from '../../../../engine/analysis/charts/looks-answer.ts'
import { type LooksPart, looksChart, sumsByName } from '../../../../engine/analysis/charts/looks-chart.ts'
import { looksTable } from '../../../../engine/analysis/charts/looks-table.ts'
import { encodeTable } from '../../../../engine/formats/encode-table.ts'
import { checkParameters } from '../../../../engine/model/check-parameters.ts'
import { defaultParameters, type Parameters } from '../../../../engine/model/parameters.ts'
import {
  makeStudyFixture,
  participant,
  type Row,
  STUDY_ID,
  smallBundle,
  test as testRow,
  uuid,
} from '../../import/bundles.ts'
import { currentSnapshot } from '../../import/contents.ts'
import { importedStudy, rectangle } from '../../kept.ts'
import { exported } from '../../studies.ts'

/**
 * Gaze every 50 ms, a letter each: in the AOI Target or Other, on the screen outside both, off the screen, lost. What
 * is expected below can be counted in these. Two are on an edge of the screen, which belongs to it.
 */
const GAZE = ['TTON', 'TOXL', 'OOTT', 'LLLL', 'NNNN']
const PLACES: Record<string, [string, string]> = {
  T: ['0', '400'],
  O: ['250', '400'],
  N: ['1000', '400'],
  X: ['1700', '400'],
  L: ['', ''],
}
/** Where the item was shown. */
const DISPLAY = {
  item_display_left_px: '0',
  item_display_top_px: '0',
  item_display_width_px: '1000',
  item_display_height_px: '800',
}
const EVENTS = [
  [1, 50, 'congruent'],
  [1, 100, ''],
  [3, 50, 'other'],
] as const

const bundle = smallBundle()
// The second participant has two tests of the item, the last one a test of an item without AOIs.
const tests = [testRow(1, 1, 1), testRow(2, 2, 1), testRow(3, 2, 1), testRow(4, 3, 1), testRow(5, 4, 2)]
const { pool, snapshot } = await importedStudy({
  ...bundle,
  study: { ...bundle.study, aois: [rectangle(1, 'Target', 0), rectangle(2, 'Other, too', 200)] },
  participants: [1, 2, 3, 4].map((n) => participant(n, { age: String(20 + n) })),
  tests,
  samples: GAZE.flatMap((letters, t) =>
    [...letters].map((letter, i) => ({
      test_id: tests[t].test_id,
      t_ms: String(i * 50),
      gaze_x_px: PLACES[letter][0],
      gaze_y_px: PLACES[letter][1],
    })),
  ),
  events: EVENTS.map(([n, ms, value]) => ({ test_id: uuid('c', n), t_ms: String(ms), name: 'go', value })),
})

/** The median over 20 ms is the sample itself. */
const SETTINGS = { movingMedianRangeMs: 20, binMs: 100 }

/** Returns cells of the export, by columns. */
async function rowsOf(given: Partial<Parameters>, columns: string[]): Promise<string[]> {
  const { csv } = await exported(pool, snapshot, 'looks-binned', { ...SETTINGS, ...given })
  const cellsOf = (line: string) => line.match(/(?<=^|,)("([^"]|"")*"|[^,]*)(?=,|$)/g)!
  const [header, ...rows] = csv.toString().trim().split('\n').map(cellsOf)
  return rows.map((row) => columns.map((name) => row[header.indexOf(name)]).join(' '))
}

function asked(given: Partial<Parameters> = {}, more: Partial<AskedGroups> = {}): AskedGroups & { samplesMax: number } {
  const parameters = { ...defaultParameters(), ...SETTINGS, ...given }
  return { snapshot, parameters, groups: [], formulaGuard: false, samplesMax: 1e6, ...more }
}
const run = () => ({ pool, signal: new AbortController().signal })

test('a row has the looks of a test at an AOI name in a bin, of the times with gaze on the screen', async () => {
  const counts = ['aoi_name', 'bin_starts_at_ms', 'look_count', 'counted_count', 'look_proportion']
  expect(await rowsOf({}, counts)).toEqual([
    // TT, ON
    'Target 0 2 2 1',
    'Target 100 0 2 0',
    '"Other, too" 0 0 2 0',
    '"Other, too" 100 1 2 0.5',
    // TO, XL: neither off the screen nor lost
    'Target 0 1 2 0.5',
    'Target 100 0 0 ',
    '"Other, too" 0 1 2 0.5',
    '"Other, too" 100 0 0 ',
    // OO, TT
    'Target 0 0 2 0',
    'Target 100 2 2 1',
    '"Other, too" 0 2 2 1',
    '"Other, too" 100 0 2 0',
    // LL, LL
    'Target 0 0 0 ',
    'Target 100 0 0 ',
    '"Other, too" 0 0 0 ',
    '"Other, too" 100 0 0 ',
  ])
})

test('another denominator counts all times, or those in any of the named AOIs', async () => {
  const counts = ['aoi_name', 'bin_index', 'look_count', 'counted_count']
  const ofSecond = (rows: string[]) => rows.slice(2, 4)
  const one = { aoiNames: ['Target'] }
  expect(ofSecond(await rowsOf({ ...one, denominator: 'all' }, counts))).toEqual(['Target 0 1 2', 'Target 1 0 2'])
  expect(ofSecond(await rowsOf({ ...one, denominator: 'aois' }, counts))).toEqual(['Target 0 1 1', 'Target 1 0 0'])
  const both = await rowsOf({ denominator: 'aois' }, counts)
  // ON: one of two is in an AOI.
  expect(both.slice(0, 4)).toEqual(['Target 0 2 2', 'Target 1 0 1', '"Other, too" 0 0 2', '"Other, too" 1 1 1'])
})

test('the empirical logit has the weight of its variance, and neither is there without times', async () => {
  const logits = ['look_elog', 'look_elog_weight']
  const rows = await rowsOf({ aoiNames: ['Target'] }, logits)
  // ln(2.5 / 0.5) and 1 / (1 / 2.5 + 1 / 0.5); ln(0.5 / 2.5); ln(1.5 / 1.5) and 1 / (2 / 1.5)
  expect(rows.slice(0, 4)).toEqual(['1.609438 0.416667', '-1.609438 0.416667', '0 0.75', ' '])
})

test('an epoch is measured from each event of a name, also before it', async () => {
  const columns = ['event_index', 'event_at_ms', 'event_value', 'bin_index', 'bin_starts_at_ms', 'look_count']
  const given = { eventType: 'go', fromMs: -50, toMs: 100, aoiNames: ['Target'] }
  expect(await rowsOf(given, columns)).toEqual([
    // Of the first test: from 0 to 150 ms TT, O; from 50 to 200 ms TO, N.
    '1 50 congruent 0 -50 2',
    '1 50 congruent 1 50 0',
    '2 100  0 -50 1',
    '2 100  1 50 0',
    // Of the third: OO, T.
    '1 50 other 0 -50 0',
    '1 50 other 1 50 1',
  ])
  const [{ notes }] = (await looksAnswer(asked(given), run())).groups
  expect(notes).toContain('; fromMs = -50; toMs = 100; eventType = go; aoiNames = Target; denominator = screen')
})

test('means are over participants, each with the share of all of their tests, and say how many they are', async () => {
  const { groups, binStartsMs, aoiNames, methods } = await looksAnswer(asked(), run())
  expect({ binStartsMs, aoiNames }).toEqual({ binStartsMs: [0, 100], aoiNames: ['Target', 'Other, too'] })
  const [{ looks, ...head }] = groups
  expect(head).toMatchObject({ participants: 2, epochs: 3, counted: { tests: 4, participants: 3 } })
  // 2 of 2 and 1 of 4; then 0 of 2 and 2 of 2, half the difference times 12.706205 (t with 1 degree of freedom) apart.
  expect(looks[0].proportion).toEqual({
    n: [2, 2],
    mean: [0.625, 0.5],
    sd: [0.53033, expect.closeTo(Math.SQRT1_2, 6)],
    low: [-4.139827, -5.853102],
    high: [5.389827, 6.853102],
  })
  // ln 5 with weight 5/12, ln(1.5 / 3.5) with weight 1.05: (0.670599 − 0.889663) / 1.466667
  expect(looks[0].elog.mean[0]).toBe(-0.149362)
  expect(methods).toContain('Barr, 2008')
  expect(methods).toContain('their share of the recorded times with gaze on the screen, summed')
})

test('methods say where the size of the window is unknown, so that gaze may be beside the screen', async () => {
  const own = await makeStudyFixture()
  try {
    const bundle = smallBundle()
    const windows: Row[] = [{ browser_width_px: '', browser_height_px: '' }, {}]
    const tests = windows.map((window, t): Row => ({ ...testRow(t + 1, t + 1, 1), ...DISPLAY, ...window }))
    const samples = tests.map(({ test_id }) => ({ test_id, t_ms: '0', gaze_x_px: '1700', gaze_y_px: '400' }))
    const study = { ...bundle.study, aois: [rectangle(1, 'Target', 0)] }
    await own.importing({ ...bundle, study, participants: [participant(1), participant(2)], tests, samples })
    const of = async (filter: string | null) => {
      const unsized = await currentSnapshot(own.dataDir, STUDY_ID)
      return (await looksAnswer(asked({ filter }, { snapshot: unsized }), run())).methods
    }
    expect(await of(null)).toContain(
      'the recorded times with gaze on the screen or, in 1 of 2 tests, in which the size of the window is unknown, with gaze anywhere',
    )
    expect(await of('test_browser_width_px IS NULL')).toContain(
      'with gaze, on the screen or not, as the size of the window is unknown, summed',
    )
  } finally {
    await own.remove()
  }
})

test('one participant has a mean without an interval, and nobody has none', async () => {
  const groups = ['participant_age = 21', 'participant_age = 23']
  const answer = await looksAnswer(asked({ aoiNames: ['Target'] }, { groups }), run())
  expect(answer.groups[0].looks[0].proportion).toEqual({
    n: [1, 1],
    mean: [1, 0],
    sd: [null, null],
    low: [null, null],
    high: [null, null],
  })
  expect(answer.groups[1].looks[0].elog).toEqual({
    n: [0, 0],
    mean: [null, null],
    low: [null, null],
    high: [null, null],
  })
  const csv = new TextDecoder().decode(await encodeTable(looksTable(answer), 'csv', {}, false))
  expect(csv).not.toContain('NaN')
  expect(csv.trimEnd().split('\n')).toHaveLength(5)
  expect(csv).toContain('participant_age = 23,,screen,Target,100,0,,,,,,,,\n')
})

test('unknown events and AOI names, and too many bins, are refused', async () => {
  await expect(looksAnswer(asked({ eventType: 'gone' }), run())).rejects.toThrow(
    'eventType must be the name of events of the study, got gone',
  )
  await expect(rowsOf({ eventType: 'gone' }, [])).rejects.toThrow('eventType must be the name of events of the study')
  await expect(looksAnswer(asked({ aoiNames: ['Targt'] }), run())).rejects.toThrow(
    'aoiNames must be names of AOIs of the study, got Targt; did you mean Target?',
  )
})

test('parameters of looks are names, and times before item onset need an event', () => {
  const read = (given: Record<string, string>) =>
    checkParameters(new Map(Object.entries(given).map(([name, value]) => [name, [value]])))
  expect(read({ aoiNames: 'Target, "Other, too","a ""b"""' }).parameters).toMatchObject({
    aoiNames: ['Target', 'Other, too', 'a "b"'],
  })
  for (const wrong of ['a,,b', 'a"b', '"a'])
    expect(read({ aoiNames: wrong }).faults).toMatchObject([{ parameter: 'aoiNames' }])
  expect(read({ fromMs: '-50', eventType: 'go' }).parameters).toMatchObject({ fromMs: -50, eventType: 'go' })
  expect(read({ fromMs: '-50' }).faults).toMatchObject([
    { parameter: 'fromMs', rule: 'must be a whole number from 0 to 999999999, or less with eventType' },
  ])
  expect(read({ denominator: 'some' }).faults).toMatchObject([{ parameter: 'denominator' }])
})

test('looks of shards are added, of one item and of several with the name, up to the longest', () => {
  const { start, merge } = looksChart(['Target', 'Other'], 10)
  const partOf = (item: string, bins: number, names: number[], counts: number[]): LooksPart => {
    const own = { names, bins, counts: Float64Array.from(counts) }
    return { ...start(), epochs: 1, tests: 1, participants: new Map([['p', new Map([[item, own]])]]) }
  }
  const total = start()
  // Counted times, then looks at each name.
  merge(total, partOf('a', 1, [0, 1], [5, 1, 2]))
  merge(total, partOf('a', 2, [0, 1], [10, 20, 3, 4, 5, 6]))
  merge(total, partOf('b', 3, [0], [100, 200, 300, 7, 8, 9]))
  expect([total.epochs, total.tests]).toEqual([3, 3])
  expect([...sumsByName(total)]).toEqual([
    [
      'p',
      [
        { counted: Float64Array.of(115, 220, 300), looks: Float64Array.of(11, 12, 9) },
        { counted: Float64Array.of(15, 20), looks: Float64Array.of(7, 6) },
      ],
    ],
  ])
})
