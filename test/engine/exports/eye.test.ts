import { describe, expect, test } from 'vitest'
import type { ChartRequest } from '../../../engine/analysis/charts/chart.ts'
import { runChart } from '../../../engine/analysis/charts/run-chart.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS, readsGaze } from '../../../engine/exports/registry.ts'
import { checkParameters } from '../../../engine/model/check-parameters.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { type ChosenEye, EYE_NAMES } from '../../../engine/model/eye-columns.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { planId } from '../../../engine/model/plan.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { describeMethods } from '../../../engine/products/methods/describe-methods.ts'
import { collectFacts, methodsPlan } from '../../../engine/products/methods/methods-facts.ts'
import { selectPlanned } from '../../../engine/run/estimate.ts'
import { checkAnalysis } from '../../../engine/snapshot/analyses/find-analysis.ts'
import { csvRows } from '../csv.ts'
import { type Bundle, type Row, trackerBundle, uuid } from '../import/bundles.ts'
import { importing, keptPool } from '../kept.ts'
import { exported } from '../studies.ts'

/**
 * A tracker's recording with both eyes, each lost now and then by itself; and for each choice of eyes the same study
 * with that gaze as its recorded gaze: whatever is computed from the choice must be what is computed of that study.
 */
const CHOICES: ChosenEye[] = ['both', 'left', 'right', 'either']
const [LX, LY, RX, RY] = EYE_NAMES

function eyesOf(row: Row, i: number): Row {
  const isLost = row.gaze_x_px === ''
  // It jumps now and then, so that there are saccades.
  const [x, y] = [Number(row.gaze_x_px) + 250 * (Math.floor(i / 120) % 2), Number(row.gaze_y_px)]
  const left = isLost || i % 397 < 9 ? ['', ''] : [String(x - 6), String(y + 0.5)]
  const right = isLost || i % 511 < 5 ? ['', ''] : [String(x + 7), String(y + 12)]
  return { [LX]: left[0], [LY]: left[1], [RX]: right[0], [RY]: right[1] }
}

function gazeOf(eyes: Row, eye: ChosenEye): Row {
  const left = eyes[LX] === '' ? null : [Number(eyes[LX]), Number(eyes[LY])]
  const right = eyes[RX] === '' ? null : [Number(eyes[RX]), Number(eyes[RY])]
  const mean = left && right && [(left[0] + right[0]) / 2, (left[1] + right[1]) / 2]
  const gaze = { both: mean, left, right, either: mean ?? left ?? right }[eye]
  return { gaze_x_px: gaze ? String(gaze[0]) : '', gaze_y_px: gaze ? String(gaze[1]) : '' }
}

const halves = [0, 400].map((leftPx, i) => ({
  id: uuid('a', i + 1),
  itemId: uuid('1', 1),
  // Words, too, of which reading has rows.
  name: `1.${i + 1} Half`,
  tags: ['half'],
  parts: [{ areaPoints: { topLeft: { xPx: leftPx, yPx: 0 }, bottomRight: { xPx: leftPx + 400, yPx: 500 } } }],
}))

function bundleOf(samples: (row: Row, i: number) => Row): Bundle {
  const bundle = trackerBundle(3)
  const graded = (row: Row, name: string) => ({ ...row, [name]: '5' })
  return {
    ...bundle,
    study: { ...bundle.study, aois: halves },
    participants: bundle.participants.map((row) => graded(row, 'quality_grade')),
    tests: bundle.tests.map((row) => graded(row, 'quality_grade_item')),
    samples: bundle.samples.map((row, i) => ({ ...row, ...samples(row, i) })),
  }
}

const imported = importing()
const pool = keptPool()
const study = await imported(bundleOf(eyesOf))
/** The same recorded gaze, without eyes. */
const withoutAny = await imported(bundleOf(() => ({})))
const chosen = new Map<ChosenEye, Snapshot>()
for (const eye of CHOICES) chosen.set(eye, await imported(bundleOf((row, i) => gazeOf(eyesOf(row, i), eye))))

const textOf = async (snapshot: Snapshot, name: ExportName, eye?: ChosenEye) =>
  (await exported(pool, snapshot, name, { eye })).csv.toString()

/** Cuts the columns of eyes out of a CSV, which stand before its notes; nothing in it is quoted but notes and AOIs. */
function withoutEyes(csv: string): string {
  const names = csv.slice(0, csv.indexOf('\n')).split(',')
  const first = names.findIndex((column) => /^left_/.test(column))
  if (first < 0) return csv
  const lines = csv.split('\n').map((line) => {
    const cells = line.split(',')
    return [...cells.slice(0, first), ...cells.slice(names.length - 1)].join(',')
  })
  return lines.join('\n')
}

/** Without pupils, of which pupils.test.ts has some. */
const OF_GAZE = EXPORTS.filter(readsGaze)

describe.each(CHOICES)('eye = %s', (eye) => {
  test.each(OF_GAZE.map(({ name }) => name))('%s is that of a study with that gaze', async (name) => {
    const csv = await textOf(study, name, eye)
    expect(csv).toContain(`; eye = ${eye}`)
    const other = await textOf(chosen.get(eye)!, name)
    // Measures of each eye are the same whatever is chosen, and only the study with eyes has them.
    const shared = withoutEyes(csv.replace(`; eye = ${eye}`, ''))
    expect(name === 'quality-stats' ? shared : csv.replace(`; eye = ${eye}`, '')).toBe(other)
  })

  test.each(EXPORTS.filter((entry) => !readsGaze(entry) && !entry.takesPupil).map(({ name }) => name))(
    '%s is as ever',
    async (name) => {
      expect(await textOf(study, name, eye)).toBe(await textOf(study, name))
    },
  )

  const CHARTS: ChartRequest[] = [
    { kind: 'fixations', fixationsMax: 1000 },
    { kind: 'heatmap', of: 'gazes', weighting: 'counts', columns: 20, rows: 20 },
    { kind: 'gaze', binMs: 100, binsMax: 100, pointsEvery: 1 },
    { kind: 'recording' },
    { kind: 'quality' },
  ]
  test.each(CHARTS)('so is the chart of $kind', async (request) => {
    const chartOf = async (snapshot: Snapshot, more: { eye?: ChosenEye }) => {
      const parameters = { ...defaultParameters(), ...more }
      const exportName = request.kind === 'quality' ? ('quality-stats' as const) : ('fixations' as const)
      const plan = makePlan({ snapshot, exportName, parameters, formulaGuard: false })
      const signal = new AbortController().signal
      const tests = await selectPlanned(plan, snapshot, signal)
      return runChart<unknown>({ request, plan, snapshot, tests, pool, signal })
    }
    const [ofEye, ofGaze] = [await chartOf(study, { eye }), await chartOf(chosen.get(eye)!, {})]
    // What was recorded of each eye is told whichever is chosen; the other study holds gaze alone.
    const { eyes: _, ...shared } = ofEye.part as { eyes?: unknown }
    const { eyes: none, ...expected } = ofGaze.part as { eyes?: unknown }
    expect({ ...ofEye, part: shared }).toEqual({ ...ofGaze, part: expected })
    if (request.kind === 'quality') expect(none).toEqual({})
  })
})

const qualityOf = async (eye?: ChosenEye) => csvRows(await textOf(study, 'quality-stats', eye))

test('the quality of each eye is that of the gaze of this eye, and of both their distance', async () => {
  const measures = ['data_loss_percents', 'precision_window_rms_s2s_px', 'precision_window_rms_s2s_percents']
  const rows = await qualityOf()
  for (const eye of ['left', 'right'] as const) {
    const own = await qualityOf(eye)
    for (const [i, row] of rows.entries())
      for (const name of measures) {
        expect(Number(row[`${eye}_${name}`]), name).toBeGreaterThan(0)
        expect(row[`${eye}_${name}`], name).toBe(own[i][name])
      }
  }
  for (const row of rows) {
    expect(Number(row.eye_disparity_median_px)).toBeCloseTo(Math.sqrt(13 ** 2 + 11.5 ** 2), 6)
    expect(Number(row.eye_disparity_median_percents)).toBeCloseTo(Math.sqrt(1.3 ** 2 + 2.3 ** 2), 6)
    // Without the geometry of a screen.
    expect(row.eye_disparity_median_deg).toBe('')
    expect(Object.keys(row).filter((name) => name.includes('pupil'))).toEqual([])
  }
})

const check = (eye: string) => checkParameters(new Map([['eye', [eye]]]))
const planOf = (snapshot: Snapshot, eye: string, exportName: ExportName = 'fixations') =>
  makePlan({ snapshot, exportName, parameters: check(eye).parameters!, formulaGuard: true })

test('gaze as recorded is no other plan than before, and each choice is one', () => {
  const plan = makePlan({
    snapshot: study,
    exportName: 'fixations',
    parameters: defaultParameters(),
    formulaGuard: true,
  })
  expect(planOf(study, 'recorded')).toEqual(plan)
  expect(new Set([plan, ...CHOICES.map((eye) => planOf(study, eye))].map(planId)).size).toBe(5)
  expect(planOf(study, 'left', 'mouse')).toEqual(planOf(study, 'recorded', 'mouse'))
})

test('an unknown eye is refused, and so is one without gaze in the study', async () => {
  expect(check('lefd').faults).toEqual([
    { parameter: 'eye', rule: 'must be one of recorded, both, left, right, either', value: 'lefd', nearest: 'left' },
  ])
  expect(() => planOf(chosen.get('left')!, 'left')).toThrow(
    'eye must be left out, since the study has no gaze of single eyes, got left',
  )
  const one = await imported(bundleOf((row, i) => ({ ...eyesOf(row, i), [LX]: '' })))
  for (const eye of ['left', 'both'])
    expect(() => planOf(one, eye)).toThrow(
      `eye must be recorded, right or either, since the study has no gaze of the left eye, got ${eye}`,
    )
  expect(planOf(one, 'either').parameters.eye).toBe('either')
  expect(() => planOf(one, 'right', 'mouse')).not.toThrow()
})

test('an analysis may choose an eye that the study has gaze of', async () => {
  await expect(checkAnalysis({ settings: { eye: 'both' } }, study)).resolves.toBeUndefined()
  await expect(checkAnalysis({ settings: { eye: 'both' } }, chosen.get('left')!)).rejects.toThrow(
    'settings.eye must be left out, since the study has no gaze of single eyes, got both',
  )
  const named = { reference: 'mine@0', analysis: { settings: { eye: 'left' } } }
  expect(checkParameters(new Map(), [], named).parameters?.eye).toBe('left')
  expect(checkParameters(new Map([['eye', ['recorded']]]), [], named).parameters?.eye).toBeUndefined()
})

test('the methods say whose gaze it is', async () => {
  const parameters = { ...defaultParameters(), eye: 'both' as const }
  const signal = new AbortController().signal
  const facts = await collectFacts(methodsPlan(study, parameters), study, null, { pool, signal })
  const { paragraph } = describeMethods(facts)
  expect(paragraph).toContain(' Recorded of the eyes: the gaze of both eyes. ')
  expect(paragraph).toContain(' Gaze is the mean of both eyes, where both were recorded. ')
  const eyes = ['leftPupil' as const, 'leftGazeXPx' as const]
  const other = { ...facts, eyes, recording: { pupilUnit: 'area_au' as const } }
  expect(describeMethods(other).paragraph).toContain(
    ' Recorded of the eyes: the gaze of the left eye and the size of the left pupil (area in arbitrary units). ',
  )
  expect(describeMethods({ ...facts, eyes: undefined }).paragraph).not.toContain('Recorded of the eyes')
})

test('I2MC takes the gaze of either eye where the study has it, unless one eye is chosen', async () => {
  const fixationsOf = async (snapshot: Snapshot, eye?: ChosenEye) => {
    const csv = (await exported(pool, snapshot, 'fixations', { detector: 'i2mc', eye })).csv.toString()
    return csv.replace(`; eye = ${eye}`, '')
  }
  expect(await fixationsOf(study, 'left')).toBe(await fixationsOf(chosen.get('left')!))
  // The same gaze, of which the other study knows no eyes; also where the gaze is as recorded.
  expect(await fixationsOf(study)).not.toBe(await fixationsOf(withoutAny))
  expect(await fixationsOf(study, 'either')).not.toBe(await fixationsOf(chosen.get('either')!))
  expect((await fixationsOf(study, 'either')).split('\n').length).toBeGreaterThan(10)
})

test('quality-stats, which reads both eyes, has the fixations that I2MC finds in the chosen one', async () => {
  const qualityOf = async (snapshot: Snapshot, eye?: ChosenEye) => {
    const csv = (await exported(pool, snapshot, 'quality-stats', { detector: 'i2mc', eye })).csv.toString()
    return withoutEyes(csv).replace(`; eye = ${eye}`, '')
  }
  expect(await qualityOf(study, 'left')).toBe(await qualityOf(chosen.get('left')!))
})
