import { expect, test } from 'vitest'
import { microsaccadesAnswer } from '../../../../engine/analysis/charts/microsaccades-answer.ts'
import { microsaccadesTable } from '../../../../engine/analysis/charts/microsaccades-table.ts'
import { encodeTable } from '../../../../engine/formats/encode-table.ts'
import { defaultParameters, type Parameters } from '../../../../engine/model/parameters.ts'
import { participant, smallBundle, test as testRow } from '../../import/bundles.ts'
import { importing, keptPool } from '../../kept.ts'
import { exported } from '../../studies.ts'

/** As in test/engine/compute/microsaccades.test.ts: noise of 2/3 px per sample, and a saccade from sample 20 on. */
const wave = (i: number) => 4 - Math.abs((i % 8) - 4)
const ramp = (i: number) => 8 * Math.min(5, Math.max(0, i - 20))

/** 64 samples with the saccade, 50 without it, the same at 100 Hz, and without the right eye. */
const TESTS = [
  { n: 64, stepMs: 2, moves: ramp, hasRight: true },
  { n: 50, stepMs: 2, moves: () => 0, hasRight: true },
  { n: 64, stepMs: 10, moves: ramp, hasRight: true },
  { n: 64, stepMs: 2, moves: ramp, hasRight: false },
].map((own, t) => ({ ...own, row: testRow(t + 1, t + 1, 1) }))

/** 1 px is 1 mm, 1 m away: near the centre, 0.0573°; the saccade has 2.1°. */
const SCREEN = { screenWidthPx: 1000, screenHeightPx: 1000, screenWidthCm: 100, screenHeightCm: 100 }

const imported = importing()
const pool = keptPool()

async function studyOf(recording: Record<string, number>) {
  const bundle = smallBundle()
  return imported({
    ...bundle,
    study: { ...bundle.study, recording },
    participants: TESTS.map((_, t) => participant(t + 1)),
    tests: TESTS.map(({ row }) => row),
    samples: TESTS.flatMap(({ row, n, stepMs, moves, hasRight }) =>
      Array.from({ length: n }, (_, i) => {
        const [x, y] = [String(500 + wave(i) + moves(i)), String(500 + wave(i))]
        return {
          ...{ test_id: row.test_id, t_ms: String(i * stepMs), gaze_x_px: x, gaze_y_px: y },
          ...{ left_gaze_x_px: x, left_gaze_y_px: y },
          ...{ right_gaze_x_px: hasRight ? x : '', right_gaze_y_px: hasRight ? y : '' },
        }
      }),
    ),
    events: [{ test_id: TESTS[0].row.test_id, t_ms: '30', name: 'go', value: '' }],
  })
}
type Snapshot = Awaited<ReturnType<typeof studyOf>>

const SETTINGS = { microsaccadeLambda: 5.5, microsaccadeMaxDeg: 3 }

const answerOf = (snapshot: Snapshot, given: Partial<Parameters> = {}, groups: string[] = []) =>
  microsaccadesAnswer(
    {
      snapshot,
      parameters: { ...defaultParameters(), ...SETTINGS, ...given },
      groups,
      formulaGuard: false,
      samplesMax: 1e6,
    },
    { pool, signal: new AbortController().signal },
  )

test('the rate in a bin is the mean over participants of microsaccades a second of gaze of both eyes', async () => {
  const snapshot = await studyOf({ ...SCREEN, viewingDistanceCm: 100 })
  const { binStartsMs, groups, methods } = await answerOf(snapshot)
  expect(binStartsMs).toEqual([0, 100])
  const [group] = groups
  expect(group).toMatchObject({ testsWithBothEyes: 2, testsWithoutDegrees: 0, participants: 2, epochs: 2 })
  expect(group).toMatchObject({ microsaccades: 1, largerSaccades: 0, counts: [1, 0], seconds: [0.2, 0.028] })
  // One in 0.1 s, and none; t(0.975, 1) = 12.706205 times 5. Only the first participant has the second bin.
  expect(group.rate).toEqual({
    n: [2, 1],
    mean: [5, 0],
    sd: [7.071068, null],
    low: [-58.531024, null],
    high: [68.531024, null],
  })
  expect(methods).toContain('at most 3°')
  expect(group.notes).toContain('microsaccadeMaxDeg = 3')
  const csv = new TextDecoder().decode(
    await encodeTable(microsaccadesTable(await answerOf(snapshot)), 'csv', {}, false),
  )
  const [, first, second] = csv.split('\n')
  expect(first).toMatch(/^,,0,2,1,0\.2,5,7\.071068,-58\.531024,68\.531024,/)
  expect(second).toMatch(/^,,100,1,0,0\.028,0,,,,/)
  // The main sequence has the row of the export.
  const rows = (await exported(pool, snapshot, 'microsaccades', { microsaccadeLambda: 5.5 })).csv.toString().split('\n')
  const at = (name: string) => rows[0].split(',').indexOf(name)
  const cells = rows[1].split(',')
  expect(group.amplitudesDeg).toEqual([Number(cells[at('microsaccade_amplitude_deg')])])
  expect(group.peaksDegPerS).toEqual([Number(cells[at('left_peak_velocity_deg_per_s')])])
  expect(group.mainSequence).toEqual({ n: 1, slope: null, intercept: null, r: null })
})

test('larger saccades do not count, and epochs have what begins in them', async () => {
  const snapshot = await studyOf({ ...SCREEN, viewingDistanceCm: 100 })
  const small = await answerOf(snapshot, { microsaccadeMaxDeg: 1 })
  expect(small.groups[0]).toMatchObject({ microsaccades: 0, largerSaccades: 1, counts: [0, 0] })
  expect(small.groups[0].rate.mean).toEqual([0, 0])
  const epoch = { eventType: 'go', fromMs: -20, toMs: 20, binMs: 20 }
  const { binStartsMs, groups } = await answerOf(snapshot, epoch)
  // The saccade begins 10 ms after the event; ten samples of 2 ms are in each bin.
  expect(binStartsMs).toEqual([-20, 0])
  expect(groups[0]).toMatchObject({ participants: 1, epochs: 1, counts: [0, 1], seconds: [0.02, 0.02] })
  expect(groups[0].rate).toMatchObject({ n: [1, 1], mean: [0, 50], low: [null, null] })
  await expect(answerOf(snapshot, { eventType: 'stop' })).rejects.toMatchObject({ code: 'invalid_param' })
})

test('nobody, one group empty, and an unknown screen give empty cells and counts, not NaN', async () => {
  const snapshot = await studyOf({ ...SCREEN, viewingDistanceCm: 100 })
  const both = await answerOf(snapshot, {}, ["participant_external_id = 'P1'", "participant_external_id = 'P99'"])
  expect(both.groups.map(({ participants, rate }) => [participants, rate.n, rate.mean])).toEqual([
    [1, [1, 1], [10, 0]],
    [0, [0, 0], [null, null]],
  ])
  const nobody = await answerOf(snapshot, { filter: "participant_external_id = 'P99'" })
  expect([nobody.binStartsMs, nobody.groups[0].amplitudesDeg]).toEqual([[], []])
  expect(nobody.methods).toBe('No microsaccades were detected, since no test has gaze of both eyes at 200 Hz or more.')
  expect(both.methods).toMatch(/^Binocular microsaccades of at most 3° were detected/)
  const unknown = await answerOf(await studyOf({ screenWidthPx: 1000 }))
  expect(unknown.groups[0]).toMatchObject({ testsWithBothEyes: 2, testsWithoutDegrees: 2, participants: 0 })
  for (const answer of [both, nobody, unknown]) {
    const csv = new TextDecoder().decode(await encodeTable(microsaccadesTable(answer), 'csv', {}, false))
    expect(`${csv}${JSON.stringify(answer)}`).not.toContain('NaN')
  }
})
