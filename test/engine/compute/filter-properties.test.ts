import { array, assert, constantFrom, integer, option, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { detectFixations } from '../../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../../engine/compute/fixation-list.ts'
import { createGaze, denoise, type Gaze, pointOfSample } from '../../../engine/compute/gaze.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { samplesOf, type VectorSample } from './vectors.ts'

/**
 * Section 5 once more, written from its text with lists and sorting and nothing shared with the engine: slow, and easy
 * to hold against the words.
 */
type Point = { tUs: number; x: number; y: number; isInterpolated: boolean }

function plainSegments(rows: VectorSample[], rangeMs: number): Point[][] {
  const valid = rows
    .filter(([t, x, y]) => x !== null && y !== null && Math.floor(t * 1000 + 0.5) >= 0)
    .map(([t, x, y, scroll]) => ({
      tUs: Math.floor(t * 1000 + 0.5),
      x: ((x! - 10) / 800) * 100,
      y: ((y! + (scroll ?? 0) - 20) / 600) * 100,
    }))
  const times = [...new Set(valid.map(({ tUs }) => tUs))].sort((a, b) => a - b)
  const merged = times.map((tUs) => {
    const same = valid.filter((point) => point.tUs === tUs)
    const mean = (of: (point: { x: number; y: number }) => number) =>
      same.reduce((sum, point) => sum + of(point), 0) / same.length
    return { tUs, x: mean(({ x }) => x), y: mean(({ y }) => y), isInterpolated: false }
  })
  const segments: Point[][] = []
  for (const point of merged) {
    const last = segments.at(-1)?.at(-1)
    if (!last || point.tUs - last.tUs > 50_000) segments.push([point])
    else segments.at(-1)!.push(...between(last, point), point)
  }
  return segments.map((points) => points.map((point) => ({ ...point, ...medians(points, point, rangeMs) })))
}

function between(a: Point, b: Point): Point[] {
  const gap = b.tUs - a.tUs
  const offsets = gap < 17_000 ? [] : gap <= 34_000 ? [gap / 2] : [gap / 3, (2 * gap) / 3]
  return offsets.map((exact) => {
    const d = Math.floor(exact / 1000) * 1000
    return { tUs: a.tUs + d, x: a.x + (b.x - a.x) * (d / gap), y: a.y + (b.y - a.y) * (d / gap), isInterpolated: true }
  })
}

function medians(points: Point[], at: Point, rangeMs: number): { x: number; y: number } {
  const window = points.filter(({ tUs }) => 2 * Math.abs(tUs - at.tUs) <= rangeMs * 1000)
  const median = (values: number[]) => {
    const sorted = values.sort((a, b) => a - b)
    const middle = sorted.length / 2
    return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
  }
  return { x: median(window.map(({ x }) => x)), y: median(window.map(({ y }) => y)) }
}

function plainFixations(segments: Point[][], { v, min, max, s }: { v: number; min: number; max: number; s: number }) {
  const found: {
    startUs: number
    endUs: number
    x: number
    y: number
    amplitude: number | null
    run: number
    segment: number
  }[] = []
  let run = 0
  for (const [segment, points] of segments.entries()) {
    if (points.length < 2) continue
    const speeds = points.map((point, i) => {
      const [a, b] = i === 0 ? [points[0], points[1]] : [points[i - 1], point]
      return Math.sqrt((b.x - a.x) ** 2 + (b.y - a.y) ** 2) / ((b.tUs - a.tUs) / 1e6)
    })
    const runs: Point[][] = []
    for (const [i, point] of points.entries()) {
      if (speeds[i] >= v) continue
      if (i > 0 && speeds[i - 1] < v) runs.at(-1)!.push(point)
      else runs.push([point])
    }
    for (const points of runs) {
      run++
      const start = points[0].tUs
      const end = points.at(-1)!.tUs
      const cuts = [start]
      if (end - start > max * 1000) for (let cut = start + max * 1000; cut < end; cut += max * 1000) cuts.push(cut)
      for (const [c, from] of cuts.entries()) {
        const isLast = c === cuts.length - 1
        const to = isLast ? end : cuts[c + 1]
        const inside = points.filter(({ tUs }) => tUs >= from && (isLast || tUs < to))
        if (inside.length < 2 || to - from < min * 1000) continue
        const x = inside.reduce((sum, point) => sum + point.x, 0) / inside.length
        const y = inside.reduce((sum, point) => sum + point.y, 0) / inside.length
        const before = found.at(-1)
        const isSaccade = before && before.segment === segment && before.run !== run && from - before.endUs <= s * 1000
        const amplitude = isSaccade ? Math.sqrt((x - before.x) ** 2 + (y - before.y) ** 2) : null
        found.push({ startUs: from, endUs: to, x, y, amplitude, run, segment })
      }
    }
  }
  return found
}

const display = { leftPx: 10, topPx: 20, widthPx: 800, heightPx: 600 }

/** Steps from a few ms to beyond a gap, whole and broken ones, back in time and equal; positions that rest and jump. */
const recording = array(
  record({
    stepMs: constantFrom(0, 1, 7, 16.667, 17, 20, 33, 33.334, 34, 34.001, 35, 48, 50, 50.001, 51, 90, -20),
    move: option(constantFrom(0, 0, 0, 0, 1, -1, 3, 60, -90), { nil: null, freq: 20 }),
    scroll: constantFrom(0, 0, 0, 12.5),
  }),
  { maxLength: 120 },
).map((steps) => {
  let tMs = -20
  let x = 400
  return steps.map(({ stepMs, move, scroll }): VectorSample => {
    tMs = Math.round((tMs + stepMs) * 1000) / 1000
    x += move ?? 0
    return [tMs, move === null ? null : x, move === null ? null : 300 - x / 3, scroll]
  })
})

function pointsOf(gaze: Gaze): Point[][] {
  return Array.from({ length: gaze.segmentCount }, (_, k) => {
    const points: Point[] = []
    for (let i = gaze.segmentStart[k]; i < gaze.segmentStart[k + 1]; i++) {
      points.push({
        tUs: gaze.tUs[i],
        x: gaze.xPercent[i],
        y: gaze.yPercent[i],
        isInterpolated: gaze.isInterpolated[i] === 1,
      })
    }
    return points
  })
}

test('denoised points are those of docs/signal.md written plainly, to the last bit', () => {
  const gaze = createGaze()
  assert(
    property(recording, integer({ min: 20, max: 1000 }), (rows, rangeMs) => {
      denoise(samplesOf(rows), display, rangeMs, gaze)
      expect(pointsOf(gaze)).toEqual(plainSegments(rows, rangeMs))
    }),
    { numRuns: 400 },
  )
})

test('fixations and saccades are those of docs/signal.md written plainly, to the last bit', () => {
  const gaze = createGaze()
  const found = createFixations()
  const settings = record({
    v: integer({ min: 1, max: 400 }),
    min: integer({ min: 60, max: 200 }),
    max: integer({ min: 200, max: 1000 }),
    s: integer({ min: 20, max: 300 }),
    rangeMs: constantFrom(20, 60, 200, 1000),
  })
  assert(
    property(recording, settings, (rows, { v, min, max, s, rangeMs }) => {
      denoise(samplesOf(rows), display, rangeMs, gaze)
      detectFixations(
        gaze,
        display,
        {
          ...defaultParameters(),
          gazeVelocityThreshold: v,
          minFixationDurationMs: min,
          maxFixationDurationMs: max,
          saccadeMaxDurationMs: s,
        },
        found,
      )
      const rows5 = Array.from({ length: found.n }, (_, f) => ({
        startUs: found.startUs[f],
        endUs: found.endUs[f],
        x: found.xPercent[f],
        y: found.yPercent[f],
        amplitude: found.hasSaccade[f] === 1 ? found.saccadeAmplitudePercent[f] : null,
      }))
      const plain = plainFixations(plainSegments(rows, rangeMs), { v, min, max, s })
      expect(rows5).toEqual(plain.map(({ run: _run, segment: _segment, ...row }) => row))
    }),
    { numRuns: 600 },
  )
})

test('every valid sample has its point, at its time, and a lost one has none', () => {
  const gaze = createGaze()
  assert(
    property(recording, (rows) => {
      const samples = samplesOf(rows)
      denoise(samples, display, 200, gaze)
      for (let i = 0; i < samples.n; i++) {
        const isValid = !Number.isNaN(samples.gazeXPx[i]) && samples.tUs[i] >= 0
        const point = pointOfSample(gaze, i)
        expect(point >= 0).toBe(isValid)
        if (isValid) expect([gaze.tUs[point], gaze.isInterpolated[point]]).toEqual([samples.tUs[i], 0])
      }
    }),
  )
})

test('the order of arrival changes nothing where no times are equal', () => {
  const gaze = createGaze()
  assert(
    property(recording, (rows) => {
      const distinct = rows.filter(([t], i) => rows.findIndex(([other]) => other === t) === i)
      denoise(samplesOf(distinct), display, 200, gaze)
      const inOrder = pointsOf(gaze)
      denoise(samplesOf([...distinct].reverse()), display, 200, gaze)
      expect(pointsOf(gaze)).toEqual(inOrder)
    }),
  )
})
