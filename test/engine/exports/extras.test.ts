import { expect, test } from 'vitest'
import { columnsOf } from '../../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../../engine/exports/columns/study-facts.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import { checkParameters } from '../../../engine/model/check-parameters.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters, EXTRAS, type Extra, type Parameters } from '../../../engine/model/parameters.ts'
import { csvRows } from '../csv.ts'
import { makeStudyFixture, STUDY_ID, smallBundle } from '../import/bundles.ts'
import { currentSnapshot } from '../import/contents.ts'
import { keptFixture, keptPool } from '../kept.ts'
import { exported } from '../studies.ts'

/** A screen of 1 m by 1 m in 1000 px, 50 cm away: 45° to the right are 500 px. */
const SCREEN = { screenWidthPx: 1000, screenHeightPx: 1000, screenWidthCm: 100, screenHeightCm: 100 }
const fixture = await keptFixture()
const pool = keptPool()
const bundle = smallBundle()
const window = { browser_width_px: '1000', browser_height_px: '1000', item_display_left_px: '0' }
const display = { item_display_top_px: '0', item_display_width_px: '1000', item_display_height_px: '1000' }
// The centre for 200 ms, then 500° per second to the right up to 30°, and there for 200 ms, at 500 Hz.
const degrees = Array.from({ length: 232 }, (_, i) => Math.min(30, Math.max(0, i - 100)))
const samples = degrees.map((azimuth, i) => ({
  test_id: bundle.tests[0].test_id,
  t_ms: String(0.4 + 2 * i),
  gaze_x_px: String(500 + 500 * Math.tan((azimuth * Math.PI) / 180)),
  gaze_y_px: '500',
}))
/** The study of these tests, and its samples. */
const whole = {
  ...bundle,
  study: {
    ...bundle.study,
    recording: { ...SCREEN, viewingDistanceCm: 50 },
    // Words, which have rows in the exports of reading.
    aois: bundle.study.aois.map((aoi: { name: string }, i: number) => ({ ...aoi, name: `1.${i + 1} ${aoi.name}` })),
  },
  tests: [{ ...bundle.tests[0], ...window, ...display }],
  samples,
}
await fixture.importing(whole)
const snapshot = await currentSnapshot(fixture.dataDir, STUDY_ID)

/** Returns the header and the rows of an export, without quotes. */
async function tableOf(exportName: ExportName, extras: Extra[], of = snapshot): Promise<Record<string, string>[]> {
  const settings = { detector: 'adaptive' as const, adaptiveLambda: 2 }
  const { csv } = await exported(pool, of, exportName, { ...settings, ...(extras.length > 0 ? { extras } : {}) })
  return csvRows(csv)
}

test('saccades in degrees have the angle between fixations, and velocities over five points', async () => {
  const [saccade, ...others] = await tableOf('saccades', ['degrees'])
  expect(others).toEqual([])
  expect(Number(saccade.saccade_amplitude_deg)).toBeCloseTo(30, 0)
  expect(Number(saccade.saccade_peak_velocity_deg_per_s)).toBeCloseTo(500, 4)
  expect(Number(saccade.saccade_mean_velocity_deg_per_s)).toBeGreaterThan(400)
  // At the last point of the centre: from 0 and 83.33 at the two points before to 416.67 and 500 at the two after it.
  expect(Number(saccade.saccade_peak_acceleration_deg_per_s2)).toBeCloseTo((416.6667 + 500 - 83.3333 - 0) / 0.012, -1)
  expect(saccade.notes).toContain('; extras = degrees')
})

test('fixations have their angles on the screen, and times without rounding', async () => {
  const [first, second] = await tableOf('fixations', ['degrees', 'microseconds'])
  expect(Number(first.fixation_point_x_deg)).toBeCloseTo(0, 0)
  expect(Number(second.fixation_point_x_deg)).toBeCloseTo(30, 0)
  expect([first.fixation_point_y_deg, second.fixation_point_y_deg]).toEqual(['0', '0'])
  expect([first.saccade_amplitude_deg, Number(second.saccade_amplitude_deg)]).toEqual(['', expect.closeTo(30, 0)])
  expect(first.fixation_starts_at_us).toBe('400')
  const [start, end, duration] = ['starts_at', 'ends_at', 'duration'].map((name) =>
    Number(first[`fixation_${name}_us`]),
  )
  expect(duration).toBe(end - start)
  const [inAois] = await tableOf('fixations-aois', ['microseconds'])
  expect(inAois.fixation_duration_us).toBe(first.fixation_duration_us)
  const [inBox] = await tableOf('aoi-fixations-stats', ['microseconds'])
  expect(inBox).toMatchObject({ aoi_fixation_ttff_us: '', aoi_fixation_total_time_spent_us: '0' })
  const gazes = await tableOf('gazes-aois', ['microseconds'])
  expect(gazes.slice(0, 2).map((row) => row.gaze_timestamp_us)).toEqual(['400', '2400'])
})

test('further columns stand before notes, in the same order as in the schema, and change no others', async () => {
  for (const entry of EXPORTS) {
    if (entry.extras === undefined) continue
    const own = Object.keys(entry.extras) as Extra[]
    const [plain, further] = [await tableOf(entry.name, []), await tableOf(entry.name, own)]
    const names = columnsOf(entry, studyFacts(snapshot), { extras: own }).map(({ name }) => name)
    expect(Object.keys(further[0])).toEqual(names)
    expect(names.at(-1)).toBe('notes')
    const added = own.flatMap((extra) => entry.extras![extra]!.map(({ name }) => name))
    expect(added.every((name) => names.includes(name))).toBe(true)
    for (const [r, row] of plain.entries())
      for (const name of Object.keys(row)) if (name !== 'notes') expect(further[r][name]).toBe(row[name])
  }
})

test('exports find fixations by thresholds in degrees', async () => {
  const rowsBy = async (gazeVelocityThresholdDegPerS: number) => {
    const settings = { movingMedianRangeMs: 20, maxFixationDurationMs: 1000, gazeVelocityThresholdDegPerS }
    const { csv } = await exported(pool, snapshot, 'fixations', settings)
    return csv.toString().trim().split('\n').slice(1)
  }
  // The eye turns by 500° per second between the two rests.
  expect(await rowsBy(499)).toHaveLength(2)
  const one = await rowsBy(501)
  expect(one).toHaveLength(1)
  expect(one[0]).toContain(
    '[gazePointInterpolationHz = 60; gazePointInterpolationMaxGapMs = 50; movingMedianRangeMs = 20; gazeVelocityThresholdDegPerS = 501; minFix',
  )
})

test('AOIs have their angles on the screen, of a test and on average', async () => {
  // A box of 10 cm by 10 cm in the upper left corner, 50 cm away: from (−50, −45) to (−40, −45) cm, and as far down:
  // the arccosine of (2000 + 2025 + 2500) / √(7025 × 6125).
  const known = { aoi_width_deg: '5.885995', aoi_height_deg: '5.885995' }
  for (const name of ['aoi-fixations-stats', 'aoi-clicks-stats', 'aoi-overall-stats'] as const)
    expect((await tableOf(name, ['degrees']))[0], name).toMatchObject(known)
  const gazes = await tableOf('gazes-aois', ['degrees'])
  expect(Number(gazes.at(-1)!.gaze_x_deg)).toBeCloseTo(30, 4)
  expect(gazes.at(-1)!.gaze_y_deg).toBe('0')
})

test('the distance of the eyes in a test comes before that of the study, and a test without any is refused', async () => {
  const own = await makeStudyFixture()
  try {
    const distances = ['1000', '990', '', '1010']
    const near = samples.map((row, i) => ({
      ...row,
      left_eye_distance_mm: distances[i % 4],
      right_eye_distance_mm: '',
    }))
    await own.importing({ ...whole, samples: near })
    const [, second] = await tableOf('fixations', ['degrees'], await currentSnapshot(own.dataDir, STUDY_ID))
    // As far to the right as 30° at 50 cm, seen from 1 m: the arctangent of tan 30° / 2.
    expect(Number(second.fixation_point_x_deg)).toBeCloseTo(16.1, 0)
    await own.importing({ ...whole, study: { ...whole.study, recording: SCREEN }, samples: near })
    const unknown = await currentSnapshot(own.dataDir, STUDY_ID)
    const [, same] = await tableOf('fixations', ['degrees'], unknown)
    expect(same.fixation_point_x_deg).toBe(second.fixation_point_x_deg)
    const other = { ...whole.tests[0], test_id: smallBundle().tests[1].test_id }
    const far = samples.map((row) => ({ ...row, test_id: other.test_id }))
    const two = { tests: [whole.tests[0], other], samples: [...near, ...far] }
    await own.importing({ ...whole, study: { ...whole.study, recording: SCREEN }, ...two })
    const lacking = await currentSnapshot(own.dataDir, STUDY_ID)
    const settings = { gazeVelocityThresholdDegPerS: 30 }
    await expect(exported(pool, lacking, 'fixations', settings)).rejects.toThrow(
      `gazeVelocityThresholdDegPerS needs viewingDistanceCm in the recording of the study: test ${other.test_id} has no distance of the eyes, got 30`,
    )
    expect((await tableOf('fixations', ['degrees'], lacking)).at(-1)!.fixation_point_x_deg).toBe('')
  } finally {
    await own.remove()
  }
})

test('positions of gaze, mouse and ends of saccades have their angles on the screen', async () => {
  const [saccade] = await tableOf('saccades', ['degrees'])
  const [before, after] = await tableOf('fixations', ['degrees'])
  const [from, to] = ['from', 'to'].map((end) => [saccade[`saccade_${end}_x_deg`], saccade[`saccade_${end}_y_deg`]])
  expect(from).toEqual([before.fixation_point_x_deg, before.fixation_point_y_deg])
  expect(to).toEqual([after.fixation_point_x_deg, after.fixation_point_y_deg])
  for (const name of ['samples', 'gazes-split'] as const) {
    const last = (await tableOf(name, ['degrees'])).at(-1)!
    expect(Number(last.gaze_x_deg), name).toBeCloseTo(30, 4)
    expect(last.gaze_y_deg, name).toBe('0')
  }
  // No mouse was recorded.
  for (const name of ['samples', 'mouse'] as const)
    expect((await tableOf(name, ['degrees']))[0], name).toMatchObject({ mouse_x_deg: '', mouse_y_deg: '' })
  const tuples = [
    (await tableOf('gazes-raw', ['degrees']))[0].test_raw_data_deg,
    (await tableOf('gazes-normalized', ['degrees']))[0].test_normalized_data_deg,
  ].map((text) => JSON.parse(text.replace(/^"|"$/g, '').replaceAll('""', '"')))
  for (const each of tuples) {
    expect(each).toHaveLength(232)
    expect(each.at(-1)).toEqual([expect.closeTo(30, 4), 0, 462.4, null, null])
  }
})

test('the distance at a position is the median of those around it', async () => {
  const own = await makeStudyFixture()
  try {
    // The eye moves from 50 cm to 1 m half way, and the tracker loses it once, and errs once.
    const moved = samples.map((row, i) => ({
      ...{ ...row, t_ms: String(0.4 + 10 * i), gaze_x_px: '750', left_eye_distance_mm: i < 116 ? '500' : '1000' },
      right_eye_distance_mm: '',
    }))
    moved[20] = { ...moved[20], left_eye_distance_mm: '' }
    moved[30] = { ...moved[30], left_eye_distance_mm: '5000' }
    await own.importing({ ...whole, samples: moved })
    const rows = await tableOf('samples', ['degrees'], await currentSnapshot(own.dataDir, STUDY_ID))
    // 25 cm to the right: the arctangents of 1/2 and 1/4.
    const angles = rows.map((row) => Number(row.gaze_x_deg))
    expect([0, 20, 30, 115].map((i) => angles[i])).toEqual([26.565051, 26.565051, 26.565051, 26.565051])
    expect([116, 200].map((i) => angles[i])).toEqual([14.036243, 14.036243])
  } finally {
    await own.remove()
  }
})

test('a plan has the extras that its export has, in one order', () => {
  const planned = (exportName: ExportName, text: string) => {
    const { parameters, faults } = checkParameters(new Map([['extras', [text]]]))
    expect(faults).toEqual([])
    return makePlan({ snapshot, exportName, parameters: parameters!, formulaGuard: false }).parameters.extras
  }
  expect(planned('fixations', 'microseconds, degrees')).toEqual(['degrees', 'microseconds'])
  expect(planned('reading', [...EXTRAS].reverse().join())).toEqual(['runs'])
  expect(planned('saccades', 'microseconds,degrees')).toEqual(['degrees'])
  expect(planned('mouse', 'degrees')).toEqual(['degrees'])
  expect(planned('aoi-visits', 'degrees')).toBeUndefined()
  expect(planned('saccades', '')).toBeUndefined()
  expect(checkParameters(new Map([['extras', ['degree']]])).faults).toEqual([
    {
      parameter: 'extras',
      rule: 'must be kinds of columns, separated by commas: degrees, microseconds, runs, pupil',
      value: 'degree',
      nearest: 'degrees',
    },
  ])
})

test('degrees are refused by name where a fact about the screen is missing', async () => {
  const own = await makeStudyFixture()
  try {
    const bundle = smallBundle()
    await own.importing({ ...bundle, study: { ...bundle.study, recording: { ...SCREEN, screenHeightCm: null } } })
    const lacking = await currentSnapshot(own.dataDir, STUDY_ID)
    const planning =
      (exportName: ExportName, given: Partial<Parameters> = { extras: ['degrees'] }) =>
      () =>
        makePlan({
          snapshot: lacking,
          exportName,
          parameters: { ...defaultParameters(), ...given },
          formulaGuard: false,
        })
    expect(planning('saccades')).toThrow(
      'extras degrees needs screenHeightCm, viewingDistanceCm in the recording of the study, got degrees',
    )
    expect(planning('aoi-visits')).not.toThrow()
    expect(planning('fixations', { gazeVelocityThresholdDegPerS: 30 })).toThrow(
      'gazeVelocityThresholdDegPerS needs screenHeightCm, viewingDistanceCm in the recording of the study, got 30',
    )
    // It does not matter there.
    expect(planning('fixations', { dispersionThresholdDeg: 1 })).not.toThrow()
  } finally {
    await own.remove()
  }
})
