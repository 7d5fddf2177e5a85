import { describe, expect, test } from 'vitest'
import { detectFixations } from '../../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../../engine/compute/fixation-list.ts'
import { createGaze, denoise } from '../../../engine/compute/gaze.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { readVectors, samplesOf, type VectorSample } from './vectors.ts'

type Case = {
  name: string
  displayRect: { leftPx: number; topPx: number; widthPx: number; heightPx: number }
  samples: VectorSample[]
  params: Record<string, number>
  fixations: Record<string, number | null>[]
}
const { cases, interpolation } = readVectors<{ cases: Case[]; interpolation: { tMs: number[]; becomesMs: number[] } }>(
  'fixations',
)

const orNull = (value: number) => (Number.isNaN(value) ? null : value)

describe('the worked cases of the filter', () => {
  for (const { name, displayRect, samples, params, fixations: expected } of cases) {
    test(name, () => {
      const settings = { ...defaultParameters(), ...params }
      const gaze = createGaze()
      const found = createFixations()
      denoise(samplesOf(samples), displayRect, settings.movingMedianRangeMs, gaze)
      detectFixations(gaze, displayRect, settings, found)
      const rows = Array.from({ length: found.n }, (_, f) => ({
        startMs: found.startUs[f] / 1000,
        endMs: found.endUs[f] / 1000,
        xPercent: found.xPercent[f],
        yPercent: found.yPercent[f],
        saccadeDurationMs: found.hasSaccade[f] === 1 ? (found.startUs[f] - found.endUs[f - 1]) / 1000 : null,
        saccadeAmplitudePercent: orNull(found.saccadeAmplitudePercent[f]),
        saccadeLengthPx: orNull(found.saccadeLengthPx[f]),
      }))
      expect(rows).toHaveLength(expected.length)
      for (const [f, row] of rows.entries()) {
        for (const [key, value] of Object.entries(expected[f])) {
          const got = row[key as keyof typeof row]
          if (value === null) expect(got, `${key} of fixation ${f}`).toBeNull()
          else expect(got, `${key} of fixation ${f}`).toBeCloseTo(value, 6)
        }
      }
    })
  }
})

test('gaps are filled as the worked case says', () => {
  const gaze = createGaze()
  denoise(
    samplesOf(interpolation.tMs.map((t) => [t, 500, 500, 0])),
    { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 },
    200,
    gaze,
  )
  expect(Array.from(gaze.tUs.subarray(0, gaze.n), (t) => t / 1000)).toEqual(interpolation.becomesMs)
})

test('a test without samples, and one whose samples are all lost, have no fixations', () => {
  const gaze = createGaze()
  const found = createFixations()
  const display = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }
  for (const samples of [
    [],
    [
      [0, null, null, 0],
      [20, null, null, 0],
    ] as VectorSample[],
  ]) {
    denoise(samplesOf(samples), display, 200, gaze)
    detectFixations(gaze, display, defaultParameters(), found)
    expect([gaze.n, gaze.segmentCount, found.n]).toEqual([0, 0, 0])
  }
})

test('scratch arrays grow: a long test after a short one gives the same result as alone', () => {
  const long = Array.from({ length: 5000 }, (_, i): VectorSample => [i * 16, 500 + 200 * Math.sin(i / 40), 500, 0])
  const display = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }
  const fixationsAfter = (...series: VectorSample[][]) => {
    const gaze = createGaze()
    const found = createFixations()
    for (const samples of series) {
      denoise(samplesOf(samples), display, 200, gaze)
      detectFixations(gaze, display, defaultParameters(), found)
    }
    return Array.from(found.xPercent.subarray(0, found.n))
  }
  const alone = fixationsAfter(long)
  expect(alone.length).toBeGreaterThan(50)
  expect(fixationsAfter([[0, 1, 1, 0]], long)).toEqual(alone)
})
