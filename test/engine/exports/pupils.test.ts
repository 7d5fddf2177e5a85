import { expect, test } from 'vitest'
import { checkParameters } from '../../../engine/model/check-parameters.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { type ChosenEye, pupilRule } from '../../../engine/model/eye-columns.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import { seeded } from '../../../isomorphic/random.ts'
import { plainEye, plainPupil } from '../compute/plain-pupil.ts'
import { csvRows } from '../csv.ts'
import { type Row, trackerBundle, uuid } from '../import/bundles.ts'
import { importedStudy } from '../kept.ts'
import { exported } from '../studies.ts'

const random = seeded(8)
/** Sizes that wander, of eyes that blink together and are lost apart; in mm. */
let wander = 0
function pupilsOf(i: number): Row {
  wander += (random() - 0.5) / 200
  const phase = (i + 145) % 290
  const isClosed = phase < 36
  const lid = phase < 46 ? phase / 60 - 0.8 : 0
  const isJump = i % 97 === 50
  const size = (offset: number, isLost: boolean) =>
    isClosed || isLost ? '' : (3.8 + offset + wander + lid + (isJump ? 2 : 0)).toFixed(3)
  return { left_pupil: size(0, i % 131 > 120), right_pupil: size(0.3, i % 211 > 180) }
}
const OFF = { pupilPadMs: 0, pupilIslandMs: 0 }

const bundle = trackerBundle(4)
let samples: Row[] = bundle.samples.map((row, i) => ({ ...row, ...pupilsOf(i) }))
// The second test has none, and the first one has samples out of order and of equal times.
const last = bundle.tests[1].test_id
for (const row of samples) if (row.test_id === last) Object.assign(row, { left_pupil: '', right_pupil: '' })
samples[31] = { ...samples[31], t_ms: samples[30].t_ms }
;[samples[200], samples[201]] = [samples[201], samples[200]]
// From before onset.
samples = samples.map((row) => ({ ...row, t_ms: (Number(row.t_ms) - 100).toFixed(3) }))
const halves = [0, 400].map((leftPx, i) => ({
  id: uuid('a', i + 1),
  itemId: uuid('1', 1),
  name: `Half ${i + 1}`,
  parts: [{ areaPoints: { topLeft: { xPx: leftPx, yPx: 0 }, bottomRight: { xPx: leftPx + 400, yPx: 500 } } }],
}))
const described = { ...bundle.study, aois: halves, recording: { pupilUnit: 'mm' } }
const { pool, snapshot: study } = await importedStudy({ ...bundle, study: described, samples })

async function rowsOf(name: ExportName, given: Partial<Parameters> = {}): Promise<Row[]> {
  return csvRows((await exported(pool, study, name, given)).csv)
}

/** Points of the first test, as docs/pupils.md says in step 1. */
function pointsOf(): { tUs: number[]; left: (number | null)[]; right: (number | null)[] } {
  const own = samples.filter(({ test_id }) => test_id === samples[0].test_id)
  const at = ({ t_ms }: Row) => Math.floor(Number(t_ms) * 1000 + 0.5)
  const tUs = [...new Set(own.map(at))].sort((a, b) => a - b)
  const sizes = (eye: string) =>
    tUs.map((t) => {
      const known = own.filter((row) => at(row) === t && row[eye] !== '').map((row) => Number(row[eye]))
      return known.length === 0 ? null : known.reduce((sum, size) => sum + size, 0) / known.length
    })
  return { tUs, left: sizes('left_pupil'), right: sizes('right_pupil') }
}

const printed = (value: number | null) => (value === null ? '' : String(Math.round(value * 1e6) / 1e6))
const near = (text: string, value: number | null) =>
  value === null ? expect(text).toBe('') : expect(Number(text)).toBeCloseTo(value, 5)

test.each<[string, ChosenEye | undefined, Partial<Parameters>]>([
  ['by default', undefined, {}],
  ['of the left eye', 'left', {}],
  ['of both', 'both', OFF],
  ['with other settings', undefined, { ...OFF, pupilSmoothingMs: 0, pupilBaselineFromMs: -100, pupilBaselineToMs: 0 }],
])('pupils are those of docs/pupils.md written plainly: %s', async (_, eye, given) => {
  const { tUs, left, right } = pointsOf()
  const settings = { ...defaultParameters(), ...given }
  const plain = { left: plainEye(tUs, left, true, settings), right: plainEye(tUs, right, true, settings) }
  const whole = plainPupil(tUs, plain.left.sizes, plain.right.sizes, eye ?? 'either', settings)
  const rows = await rowsOf('pupils', { ...given, eye })
  expect(rows.map((row) => row.pupil_timestamp_ms)).toEqual(tUs.map((t) => String(Math.floor(t / 1000 + 0.5))))
  for (const [i, row] of rows.entries()) {
    expect(row.left_pupil_removed).toBe(plain.left.removed[i])
    expect(row.right_pupil_removed).toBe(plain.right.removed[i])
    expect([printed(left[i]), printed(right[i])]).toEqual(
      [row.left_pupil, row.right_pupil].map((text) => printed(text === '' ? null : Number(text))),
    )
    near(row.pupil_size, whole.sizes[i])
    const above = whole.sizes[i] === null || whole.baseline === null ? null : whole.sizes[i] - whole.baseline
    near(row.pupil_above_baseline, above)
  }
  const reasons = new Set(rows.map((row) => row.left_pupil_removed))
  expect([...reasons]).toEqual(expect.arrayContaining(['', 'lost', 'eyelid', 'speed']))
  expect(new Set(rows.map((row) => row.pupil_eyes)).size).toBeGreaterThan(1)
})

test('blinks are those that were found, of the chosen eyes', async () => {
  const { tUs, left, right } = pointsOf()
  const settings = defaultParameters()
  const times = (blinks: [number, number][], eye: string) =>
    blinks.map(([p, q], b) => [eye, String(b + 1), ...[tUs[p], tUs[q]].map((t) => String(Math.floor(t / 1000 + 0.5)))])
  const expected = {
    left: times(plainEye(tUs, left, true, settings).blinks, 'left'),
    right: times(plainEye(tUs, right, true, settings).blinks, 'right'),
  }
  const found = async (eye?: ChosenEye) =>
    (await rowsOf('blinks', { eye })).map((row) => [
      row.blink_eye,
      row.blink_index,
      row.blink_starts_at_ms,
      row.blink_ends_at_ms,
    ])
  expect(expected.left.length).toBeGreaterThan(3)
  expect(await found()).toEqual([...expected.left, ...expected.right])
  expect(await found('right')).toEqual(expected.right)
})

test.each([{}, { fromMs: 500, toMs: 1800 }])('pupil-stats sum up pupils, whole and by AOI: %j', async (window) => {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = window as { fromMs?: number; toMs?: number }
  const points = await rowsOf('pupils')
  const gazes = new Map((await rowsOf('gazes-aois')).map((row) => [`${row.test_id} ${row.gaze_timestamp_ms}`, row]))
  const stats = await rowsOf('pupil-stats', window)
  expect(stats.map((row) => row.aoi_name)).toEqual(['', 'Half 1', 'Half 2'])
  for (const row of stats) {
    const own = points.filter(({ test_id, pupil_timestamp_ms: ms }) => {
      const gaze = gazes.get(`${test_id} ${ms}`)
      const isIn = row.aoi_name === '' || gaze?.[`aoi_${row.aoi_name}`] === 'true'
      return Number(ms) >= fromMs && Number(ms) < toMs && isIn
    })
    const sized = own.filter(({ pupil_size: size }) => size !== '')
    const sizes = sized.map(({ pupil_size: size }) => Number(size))
    const peak = Math.max(...sizes)
    const at = sized.find(({ pupil_size: size }) => Number(size) === peak)!.pupil_timestamp_ms
    const isMade = ({ pupil_eyes: eyes, left_pupil_interpolated: left, right_pupil_interpolated: right }: Row) =>
      (eyes !== 'right' && left === 'true') || (eyes !== 'left' && right === 'true')
    expect([row.pupil_point_count, row.pupil_peak_at_ms]).toEqual([String(own.length), at])
    expect(Number(row.pupil_valid_percents)).toBeCloseTo((100 * sized.length) / own.length, 5)
    expect(Number(row.pupil_interpolated_percents)).toBeCloseTo((100 * sized.filter(isMade).length) / own.length, 5)
    expect(Number(row.pupil_mean)).toBeCloseTo(sizes.reduce((sum, size) => sum + size, 0) / sizes.length, 5)
    expect(Number(row.pupil_peak)).toBeCloseTo(peak, 5)
    expect(Number(row.pupil_peak_above_baseline)).toBeCloseTo(peak - Number(row.pupil_baseline), 5)
    expect(Number(row.pupil_mean_above_baseline)).toBeCloseTo(Number(row.pupil_mean) - Number(row.pupil_baseline), 5)
  }
})

test('fixations have the mean size of the pupil, cleaned and as recorded', async () => {
  const { tUs, left, right } = pointsOf()
  const settings = defaultParameters()
  const sizesOf = (sizes: (number | null)[]) => plainEye(tUs, sizes, true, settings).sizes
  const { sizes } = plainPupil(tUs, sizesOf(left), sizesOf(right), 'either', settings)
  const meanOf = (values: (number | null)[]) => {
    const known = values.filter((value) => value !== null)
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length
  }
  const recorded = tUs.map((_, i) => meanOf([left[i], right[i]]))
  const all = await rowsOf('fixations', { extras: ['microseconds', 'pupil'] })
  const rows = all.filter(({ participant_id }) => participant_id === uuid('b', 1))
  const others = all.filter((row) => !rows.includes(row))
  expect([rows.length, others.length].every((n) => n > 3)).toBe(true)
  for (const row of rows) {
    const isDuring = (_: unknown, i: number) =>
      tUs[i] >= Number(row.fixation_starts_at_us) && tUs[i] <= Number(row.fixation_ends_at_us)
    near(row.fixation_pupil_mean, meanOf(sizes.filter(isDuring)))
    near(row.fixation_pupil_mean_recorded, meanOf(recorded.filter(isDuring)))
  }
  expect(new Set(others.map((row) => row.fixation_pupil_mean + row.fixation_pupil_mean_recorded))).toEqual(
    new Set(['']),
  )
  expect(rows[0].notes).toContain('pupilSmoothingMs = 50]')
  expect((await rowsOf('fixations-aois', { extras: ['pupil'] })).map((row) => row.fixation_pupil_mean)).toEqual(
    all.map((row) => row.fixation_pupil_mean),
  )
})

test('an eye whose pupil was not recorded is refused', async () => {
  expect(pupilRule('left', ['leftPupil', 'rightPupil'])).toBeNull()
  expect(pupilRule('both', ['leftPupil', 'leftGazeXPx'])).toBe(
    'must be recorded, left or either, since the study has no pupil of the right eye',
  )
  expect(pupilRule('right', ['leftPupil'])).not.toBeNull()
  expect(pupilRule('left', ['rightPupil'])).not.toBeNull()
  expect(pupilRule('either', ['rightPupil'])).toBeNull()
  expect(pupilRule('either', ['leftGazeXPx'])).toBe('must be left out, since the study has no pupils')
  // This study has pupils of both eyes, and gaze of neither.
  await expect(rowsOf('fixations', { eye: 'left' })).rejects.toThrow('no gaze of single eyes')
  expect(await rowsOf('pupil-stats', { eye: 'left' })).toHaveLength(3)
})

test('notes hold the settings of the steps, and only where they bear on the rows', async () => {
  const notesOf = async (name: ExportName) => (await rowsOf(name, { pupilSpeedMad: 12.5 }))[0].notes
  expect(await notesOf('pupils')).toContain(
    'PupilSettings [pupilMinMm = 1.5; pupilMaxMm = 9; blinkMinMs = 20; blinkMaxMs = 500; pupilSpeedMad = 12.5; pupilPadMs = 50; pupilIslandMs = 50; pupilGapMs = 250; pupilSmoothingMs = 50; pupilBaselineFromMs = 0; pupilBaselineToMs = 50]',
  )
  expect(await notesOf('blinks')).not.toContain('pupilSpeedMad')
  expect(await notesOf('fixations')).not.toContain('upil')
})

test('the window of the baseline may begin before onset, and does not end before it begins', () => {
  const checked = (given: Record<string, string>) =>
    checkParameters(new Map(Object.entries(given).map(([name, value]) => [name, [value]])))
  expect(checked({ pupilBaselineFromMs: '-200', pupilBaselineToMs: '0' }).parameters).toMatchObject({
    pupilBaselineFromMs: -200,
    pupilBaselineToMs: 0,
  })
  expect(checked({ pupilBaselineFromMs: '60' }).faults).toEqual([
    {
      parameter: 'pupilBaselineFromMs',
      rule: 'must be at most pupilBaselineToMs, which is 50 by default',
      value: '60',
    },
  ])
  expect(checked({ pupilBaselineToMs: '-1' }).faults).toEqual([
    {
      parameter: 'pupilBaselineToMs',
      rule: 'must be at least pupilBaselineFromMs, which is 0 by default',
      value: '-1',
    },
  ])
  expect(checked({ pupilBaselineFromMs: '-60001' }).faults).toHaveLength(1)
  expect(checked({ movingMedianRangeMs: '-20' }).faults).toHaveLength(1)
})
