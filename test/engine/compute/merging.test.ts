import { array, assert, constantFrom, integer, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { detectFixations } from '../../../engine/compute/detectors/detect-fixations.ts'
import { addRun, createRuns, mergeRuns } from '../../../engine/compute/detectors/runs.ts'
import { createFixations, type Fixations } from '../../../engine/compute/fixation-list.ts'
import { createGaze, denoise } from '../../../engine/compute/gaze.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import { DETECTOR_NAMES } from '../../../isomorphic/detector-settings.ts'
import { samplesOf, type VectorSample } from './vectors.ts'

const display = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 500 }

/** Rests at `x` for some samples, 10 ms apart. */
type Rest = [x: number, samples: number]

function detect(rests: Rest[], given: Partial<Parameters>): Fixations {
  const xs = rests.flatMap(([x, samples]) => Array<number>(samples).fill(x))
  const rows = xs.map((x, i): VectorSample => [i * 10, x, 250, 0])
  const settings = { ...defaultParameters(), movingMedianRangeMs: 20, minFixationDurationMs: 60, ...given }
  const gaze = createGaze()
  const found = createFixations()
  denoise(samplesOf(rows), display, settings.movingMedianRangeMs, gaze)
  detectFixations(gaze, display, settings, found)
  return found
}

function fixationsOf(rests: Rest[], given: Partial<Parameters>): number[][] {
  const found = detect(rests, given)
  return Array.from({ length: found.n }, (_, f) => [
    found.startUs[f] / 1000,
    found.endUs[f] / 1000,
    found.xPercent[f],
    found.hasSaccade[f],
  ])
}

test('fixations near in time and place are one, with the mean of all points from its start to its end', () => {
  // A jump of 10 px, 1 % of the width, at 100 ms: one fast point there, so rests at 0 to 90 and 110 to 190 ms.
  const rests: Rest[] = [
    [500, 10],
    [510, 10],
  ]
  const slow = { gazeVelocityThreshold: 50, mergeDistancePercent: 1.5 }
  expect(fixationsOf(rests, slow)).toEqual([
    [0, 90, 50, 0],
    [110, 190, 51, 1],
  ])
  expect(fixationsOf(rests, { ...slow, mergeGapMs: 21 })).toEqual([[0, 190, 50.5, 0]])
  // Less than both, not as much.
  expect(fixationsOf(rests, { ...slow, mergeGapMs: 20 })).toHaveLength(2)
  expect(fixationsOf(rests, { ...slow, mergeGapMs: 21, mergeDistancePercent: 1 })).toHaveLength(2)
})

test('merges and cuts of a test are counted', () => {
  const rests: Rest[] = [
    [500, 20],
    [510, 20],
    [520, 20],
  ]
  const slow = { gazeVelocityThreshold: 50, mergeDistancePercent: 2, maxFixationDurationMs: 150 }
  expect(detect(rests, slow).steps).toEqual({ merged: 0, cut: 3, bridged: 0, filled: 0 })
  expect(detect(rests, { ...slow, mergeGapMs: 30 }).steps).toEqual({ merged: 2, cut: 1, bridged: 0, filled: 0 })
})

test('merging comes before short fixations are dropped and before long ones are cut', () => {
  const slow = { gazeVelocityThreshold: 50, mergeDistancePercent: 2 }
  const short: Rest[] = [
    [500, 5],
    [510, 5],
  ]
  expect(fixationsOf(short, slow)).toEqual([])
  expect(fixationsOf(short, { ...slow, mergeGapMs: 30 })).toEqual([[0, 90, 50.5, 0]])
  const long: Rest[] = [
    [500, 20],
    [510, 20],
  ]
  expect(fixationsOf(long, { ...slow, mergeGapMs: 30, maxFixationDurationMs: 200 })).toEqual([
    [0, 200, 50, 0],
    [200, 390, 51, 0],
  ])
})

/** Detectors that find runs of points in segments; i2mc.test.ts tests the other one. */
const BY_SEGMENT = DETECTOR_NAMES.filter((detector) => detector !== 'i2mc')

test('each detector merges, and none does by default', () => {
  const rests: Rest[] = [
    [500, 20],
    [512, 20],
    [530, 20],
  ]
  const own = { gazeVelocityThreshold: 50, dispersionThresholdPercent: 0.5, adaptiveLambda: 1 }
  for (const detector of BY_SEGMENT) {
    const apart = fixationsOf(rests, { ...own, detector })
    const merged = fixationsOf(rests, { ...own, detector, mergeGapMs: 60 })
    expect([apart.length, merged.length], detector).toEqual([3, 2])
    expect([merged[0][0], merged[0][1]], detector).toEqual([apart[0][0], apart[1][1]])
    expect(merged[1].slice(0, 3), detector).toEqual(apart[2].slice(0, 3))
  }
})

test('nothing is merged across a gap of more than 50 ms', () => {
  const rows = [0, 10, 20, 30, 40, 50, 60, 70, 130, 140, 150, 160, 170, 180, 190, 200].map(
    (t): VectorSample => [t, 500, 250, 0],
  )
  const settings = { ...defaultParameters(), minFixationDurationMs: 60, mergeGapMs: 500, mergeDistancePercent: 50 }
  const gaze = createGaze()
  const found = createFixations()
  denoise(samplesOf(rows), display, 20, gaze)
  for (const detector of BY_SEGMENT) {
    detectFixations(gaze, display, { ...settings, detector }, found)
    expect(Array.from(found.startUs.subarray(0, found.n)), detector).toEqual([0, 130_000])
  }
})

test('runs are merged as docs/detectors.md says, written plainly', () => {
  const rows = array(
    record({
      length: integer({ min: 1, max: 6 }),
      apart: integer({ min: 0, max: 4 }),
      jump: constantFrom(0, 1, -1, 9),
    }),
    { minLength: 1, maxLength: 600 },
  )
  const settings = { mergeGapMs: constantFrom(0, 10, 20, 31), mergeDistancePercent: constantFrom(0, 0.5, 1.2, 20) }
  assert(
    property(rows, record(settings), (given, merging) => {
      const runs = createRuns()
      const [x, y, plain]: [number[], number[], { start: number; end: number }[]] = [[], [], []]
      let at = 50
      for (const { length, apart, jump } of given) {
        for (let i = 0; i < apart; i++) {
          at += jump / 2
          x.push(at)
        }
        addRun(runs, x.length, x.length + length)
        plain.push({ start: x.length, end: x.length + length })
        for (let i = 0; i < length; i++) x.push(at + (i % 2) / 7)
      }
      for (const [i, value] of x.entries()) y.push(value / 2 + (i % 3))
      const tUs = Float64Array.from(x, (_, i) => i * 10_000)
      const mean = (values: number[], { start, end }: { start: number; end: number }) =>
        values.slice(start, end).reduce((sum, value) => sum + value, 0) / (end - start)
      const merged: { start: number; end: number }[] = []
      for (const next of plain) {
        const last = merged.at(-1)
        const [dx, dy] = last
          ? [((mean(x, next) - mean(x, last)) / 100) * 1000, ((mean(y, next) - mean(y, last)) / 100) * 500]
          : [0, 0]
        const isNear = Math.sqrt(dx * dx + dy * dy) < (merging.mergeDistancePercent / 100) * 1000
        if (last && tUs[next.start] - tUs[last.end - 1] < merging.mergeGapMs * 1000 && isNear) last.end = next.end
        else merged.push({ ...next })
      }
      const positions = { x: Float64Array.from(x), y: Float64Array.from(y), stride: 1 as const }
      mergeRuns(runs, tUs, positions, display, { ...defaultParameters(), ...merging })
      expect(Array.from({ length: runs.n }, (_, r) => ({ start: runs.start[r], end: runs.end[r] }))).toEqual(merged)
    }),
    { numRuns: 200 },
  )
})
