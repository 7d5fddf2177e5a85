import { expect, test } from 'vitest'
import { detectFixations } from '../../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../../engine/compute/fixation-list.ts'
import { createGaze, denoise } from '../../../engine/compute/gaze.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import { samplesOf, type VectorSample } from './vectors.ts'

/** A screen of 1 m by 1 m in 1000 px, 50 cm away: an azimuth of a is 500 tan a px to the right. */
const screen = { widthPx: 1000, heightPx: 1000, widthCm: 100, heightCm: 100, distanceCm: 50 }
const WHOLE = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }

/** Rests at an azimuth, in degrees, and in px from the top, for some samples that are 10 ms apart. */
type Rest = { azimuth: number; samples: number; yPx?: number; scrollPx?: number }

/** Returns start and end of each fixation, in ms. */
function fixationsOf(rests: Rest[], given: Partial<Parameters>, display = WHOLE): number[][] {
  const placed = rests.flatMap((rest) => Array<Rest>(rest.samples).fill(rest))
  const rows = placed.map(
    ({ azimuth, yPx = 500, scrollPx = 0 }, i): VectorSample => [
      i * 10,
      500 + 500 * Math.tan((azimuth * Math.PI) / 180),
      yPx,
      scrollPx,
    ],
  )
  const settings = { ...defaultParameters(), movingMedianRangeMs: 20, minFixationDurationMs: 60, ...given }
  const [gaze, found] = [createGaze(), createFixations()]
  const samples = samplesOf(rows)
  denoise(samples, display, settings.movingMedianRangeMs, gaze)
  detectFixations(gaze, display, settings, found, { samples, screen })
  return Array.from({ length: found.n }, (_, f) => [found.startUs[f] / 1000, found.endUs[f] / 1000])
}

/** A degree to the right at 100 ms: 100° per second there. */
const STEP: Rest[] = [
  { azimuth: 0, samples: 10 },
  { azimuth: 1, samples: 10 },
]
const WHOLE_TIME = [[0, 190]]
/** The point at 100 ms is fast. */
const TWO = [
  [0, 90],
  [110, 190],
]

test('a velocity threshold in degrees compares the angle per second', () => {
  expect(fixationsOf(STEP, { gazeVelocityThresholdDegPerS: 99 })).toEqual(TWO)
  expect(fixationsOf(STEP, { gazeVelocityThresholdDegPerS: 101 })).toEqual(WHOLE_TIME)
})

test('a degree of azimuth is less the higher it is', () => {
  // 500 √3 px above the centre, so 60° up there: a degree to the right is half a degree of the visual field.
  const high = STEP.map((rest) => ({ ...rest, yPx: 500 - 500 * Math.sqrt(3) }))
  expect(fixationsOf(high, { gazeVelocityThresholdDegPerS: 49 })).toEqual(TWO)
  expect(fixationsOf(high, { gazeVelocityThresholdDegPerS: 51 })).toEqual(WHOLE_TIME)
})

test('the size of the displayed item changes thresholds in percent alone', () => {
  // 8.7 px: 87 % per second of 1000 px, and 175 of 500.
  const half = { leftPx: 250, topPx: 250, widthPx: 500, heightPx: 500 }
  expect([fixationsOf(STEP, {}), fixationsOf(STEP, {}, half)]).toEqual([WHOLE_TIME, TWO])
  for (const given of [
    { gazeVelocityThresholdDegPerS: 99 },
    { detector: 'dispersion' as const, dispersionThresholdDeg: 0.9 },
  ])
    expect(fixationsOf(STEP, given, half)).toEqual(fixationsOf(STEP, given))
})

test('a dispersion threshold in degrees compares azimuths and elevations', () => {
  const dispersion = { detector: 'dispersion' as const }
  expect(fixationsOf(STEP, { ...dispersion, dispersionThresholdDeg: 0.9 })).toEqual([
    [0, 90],
    [100, 190],
  ])
  expect(fixationsOf(STEP, { ...dispersion, dispersionThresholdDeg: 1.1 })).toEqual(WHOLE_TIME)
})

test('an eye that rests while the page scrolls does not move', () => {
  const scrolled = [
    { azimuth: 0, samples: 10 },
    { azimuth: 0, samples: 10, scrollPx: 100 },
  ]
  expect(fixationsOf(scrolled, {})).toEqual(TWO)
  expect(fixationsOf(scrolled, { gazeVelocityThresholdDegPerS: 1 })).toEqual(WHOLE_TIME)
})

test.each(['velocity', 'dispersion', 'adaptive'] as const)(
  '%s merges fixations less than so many degrees apart',
  (detector) => {
    const own = {
      detector,
      gazeVelocityThreshold: 50,
      dispersionThresholdPercent: 0.5,
      adaptiveLambda: 1,
      mergeGapMs: 60,
    }
    const rests = STEP.map((rest) => ({ ...rest, samples: 20 }))
    expect(fixationsOf(rests, { ...own, mergeDistanceDeg: 0.9 })).toHaveLength(2)
    expect(fixationsOf(rests, { ...own, mergeDistanceDeg: 1.1 })).toEqual([[0, 390]])
  },
)

test('degrees without a screen are a fault of the caller, never percent', () => {
  const [gaze, found] = [createGaze(), createFixations()]
  denoise(samplesOf([[0, 1, 1, 0]]), WHOLE, 20, gaze)
  for (const given of [{ gazeVelocityThresholdDegPerS: 30 }, { mergeGapMs: 1, mergeDistanceDeg: 1 }])
    expect(() => detectFixations(gaze, WHOLE, { ...defaultParameters(), ...given }, found)).toThrow(
      'thresholds in degrees need samples and a screen',
    )
})
