import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detectFixations } from '../../../engine/compute/detectors/detect-fixations.ts'
import type { Signal } from '../../../engine/compute/detectors/i2mc/fill-gaps.ts'
import { fillGaps } from '../../../engine/compute/detectors/i2mc/fill-gaps.ts'
import { findFixations } from '../../../engine/compute/detectors/i2mc/find-fixations.ts'
import { clusterInTwo, createClustering } from '../../../engine/compute/detectors/i2mc/two-means.ts'
import { createFixations } from '../../../engine/compute/fixation-list.ts'
import { createGaze, type DisplayRectanglePx, denoise } from '../../../engine/compute/gaze.ts'
import type { Eyes } from '../../../engine/model/eye-columns.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { seeded } from '../../../isomorphic/random.ts'
import { samplesOf, type VectorSample } from './vectors.ts'

/**
 * Fixations that I2MC_Python (github.com/dcnieho/I2MC_Python at 09e58ba, MIT licence) finds in the synthetic recordings
 * below, with `seeded(1)` as its random numbers, no filter before thinning, and factors that leave three samples in a
 * window: [first, last] sample. Where the last sample of a fixation was interpolated, it ends at the last valid one, as
 * in the MATLAB original (github.com/royhessels/I2MC); the Python code goes one sample too far back.
 */
type Case = { seed: number; rate: number; loss: number; both: [number, number][]; left: [number, number][] }
const CASES = JSON.parse(readFileSync(new URL('../../vectors/i2mc.json', import.meta.url), 'utf8')) as Case[]

/** Six seconds of fixations at random places in noise, of two eyes 8 px apart that are lost now and then. */
function recording({ seed, rate, loss }: Case): { tMs: number[]; left: Signal; right: Signal } {
  const random = seeded(seed)
  const noise = () => {
    const [a, b, c] = [random() - 0.5, random() - 0.5, random() - 0.5]
    return (a + b + c) * 12
  }
  let [x, y] = [500 + 800 * random(), 300 + 400 * random()]
  let [stays, gap] = [0, 0]
  const n = rate * 6
  const signal = (): Signal => ({ x: new Float64Array(n), y: new Float64Array(n) })
  const [left, right] = [signal(), signal()]
  for (let i = 0; i < n; i++) {
    if (stays === 0) {
      x = 300 + 1300 * random()
      y = 200 + 700 * random()
      stays = Math.floor(rate * (0.15 + 0.3 * random()))
    }
    stays--
    for (const [e, eye] of [left, right].entries()) {
      eye.x[i] = x + noise() + e * 8
      eye.y[i] = y + noise()
    }
    if (gap === 0 && random() < loss) gap = 1 + Math.floor(random() * rate * 0.14)
    if (gap === 0) continue
    gap--
    const which = Math.floor(random() * 3)
    if (which !== 1) left.x[i] = left.y[i] = Number.NaN
    if (which !== 0) right.x[i] = right.y[i] = Number.NaN
  }
  return { tMs: Array.from({ length: n }, (_, i) => (i * 1000) / rate), left, right }
}

const either = (a: Float64Array, b: Float64Array) =>
  a.map((value, i) => (Number.isNaN(value) ? b[i] : Number.isNaN(b[i]) ? value : (value + b[i]) / 2))
const copyOf = ({ x, y }: Signal): Signal => ({ x: x.slice(), y: y.slice() })
const SETTINGS = { ...defaultParameters(), mergeGapMs: 30 }
const FARTHEST = 1920 * 0.2 * Math.SQRT2
const distancePx = (fromX: number, fromY: number, toX: number, toY: number) => Math.hypot(toX - fromX, toY - fromY)

for (const each of CASES) {
  test(`at ${each.rate} Hz, one eye and two have the fixations of the published implementation`, () => {
    const { tMs, left, right } = recording(each)
    const tUs = Float64Array.from(tMs, (t) => t * 1000)
    const found = (gaze: Signal, eyes: Signal[]) => {
      const samples = { tUs, stepUs: 1e6 / each.rate, gaze, eyes }
      const ends = (last: number) => tMs[Math.min(last + 1, tMs.length - 1)]
      return findFixations(samples, SETTINGS, FARTHEST, { positions: gaze, distance: distancePx, below: 30 })
        .found.filter(({ first, last }) => ends(last) - tMs[first] >= 40)
        .map(({ first, last }) => [first, last])
    }
    expect(found(copyOf(left), [])).toEqual(each.left)
    const both = { x: either(left.x, right.x), y: either(left.y, right.y) }
    expect(found(both, [copyOf(left), copyOf(right)])).toEqual(each.both)
  })
}

/** Runs the detector as exports do, on an item as large as the screen. */
function detected(rows: VectorSample[], given: object = {}, eyes: Eyes = {}) {
  const display = { leftPx: 0, topPx: 0, widthPx: 1920, heightPx: 1080 }
  const settings = { ...SETTINGS, detector: 'i2mc' as const, minFixationDurationMs: 60, ...given }
  const [gaze, found] = [createGaze(), createFixations()]
  const samples = { ...samplesOf(rows), eyes }
  denoise(samples, display, 200, gaze)
  detectFixations(gaze, display, settings, found, { samples, screen: null })
  return { gaze, found, startsMs: Array.from(found.startUs.subarray(0, found.n), (t) => t / 1000) }
}

const rowsOf = ({ tMs, left }: ReturnType<typeof recording>): VectorSample[] =>
  tMs.map((t, i) => [t, Number.isNaN(left.x[i]) ? null : left.x[i], Number.isNaN(left.y[i]) ? null : left.y[i], 0])

test('with a distance in degrees, the size of the displayed item changes nothing', () => {
  const screen = { widthPx: 1920, heightPx: 1080, widthCm: 51, heightCm: 28.7, distanceCm: 65 }
  const on = (display: DisplayRectanglePx, mergeDistanceDeg: number) => {
    const settings = { ...SETTINGS, detector: 'i2mc' as const, minFixationDurationMs: 60, mergeDistanceDeg }
    const [gaze, found] = [createGaze(), createFixations()]
    const samples = samplesOf(rowsOf(recording(CASES[0])))
    denoise(samples, display, 200, gaze)
    detectFixations(gaze, display, settings, found, { samples, screen })
    return Array.from(found.startUs.subarray(0, found.n))
  }
  const [whole, part] = [
    { leftPx: 0, topPx: 0, widthPx: 1920, heightPx: 1080 },
    { leftPx: 700, topPx: 400, widthPx: 240, heightPx: 135 },
  ]
  expect(on(part, 0)).not.toEqual(on(whole, 0))
  expect(on(part, 0.7)).toEqual(on(whole, 0.7))
  expect(on(whole, 0.7)).toEqual(on(whole, 0))
})

test('exports have the same fixations; rows that are missing count as lost samples', () => {
  const [{ rate, left: expected }] = CASES
  const rows = rowsOf(recording(CASES[0]))
  const long = expected.filter(([first, last]) => (last - first) * (1000 / rate) >= 60)
  const all = detected(rows)
  expect(all.startsMs).toEqual(long.map(([first]) => Math.floor((first * 1e6) / rate + 0.5) / 1000))
  expect(detected(rows.filter(([, x]) => x !== null)).startsMs).toEqual(all.startsMs)
  const { firstPoint, endPoint, startUs, endUs, n } = all.found
  for (let f = 0; f < n; f++) {
    expect([all.gaze.tUs[firstPoint[f]], all.gaze.tUs[endPoint[f] - 1]]).toEqual([startUs[f], endUs[f]])
  }
})

test('where either eye is known, exports have the fixations of two eyes', () => {
  const each = CASES[0]
  const { tMs, left, right } = recording(each)
  const rows = tMs.map((t, i): VectorSample => {
    const [x, y] = [either(left.x, right.x)[i], either(left.y, right.y)[i]]
    return [t, Number.isNaN(x) ? null : x, Number.isNaN(y) ? null : y, 0]
  })
  const eyes = { leftGazeXPx: left.x, leftGazeYPx: left.y, rightGazeXPx: right.x, rightGazeYPx: right.y }
  const startsOf = (indexes: [number, number][]) =>
    indexes
      .filter(([first, last]) => (last - first) * (1000 / each.rate) >= 60)
      .map(([first]) => Math.floor((first * 1e6) / each.rate + 0.5) / 1000)
  expect(detected(rows, {}, eyes).startsMs).toEqual(startsOf(each.both))
  expect(detected(rows, {}, eyes).startsMs).not.toEqual(detected(rows).startsMs)
  const lost = new Float64Array(tMs.length).fill(Number.NaN)
  const ofLeft = { ...eyes, rightGazeXPx: lost, rightGazeYPx: lost }
  expect(detected(rowsOf(recording(each)), {}, ofLeft).startsMs).toEqual(startsOf(each.left))
})

test('the seed decides, and the same one gives the same fixations', () => {
  const random = seeded(5)
  const rows = Array.from({ length: 900 }, (_, i): VectorSample => [i * 4, 900 * random(), 500 * random(), 0])
  const ends = (seed: number) => {
    const { found } = detected(rows, { i2mcSeed: seed })
    return JSON.stringify([...found.startUs.subarray(0, found.n), ...found.endUs.subarray(0, found.n)])
  }
  expect(ends(7)).toBe(ends(7))
  expect(new Set(Array.from({ length: 12 }, (_, seed) => ends(seed))).size).toBeGreaterThan(1)
})

test('a saccade leads from one fixation to the next of the same segment, as with every detector', () => {
  const { found, gaze } = detected(rowsOf(recording(CASES[0])))
  const segmentOf = (point: number) => {
    let segment = 0
    while (gaze.segmentStart[segment + 1] <= point) segment++
    return segment
  }
  let saccades = 0
  for (let f = 1; f < found.n; f++) {
    const isSame = segmentOf(found.endPoint[f - 1] - 1) === segmentOf(found.firstPoint[f])
    const isClose = found.startUs[f] - found.endUs[f - 1] <= 150_000
    expect(found.hasSaccade[f]).toBe(isSame && isClose ? 1 : 0)
    saccades += found.hasSaccade[f]
  }
  expect(saccades).toBeGreaterThan(5)
})

test('gaze without noise, without samples, and too slow for a window', () => {
  // Thinned out by 10, a change of cluster stands for ten samples.
  const still = Array.from({ length: 600 }, (_, i): VectorSample => [i * 2, i < 300 ? 400 : 900, 500, 0])
  expect(detected(still).startsMs).toEqual([0, 618])
  expect(detected([]).startsMs).toEqual([])
  expect(detected([[0, 1, 1, 0]]).startsMs).toEqual([])
  expect(detected(Array.from({ length: 50 }, (_, i): VectorSample => [i * 100, 400, 500, 0])).startsMs).toEqual([])
})

test('a gap is filled by a curve that stays between its ends, where gaze is near on both sides', () => {
  const NONE = Number.NaN
  const signal = (...x: number[]): Signal => ({ x: Float64Array.from(x), y: new Float64Array(x.length).fill(5) })
  const lostIn = (given: Signal, longest: number, farthest: number) => {
    for (const [i, x] of given.x.entries()) if (Number.isNaN(x)) given.y[i] = NONE
    fillGaps(given, longest, farthest)
    return Array.from(given.x, (x) => (Number.isNaN(x) ? 'lost' : x))
  }
  const steady = [0, 0, 0, 0, NONE, NONE, 6, 6, 6]
  // A step between flat sides: slopes of 0 at both, so 6(3t² − 2t³) at a third and two thirds.
  const filled = lostIn(signal(...steady), 2, 6)
  expect(filled[4]).toBeCloseTo(6 * (3 / 9 - 2 / 27), 12)
  expect(filled[5]).toBeCloseTo(6 * ((3 * 4) / 9 - (2 * 8) / 27), 12)
  // From a slope of 6 to one of 1/4: at most twice the smaller, so that 6 + 1/2 − 1/8 is between its neighbours.
  expect(lostIn(signal(0, 0, 6, NONE, 6.5, 6.5, 6.5), 1, 6)[3]).toBe(6.375)
  expect(lostIn(signal(...steady), 1, 6)).toContain('lost')
  expect(lostIn(signal(...steady), 2, 5.9)).toContain('lost')
  // Three valid samples before it, two after.
  expect(lostIn(signal(0, 0, NONE, 0, 0, 0), 2, 6)).toContain('lost')
  expect(lostIn(signal(0, 0, 0, NONE, 0), 2, 6)).toContain('lost')
  // One sample between two gaps is a support of both.
  expect(lostIn(signal(0, 0, 0, NONE, 0, NONE, 0, 0), 3, 6)).not.toContain('lost')
  expect(lostIn(signal(0, 0, 0, NONE, 0, NONE, 0, 0), 2, 6).filter((x) => x === 'lost')).toHaveLength(2)
})

test('two groups of points become two clusters, and points that are all one stay one', () => {
  const clusters = (x: number[]) => {
    const clustering = createClustering(x.length)
    clustering.x.set(x)
    expect(clusterInTwo(clustering, x.length, seeded(3))).toBe(true)
    return Array.from(clustering.label, (label) => (label === clustering.label[0] ? 'a' : 'b')).join('')
  }
  expect(clusters([0, 1, 0, 1, 9, 8, 9])).toBe('aaaabbb')
  expect(clusters([9, 0, 9])).toBe('aba')
  expect(clusters([4, 4, 4, 4])).toBe('aaaa')
})
