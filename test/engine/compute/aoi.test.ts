import { describe, expect, test } from 'vitest'
import { type AoiShape, aoiPartShape, isInAoi } from '../../../engine/compute/aoi.ts'
import { detectFixations } from '../../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../../engine/compute/fixation-list.ts'
import { createGaze, denoise } from '../../../engine/compute/gaze.ts'
import { aoiShape } from '../../../engine/exports/columns/aoi-shape.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { AoiPart } from '../../../engine/model/study.ts'
import { aoiFixations, aoiGazes } from './aoi-by-aoi.ts'
import { readVectors, samplesOf, type VectorSample } from './vectors.ts'

type Case = {
  name: string
  samples: VectorSample[]
  parts: AoiPart[]
  fixations: {
    count: number
    ttffMs: number | null
    totalTimeSpentMs: number
    averageDurationMs: number | null
    firstDurationMs: number | null
    revisits: number | null
  }
  gazes: { count: number; timeToFirstMs: number | null; totalTimeSpentMs: number }
}

const ms = (us: number) => (Number.isNaN(us) ? null : us / 1000)
const display = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }

describe('the worked cases of the AOI metrics', () => {
  for (const { name, samples, parts, fixations, gazes } of readVectors<{ cases: Case[] }>('aois').cases) {
    test(name, () => {
      const aoi = aoiShape({ id: '', itemId: '', name: '', parts }, { widthPx: 1000, heightPx: 1000 })
      const gaze = createGaze()
      const found = createFixations()
      denoise(samplesOf(samples), display, 200, gaze)
      detectFixations(gaze, display, defaultParameters(), found)
      const inFixations = aoiFixations(aoi, found)
      expect({
        count: inFixations.count,
        ttffMs: ms(inFixations.firstStartUs),
        totalTimeSpentMs: inFixations.totalUs / 1000,
        averageDurationMs: ms(inFixations.totalUs / inFixations.count),
        firstDurationMs: ms(inFixations.firstDurationUs),
        revisits: inFixations.revisits === -1 ? null : inFixations.revisits,
      }).toEqual(fixations)
      const inGazes = aoiGazes(aoi, gaze)
      expect({
        count: inGazes.count,
        timeToFirstMs: ms(inGazes.firstUs),
        totalTimeSpentMs: inGazes.totalUs / 1000,
      }).toEqual(gazes)
    })
  }
})

describe('a polygon', () => {
  const polygon = (...points: [number, number][]): AoiShape => ({
    parts: [
      aoiPartShape(
        true,
        points.map(([x]) => x),
        points.map(([, y]) => y),
        null,
      ),
    ],
  })
  const at = (aoi: AoiShape, x: number, y: number) => isInAoi(aoi, Math.round(x * 1e6), Math.round(y * 1e6), 0)

  test('holds a point on its slanted border however odd the numbers', () => {
    const triangle = polygon([0, 0], [30, 90], [90, 10])
    expect(at(triangle, 0.1, 0.3)).toBe(true)
    expect(at(triangle, 0.1, 0.300001)).toBe(false)
    expect(at(triangle, 12.345678, 37.037034)).toBe(true)
    expect(at(triangle, 12.345678, 37.037035)).toBe(false)
  })
  test('that crosses itself is empty where it is covered twice', () => {
    const star = polygon([50, 0], [80, 100], [0, 35], [100, 35], [20, 100])
    expect(at(star, 50, 50)).toBe(false)
    expect(at(star, 50, 10)).toBe(true)
  })
  test('is the same in either direction', () => {
    const points: [number, number][] = [
      [10, 10],
      [60, 20],
      [70, 80],
      [15, 60],
    ]
    for (let x = 0; x <= 100; x += 5) {
      for (let y = 0; y <= 100; y += 5)
        expect(at(polygon(...points), x, y)).toBe(at(polygon(...[...points].reverse()), x, y))
    }
  })
})
