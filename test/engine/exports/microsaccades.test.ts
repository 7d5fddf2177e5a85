import { expect, test } from 'vitest'
import type { Parameters } from '../../../engine/model/parameters.ts'
import { csvRows } from '../csv.ts'
import { participant, type Row, smallBundle, test as testRow } from '../import/bundles.ts'
import { importing, keptPool } from '../kept.ts'
import { exported } from '../studies.ts'

/** As in test/engine/compute/microsaccades.test.ts, at 500 Hz: noise of 2/3 px per sample, and a saccade. */
const wave = (i: number) => 4 - Math.abs((i % 8) - 4)
const ramp = (i: number, start: number) => 8 * Math.min(5, Math.max(0, i - start))
/** Both eyes move right by 40 px, the right one 4 ms later; it moves up by 20 px, too. */
function eyesAt(i: number): Row {
  return {
    left_gaze_x_px: String(500 + wave(i) + ramp(i, 20)),
    left_gaze_y_px: String(500 + wave(i)),
    right_gaze_x_px: String(520 + wave(i) + ramp(i, 22)),
    right_gaze_y_px: String(500 + wave(i) - ramp(i, 22) / 2),
  }
}

/** Tests of three participants, the last with the left eye only; and their steps: as above, at 100 Hz, and as above. */
const TESTS = [1, 2, 3].map((n) => ({ row: testRow(n, n, 1), hasRight: n < 3 }))
const STEPS_MS = [2, 10, 2]
const LOST = { right_gaze_x_px: '', right_gaze_y_px: '' }

const imported = importing()
const pool = keptPool()

async function rowsOf(recording: Record<string, number>, given: Partial<Parameters> = {}, stepsMs = STEPS_MS) {
  const bundle = smallBundle()
  const snapshot = await imported({
    ...bundle,
    study: { ...bundle.study, recording },
    participants: [1, 2, 3].map((n) => participant(n)),
    tests: TESTS.map(({ row }) => row),
    samples: TESTS.flatMap(({ row, hasRight }, t) =>
      Array.from({ length: 64 }, (_, i) => ({
        ...{ test_id: row.test_id, t_ms: String(i * stepsMs[t]), gaze_x_px: '500', gaze_y_px: '500' },
        ...eyesAt(i),
        ...(hasRight ? {} : LOST),
      })),
    ),
    events: [{ test_id: TESTS[0].row.test_id, t_ms: '30', name: 'go', value: '' }],
  })
  const settings = { microsaccadeLambda: 5.5, ...given }
  return csvRows((await exported(pool, snapshot, 'microsaccades', settings)).csv)
}

/** 1 px is 1 mm, 1 m away: near the centre, 0.0573°. */
const SCREEN = { screenWidthPx: 1000, screenHeightPx: 1000, screenWidthCm: 100, screenHeightCm: 100 }

test('a row is a saccade of both eyes, of tests with gaze of both at 200 Hz or more', async () => {
  const [row, ...others] = await rowsOf({ ...SCREEN, viewingDistanceCm: 100 })
  expect(others).toEqual([])
  expect(row).toMatchObject({
    participant_id: expect.stringMatching(/1$/),
    microsaccade_index: '1',
    // Samples 20 to 25 of the left eye, 22 to 27 of the right.
    ...{ left_starts_at_ms: '40', left_ends_at_ms: '50', right_starts_at_ms: '44', right_ends_at_ms: '54' },
    ...{ microsaccade_starts_at_ms: '40', microsaccade_ends_at_ms: '54', microsaccade_duration_ms: '14' },
  })
  // The left eye from (504, 504) to (541, 501), least y 500 before it; the right to the same wave, 4 ms later.
  expect(Number(row.left_amplitude_px)).toBeCloseTo(Math.hypot(37, 4), 5)
  expect(Number(row.right_amplitude_px)).toBeGreaterThan(40)
  const degreesPerPx = (Math.atan(1 / 1000) * 180) / Math.PI
  expect(Number(row.left_amplitude_deg)).toBeCloseTo(Math.hypot(37, 4) * degreesPerPx, 2)
  expect(Number(row.left_peak_velocity_deg_per_s)).toBeCloseTo(500 * Math.hypot(22 / 3, 2 / 3) * degreesPerPx, 0)
  expect(Number(row.microsaccade_direction_deg)).toBeGreaterThan(0)
  expect(Number(row.microsaccade_direction_deg)).toBeLessThan(45)
  expect(row.notes).toContain('; MicrosaccadeSettings [microsaccadeLambda = 5.5; microsaccadeMinSamples = 3]; ')
})

test('200 Hz are enough, and 6 ms between samples too long', async () => {
  expect(await rowsOf({}, {}, [5, 6, 5])).toMatchObject([
    { participant_id: expect.stringMatching(/1$/), left_starts_at_ms: '100', left_ends_at_ms: '125' },
  ])
})

test('without the size of the screen, they are found in px, and cells in degrees are empty', async () => {
  const [row, ...others] = await rowsOf({ screenWidthPx: 1000 })
  expect(others).toEqual([])
  expect(row).toMatchObject({
    ...{ left_starts_at_ms: '40', right_ends_at_ms: '54' },
    ...{ microsaccade_amplitude_deg: '', left_amplitude_deg: '', right_peak_velocity_deg_per_s: '' },
  })
  expect(Number(row.left_amplitude_px)).toBeCloseTo(Math.hypot(37, 4), 5)
  expect(Object.values(row)).not.toContain('NaN')
})

test('settings drop short saccades, and epochs have those that begin in them', async () => {
  expect(await rowsOf({}, { microsaccadeMinSamples: 8 })).toEqual([])
  const go = { eventType: 'go', fromMs: 0 }
  expect(await rowsOf({}, { ...go, toMs: 20 })).toMatchObject([{ event_at_ms: '30', microsaccade_starts_at_ms: '40' }])
  expect(await rowsOf({}, { ...go, toMs: 10 })).toEqual([])
})
