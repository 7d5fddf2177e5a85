import { describe, expect, test } from 'vitest'
import type { ChartRequest } from '../../../engine/analysis/charts/chart.ts'
import { offsetsAnswer } from '../../../engine/analysis/charts/offsets-answer.ts'
import { runChart } from '../../../engine/analysis/charts/run-chart.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS, movesGaze } from '../../../engine/exports/registry.ts'
import { checkParameters } from '../../../engine/model/check-parameters.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { EYE_NAMES } from '../../../engine/model/eye-columns.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import { planId } from '../../../engine/model/plan.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { describeMethods } from '../../../engine/products/methods/describe-methods.ts'
import { collectFacts, methodsPlan } from '../../../engine/products/methods/methods-facts.ts'
import { selectPlanned } from '../../../engine/run/estimate.ts'
import { checkAnalysis } from '../../../engine/snapshot/analyses/find-analysis.ts'
import type { GazeOffset } from '../../../isomorphic/gaze-offsets.ts'
import { type Bundle, participant, type Row, test as testRow, trackerBundle, uuid } from '../import/bundles.ts'
import { importing, keptPool } from '../kept.ts'
import { exported } from '../studies.ts'

/**
 * A tracker's recording with both eyes and clicks, and the same study whose bundle has its gaze moved: whatever is
 * computed with the offsets must be what is computed of that study.
 */
const [LX, LY, RX, RY] = EYE_NAMES
const [ANNA, BERT, CLEO] = [1, 2, 3].map((n) => uuid('b', n))

function recorded(row: Row, i: number): Row {
  const isLost = row.gaze_x_px === ''
  // It jumps now and then, so that there are saccades.
  const [x, y] = [Number(row.gaze_x_px) + 250 * (Math.floor(i / 120) % 2), Number(row.gaze_y_px)]
  const at = (dx: number, dy: number) => (isLost ? ['', ''] : [String(x + dx), String(y + dy)])
  const [[gx, gy], [lx, ly], [rx, ry]] = [at(0, 0), at(-6, 0.5), at(7, 12)]
  const click = i % 40 === 17 && !isLost
  return {
    gaze_x_px: gx,
    gaze_y_px: gy,
    [LX]: lx,
    [LY]: ly,
    [RX]: rx,
    [RY]: ry,
    mouse_x_px: click ? String(x + 30) : '',
    mouse_y_px: click ? String(y - 12) : '',
    is_click: String(click),
  }
}

const XS = ['gaze_x_px', LX, RX]
const YS = ['gaze_y_px', LY, RY]

function moved(row: Row, { dxPx, dyPx }: Pick<GazeOffset, 'dxPx' | 'dyPx'>): Row {
  const by = (names: string[], px: number) =>
    names.map((name) => [name, row[name] === '' ? '' : String(Number(row[name]) + px)])
  return { ...row, ...Object.fromEntries([...by(XS, dxPx), ...by(YS, dyPx)]) }
}

const halves = [0, 400].map((leftPx, i) => ({
  id: uuid('a', i + 1),
  itemId: uuid('1', 1),
  name: `1.${i + 1} Half`,
  tags: ['half'],
  parts: [{ areaPoints: { topLeft: { xPx: leftPx, yPx: 0 }, bottomRight: { xPx: leftPx + 400, yPx: 500 } } }],
}))

function bundleOf(change: (row: Row) => Row): Bundle {
  const plain = trackerBundle(3)
  const further = [testRow(3, 2, 1, { duration_ms: '3000' }), testRow(4, 3, 1, { duration_ms: '3000' })]
  const ofFirst = plain.samples.filter(({ test_id }) => test_id === plain.tests[0].test_id)
  const bundle = {
    ...plain,
    participants: [...plain.participants, participant(3)],
    tests: [...plain.tests, ...further],
    samples: [...plain.samples, ...further.flatMap(({ test_id }) => ofFirst.map((row): Row => ({ ...row, test_id })))],
  }
  const graded = (row: Row, name: string) => ({ ...row, [name]: '5' })
  return {
    ...bundle,
    study: { ...bundle.study, aois: halves },
    participants: bundle.participants.map((row) => graded(row, 'quality_grade')),
    tests: bundle.tests.map((row) => graded(row, 'quality_grade_item')),
    samples: bundle.samples.map((row, i) => change({ ...row, ...recorded(row, i) })),
  }
}

/** Decimals that no double has, a participant who is not moved, and a test that is moved otherwise than its others. */
const OFFSETS: GazeOffset[] = [
  { participantId: ANNA, dxPx: -31.7, dyPx: 12.3, source: 'hand' },
  { participantId: BERT, dxPx: 90, dyPx: 0, source: 'clicks' },
]

const imported = importing()
const pool = keptPool()
const plain = bundleOf((row) => row)
const testsOf = (id: string) => plain.tests.filter((row) => row.participant_id === id).map((row) => row.test_id)
const offsets: GazeOffset[] = [
  ...OFFSETS,
  { participantId: BERT, testId: testsOf(BERT)[0], dxPx: 0.1, dyPx: -400, source: 'validations' },
]
const study = await imported(plain)
const owners = new Map(plain.tests.map((row) => [row.test_id, row.participant_id]))
const offsetOf = (testId: string) =>
  offsets.find((each) => each.testId === testId) ??
  offsets.find((each) => each.testId === undefined && each.participantId === owners.get(testId))
const expected = await imported(
  bundleOf((row) => {
    const offset = offsetOf(row.test_id)
    return offset === undefined ? row : moved(row, offset)
  }),
)

const textOf = async (snapshot: Snapshot, name: ExportName, more: Partial<Parameters> = {}) =>
  (await exported(pool, snapshot, name, more)).csv.toString()

const NOTE = /; gazeOffsets = 2 participants and 1 test/

test.each(EXPORTS.filter(movesGaze).map(({ name }) => name))('%s is that of a study with that gaze', async (name) => {
  const csv = await textOf(study, name, { offsets })
  const other = await textOf(expected, name)
  if (csv.split('\n').length > 2) expect(csv).toMatch(NOTE)
  expect(csv.replace(NOTE, '')).toBe(other)
})

test('most exports differ from those of the gaze as recorded', async () => {
  for (const name of ['gazes-raw', 'gazes-split', 'fixations', 'aoi-fixations-stats', 'gazes-aois'] as const)
    expect((await textOf(study, name, { offsets })).replace(NOTE, ''), name).not.toBe(await textOf(study, name))
})

test.each(EXPORTS.filter((entry) => !movesGaze(entry)).map(({ name }) => name))('%s is as ever', async (name) => {
  expect(await textOf(study, name, { offsets })).toBe(await textOf(study, name))
})

test('the gaze of both eyes moves for I2MC too, and an eye is chosen before it is moved', async () => {
  const i2mc = { detector: 'i2mc' } as const
  expect((await textOf(study, 'fixations', { ...i2mc, offsets })).replace(NOTE, '')).toBe(
    await textOf(expected, 'fixations', i2mc),
  )
  const left = { eye: 'left' } as const
  const csv = await textOf(study, 'fixations', { ...left, offsets })
  expect(csv.replace(NOTE, '')).toBe(await textOf(expected, 'fixations', left))
})

const signal = new AbortController().signal
const CHARTS: ChartRequest[] = [
  { kind: 'fixations', fixationsMax: 1000 },
  { kind: 'heatmap', of: 'gazes', weighting: 'counts', columns: 20, rows: 20 },
  { kind: 'gaze', binMs: 100, binsMax: 100, pointsEvery: 1 },
  { kind: 'recording' },
  { kind: 'quality' },
]
test.each(CHARTS)('so is the chart of $kind', async (request) => {
  const chartOf = async (snapshot: Snapshot, more: Partial<Parameters>) => {
    const parameters = { ...defaultParameters(), ...more }
    const exportName = request.kind === 'quality' ? ('quality-stats' as const) : ('fixations' as const)
    const plan = makePlan({ snapshot, exportName, parameters, formulaGuard: false })
    const tests = await selectPlanned(plan, snapshot, signal)
    return runChart<unknown>({ request, plan, snapshot, tests, pool, signal })
  }
  expect(await chartOf(study, { offsets })).toEqual(await chartOf(expected, {}))
})

test('plans hold offsets where they bear on bytes, and none without', () => {
  const planOf = (exportName: ExportName, more: Partial<Parameters> = {}) =>
    makePlan({ snapshot: study, exportName, parameters: { ...defaultParameters(), ...more }, formulaGuard: true })
  expect(planOf('fixations').parameters).not.toHaveProperty('offsets')
  expect(planId(planOf('fixations', { offsets }))).not.toBe(planId(planOf('fixations')))
  for (const name of ['mouse', 'samples', 'pupils', 'events'] as const)
    expect(planOf(name, { offsets }), name).toEqual(planOf(name))
})

test('a request with an analysis has its offsets', () => {
  const named = { reference: 'mine@0123456789ab', analysis: { offsets } }
  const { parameters } = checkParameters(new Map([['analysis', ['mine']]]), [], named)
  expect(parameters).toMatchObject({ analysis: 'mine@0123456789ab', offsets })
  expect(checkParameters(new Map([['analysis', ['mine']]]), [], { ...named, analysis: {} }).parameters).toEqual({
    ...defaultParameters(),
    analysis: 'mine@0123456789ab',
  })
})

test('offsets of unknown participants and tests, and second ones, are refused', async () => {
  const one = { dxPx: 1, dyPx: 1, source: 'hand' } as const
  await expect(checkAnalysis({ offsets }, study)).resolves.toBeUndefined()
  const wrong = [
    { participantId: uuid('9', 9), ...one },
    { participantId: ANNA, testId: testsOf(BERT)[0], ...one },
    { participantId: ANNA, ...one },
    { participantId: ANNA.toUpperCase(), ...one },
  ]
  await expect(checkAnalysis({ offsets: wrong }, study)).rejects.toMatchObject({
    code: 'invalid_param',
    faults: [
      { parameter: 'offsets.0.participantId', rule: 'must be a participant of the study' },
      { parameter: 'offsets.1.testId', rule: 'must be a test of the participant' },
      { parameter: 'offsets.3.participantId', rule: 'must have one offset' },
    ],
  })
})

test('the methods tell whose gaze was moved, how far, and how that was found', async () => {
  const sentence = async (some: GazeOffset[]) => {
    const plan = methodsPlan(study, { ...defaultParameters(), ...(some.length > 0 ? { offsets: some } : {}) })
    const { paragraph } = describeMethods(await collectFacts(plan, study, null, { pool, signal }))
    return /To correct drift,[^;]*;[^;.]*(; 20..\)|, 2011\))?\./.exec(paragraph)?.[0]
  }
  expect(await sentence([])).toBeUndefined()
  expect(await sentence([{ participantId: CLEO, dxPx: 3, dyPx: -4, source: 'hand' }])).toBe(
    'To correct drift, the gaze of 1 participant was moved by a constant offset before any other step, by 5 px; the offsets were found by hand.',
  )
  expect(await sentence(offsets)).toBe(
    'To correct drift, the gaze of 2 participants and in 1 single test was moved by a constant offset before any other step, by 90 px in the median and at most 400 px; the offsets were found 1 by hand, 1 from targets of validations, 1 from clicks as median disparities (after Zhang & Hornof, 2011).',
  )
})

describe('suggested offsets', () => {
  const suggestedIn = (snapshot: Snapshot, more: Partial<Parameters> = {}) => {
    const parameters = { ...defaultParameters(), ...more }
    const plan = makePlan({ snapshot, exportName: 'quality-stats', parameters, formulaGuard: false })
    return offsetsAnswer(plan, snapshot, 1e9, { pool, signal })
  }

  test('come from gaze as recorded, of each participant and test', async () => {
    const { participants, tests } = await suggestedIn(study, { offsets })
    expect(participants.map(({ participantId }) => participantId).sort()).toEqual([ANNA, BERT, CLEO])
    for (const { clicks, validations } of participants) {
      expect(clicks.count).toBeGreaterThanOrEqual(5)
      expect(validations).toEqual({ count: 0, dxPx: null, dyPx: null, distancePx: null, leftPx: null })
    }
    expect(tests.map(({ testId }) => testId)).toHaveLength(4)
    expect(await suggestedIn(study)).toEqual({ ...(await suggestedIn(study, { offsets })) })
  })

  test('are smaller by the offset where gaze was moved by it', async () => {
    const before = (await suggestedIn(study)).participants.find(({ participantId }) => participantId === ANNA)!
    const after = (await suggestedIn(expected)).participants.find(({ participantId }) => participantId === ANNA)!
    expect(after.clicks.dxPx).toBeCloseTo(before.clicks.dxPx! + 31.7, 5)
    expect(after.clicks.dyPx).toBeCloseTo(before.clicks.dyPx! - 12.3, 5)
  })
})
