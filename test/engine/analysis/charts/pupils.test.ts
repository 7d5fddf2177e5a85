import { expect, test } from 'vitest'
import { pupilsTable } from '../../../../engine/analysis/charts/analysis-tables.ts'
import { fixationsAnswer, pupilTracesAnswer } from '../../../../engine/analysis/charts/answer-chart.ts'
import { type AskedPupils, pupilsAnswer, pupilsPlan } from '../../../../engine/analysis/charts/pupils-answer.ts'
import { qualityAnswer } from '../../../../engine/analysis/charts/quality-answer.ts'
import type { AskedAnalysis } from '../../../../engine/analysis/entries/analysis-entry.ts'
import { pupils } from '../../../../engine/analysis/entries/over-time.ts'
import { makePlan } from '../../../../engine/exports/make-plan.ts'
import { encodeTable } from '../../../../engine/formats/encode-table.ts'
import { checkParameters } from '../../../../engine/model/check-parameters.ts'
import type { ExportName } from '../../../../engine/model/export-names.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import { collectFacts, methodsPlan } from '../../../../engine/products/methods/methods-facts.ts'
import { makePackagePlan } from '../../../../engine/products/package/make-package-plan.ts'
import { MEASURES } from '../../../../isomorphic/measures.ts'
import { makeStudyFixture, participant, STUDY_ID, smallBundle, test as testRow, uuid } from '../../import/bundles.ts'
import { currentSnapshot } from '../../import/contents.ts'
import { importedStudy } from '../../kept.ts'

/** Sizes of a test 50 ms apart, from onset: what is expected below can be worked out by hand from these. */
const SIZES = [
  [10, 12, 14, 16],
  [20, 20, 26, 26],
  [1, 1, 3, 3],
  [3, 3, 9, 9],
]
const EVENTS = [
  [1, 100],
  [2, 100],
  [2, 150],
] as const

const bundle = smallBundle()
// The third participant saw both items.
const tests = [testRow(1, 1, 1), testRow(2, 2, 1), testRow(3, 3, 1), testRow(4, 3, 2), testRow(5, 4, 1)]
const samples = SIZES.flatMap((sizes, test) =>
  sizes.map((size, i) => ({
    test_id: tests[test].test_id,
    t_ms: String(i * 50),
    gaze_x_px: '1',
    gaze_y_px: '1',
    left_pupil: String(size),
    right_pupil: String(size),
  })),
)
const { pool, snapshot } = await importedStudy({
  ...bundle,
  study: { ...bundle.study, recording: { pupilUnit: 'px' } },
  participants: [1, 2, 3, 4].map((n) => participant(n, { age: String(20 + 10 * (n % 2)) })),
  tests,
  // The fourth was recorded without pupils.
  samples: [...samples, { test_id: tests[4].test_id, t_ms: '0', gaze_x_px: '1', gaze_y_px: '1' }],
  events: EVENTS.map(([n, ms]) => ({ test_id: uuid('c', n), t_ms: String(ms), name: 'go', value: '' })),
})

const OFF = { pupilSpeedMad: 0, pupilPadMs: 0, pupilIslandMs: 0, pupilSmoothingMs: 0 }

function asked(
  given: Record<string, number> = {},
  more: Partial<AskedPupils> = {},
): AskedPupils & { samplesMax: number } {
  const times = { pupilFromMs: 0, pupilToMs: 200, pupilBinMs: 100, pupilBaselineFromMs: 0, pupilBaselineToMs: 100 }
  const parameters = { ...defaultParameters(), ...OFF, ...times, ...given }
  return { snapshot, parameters, groups: [], event: null, formulaGuard: false, samplesMax: 1e6, ...more }
}
const run = () => ({ pool, signal: new AbortController().signal })

test('averages are over participants, each the mean of their tests, with the interval of Student’s t', async () => {
  const { groups, binStartsMs, unit, eventNames } = await pupilsAnswer(asked(), run())
  expect({ binStartsMs, unit, eventNames }).toEqual({ binStartsMs: [0, 100], unit: 'px', eventNames: ['go'] })
  const [{ size, aboveBaseline, ...counts }] = groups
  expect(counts).toMatchObject({ testsWithSizes: 4, participants: 3, epochs: 4, epochsWithBaseline: 4 })
  expect(counts.kept).toEqual({ tests: 5, testsTotal: 5, participants: 4, participantsTotal: 4 })
  // Participants: 11, 20, (1 + 3) / 2; then 15, 26, (3 + 9) / 2.
  expect(size).toMatchObject({ n: [3, 3], mean: [11, 15.666667] })
  // 4, 6, (2 + 6) / 2: the mean is 14/3, the sum of squares 24/9, and t with 2 degrees of freedom 4.302653.
  expect(aboveBaseline).toEqual({
    n: [3, 3],
    mean: [0, 4.666667],
    sd: [0, 1.154701],
    low: [0, 1.798232],
    high: [0, 7.535102],
  })
})

test('time is that from events of a name, and so is the baseline', async () => {
  const locked = asked({ pupilFromMs: -100, pupilToMs: 100, pupilBaselineFromMs: -100, pupilBaselineToMs: 0 })
  const { groups } = await pupilsAnswer({ ...locked, event: 'go' }, run())
  expect(groups[0]).toMatchObject({ participants: 2, epochs: 3, epochsWithBaseline: 3 })
  // Of the second: (20 + 23) / 2 before its two events, 26 after both; above (6 + 3) / 2.
  expect(groups[0].size.mean).toEqual([16.25, 20.5])
  expect(groups[0].aboveBaseline.mean).toEqual([0, 4.25])
  expect(groups[0].notes).toMatch(/pupilFromMs = -100; pupilToMs = 100; pupilBinMs = 100\].*; event = go$/)
})

test('the parameter that measures other analyses from events does so here, too', async () => {
  const none = {
    measure: MEASURES[0],
    test: 'mann-whitney',
    nested: 'study',
    signal: 'looks',
    design: 'within',
  } as const
  const of = (given: object): AskedAnalysis => ({
    ...none,
    ...asked(),
    aois: [],
    item: null,
    participantIndex: null,
    ...given,
  })
  const byType = of({ parameters: { ...asked().parameters, eventType: 'go' } })
  expect(pupils.key(byType)).toEqual(pupils.key(of({ event: 'go' })))
  const answer = await pupils.compute({ ...byType, plan: pupils.plan(byType), samplesMax: 1e6 }, run())
  expect([answer.event, answer.groups[0].epochs]).toEqual(['go', 3])
})

test('groups are conditions besides the filter, in the order of the request', async () => {
  const groups = ['participant_age = 20', 'participant_age = 30']
  const answer = await pupilsAnswer(asked({}, { groups }), run())
  expect(answer.groups.map(({ filter, participants }) => [filter, participants])).toEqual([
    [groups[0], 1],
    [groups[1], 2],
  ])
  // One participant has a mean without an interval.
  expect(answer.groups[0].aboveBaseline).toEqual({
    n: [1, 1],
    mean: [0, 6],
    sd: [null, null],
    low: [null, null],
    high: [null, null],
  })
  const csv = new TextDecoder().decode(await encodeTable(pupilsTable(answer), 'csv', {}, false))
  const [header, first, ...others] = csv.trimEnd().split('\n')
  expect(header).toContain('group,locked_to,bin_starts_at_ms,pupil_size_participant_count,pupil_size_mean')
  expect(first).toMatch(/^participant_age = 20,,0,1,20,,,,1,0,,,,"?Gazette v/)
  expect(others).toHaveLength(3)
})

test('a last bin that the end cuts counts what is in it; an epoch without a baseline counts for sizes alone', async () => {
  const { groups } = await pupilsAnswer(asked({ pupilToMs: 150, pupilBaselineToMs: 0 }), run())
  // Sizes at 100 ms alone: 14, 26, (3 + 9) / 2.
  expect(groups[0].size.mean).toEqual([11, 15.333333])
  expect(groups[0].aboveBaseline).toMatchObject({ n: [0, 0], mean: [null, null] })
  expect(groups[0]).toMatchObject({ epochs: 4, epochsWithBaseline: 0 })
})

test('an unknown event, too many bins and crossed times are refused with a sentence', async () => {
  await expect(pupilsAnswer(asked({}, { event: 'stop' }), run())).rejects.toThrow(
    'event must be the name of events of the study, got stop',
  )
  expect(() => pupilsPlan(asked({ pupilToMs: 100_000, pupilBinMs: 5 }))).toThrow(
    'pupilBinMs must be at least 50 for so long a time: there are at most 2000 bins, got 5',
  )
  const { faults } = checkParameters(new Map([['pupilFromMs', ['5000']]]))
  expect(faults).toEqual([
    { parameter: 'pupilFromMs', rule: 'must be less than pupilToMs, which is 5000 by default', value: '5000' },
  ])
})

test('traces have every step of each test, and its events', async () => {
  const { item, parameters } = { item: snapshot.study.items[0], parameters: asked().parameters }
  const subject = { snapshot, item, participantIndex: null, parameters, formulaGuard: false }
  const { tests, unit } = await pupilTracesAnswer(subject, run())
  expect(unit).toBe('px')
  expect(tests.map(({ size, baseline }) => [size, baseline])).toEqual([
    [SIZES[0], 11],
    [SIZES[1], 20],
    [SIZES[2], 1],
  ])
  expect(tests[1].events.map(({ tMs, name }) => [tMs, name])).toEqual([
    [100, 'go'],
    [150, 'go'],
  ])
  expect(tests[0].left).toEqual({
    recorded: SIZES[0],
    removed: [-1, -1, -1, -1],
    size: SIZES[0],
    interpolated: [],
    blinks: [],
  })
})

test('the quality of a study with pupils tells their loss and blinks, in the analysis and in the methods', async () => {
  const plan = makePlan({ snapshot, exportName: 'quality-stats', parameters: defaultParameters(), formulaGuard: false })
  const { measures, tests } = await qualityAnswer(plan, snapshot, 1e6, run())
  expect(measures.map(({ column }) => column).slice(5)).toEqual([
    'left_pupil_loss_percents',
    'right_pupil_loss_percents',
    'left_blinks_per_minute',
    'right_blinks_per_minute',
  ])
  // The fifth test has one sample, without a pupil.
  expect(measures[5]).toMatchObject({ n: 5, mean: 20, min: 0, max: 100 })
  expect(measures[7]).toMatchObject({ n: 4, mean: 0 })
  expect(tests.every(({ values }) => values.length === 9)).toBe(true)
  const { measured } = await collectFacts(methodsPlan(snapshot, defaultParameters()), snapshot, null, run())
  expect(measured?.eyes?.[0]).toEqual({ column: 'left_pupil_loss_percents', n: 5, median: 0, min: 0, max: 100 })
})

test('blinks a minute follow the settings of blinks, in quality-stats, in the analysis and in the methods', async () => {
  const own = await makeStudyFixture()
  try {
    const bundle = smallBundle()
    // A pupil for a second, but for 150 ms.
    const samples = Array.from({ length: 101 }, (_, i) => ({
      test_id: bundle.tests[0].test_id,
      t_ms: String(i * 10),
      gaze_x_px: '1',
      gaze_y_px: '1',
      left_pupil: i > 40 && i < 55 ? '' : '4',
    }))
    await own.importing({ ...bundle, tests: [bundle.tests[0]], samples })
    const blinking = await currentSnapshot(own.dataDir, STUDY_ID)
    const column = 'left_blinks_per_minute'
    const rateWith = async (given: object, tellsPupils: boolean) => {
      const parameters = { ...defaultParameters(), ...given }
      const methods = methodsPlan(blinking, parameters, { pupils: tellsPupils })
      const plan = makePlan({ snapshot: blinking, exportName: 'quality-stats', parameters, formulaGuard: false })
      const told = (await collectFacts(methods, blinking, null, run())).measured?.eyes
      const { measures } = await qualityAnswer(plan, blinking, 1e6, run())
      return [
        told?.find((each) => each.column === column)?.median,
        measures.find((each) => each.column === column)?.mean,
      ]
    }
    for (const tellsPupils of [true, false]) {
      expect(await rateWith({}, tellsPupils)).toEqual([60, 60])
      expect(await rateWith({ blinkMinMs: 160 }, tellsPupils)).toEqual([0, 0])
    }
  } finally {
    await own.remove()
  }
})

test('fixations bring the events of their tests, for charts to mark', async () => {
  const { item, parameters } = { item: snapshot.study.items[0], parameters: asked().parameters }
  const { tests } = await fixationsAnswer(
    { snapshot, item, participantIndex: null, parameters, formulaGuard: false },
    run(),
    { isListed: true },
  )
  expect(tests.map(({ events }) => events)).toEqual([
    [[100, 'go']],
    [
      [100, 'go'],
      [150, 'go'],
    ],
    undefined,
    undefined,
  ])
})

test('methods tell the steps of pupils, and of a package only if it holds some', () => {
  const parameters = { ...defaultParameters(), pupilGapMs: 300 }
  expect(methodsPlan(snapshot, parameters).parameters).toMatchObject({ pupilGapMs: 300, pupilSmoothingMs: 50 })
  const packaged = (exports: ExportName[] | null) =>
    makePackagePlan({ snapshot, exports, parameters, formulaGuard: false, format: 'csv' }).methods.parameters
  expect(packaged(['pupils'])).toHaveProperty('pupilGapMs', 300)
  expect(packaged(null)).toHaveProperty('pupilGapMs', 300)
  expect(packaged(['fixations'])).not.toHaveProperty('pupilGapMs')
})
