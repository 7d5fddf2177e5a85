import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type GazeSums, measureGaze, qualityGrade } from '../../../engine/compute/grade.ts'

type Case = {
  name: string
  durationMs: number | null
  window: { widthPx: number; heightPx: number } | null
  gazePx: [number, number]
  tMs: number[]
  lostSamples: number[]
  grade: number
}
const vectors = JSON.parse(readFileSync(new URL('../../vectors/grades.json', import.meta.url), 'utf8')) as {
  tests: Case[]
  participants: { tests: string[]; grade: number }[]
}

function measure({ durationMs, window, gazePx, tMs, lostSamples }: Case, order = tMs.map((_, i) => i)): GazeSums {
  const tUs = Float64Array.from(order, (i) => Math.floor(tMs[i] * 1000 + 0.5))
  const at = (axis: 0 | 1) => Float64Array.from(order, (i) => (lostSamples.includes(i) ? Number.NaN : gazePx[axis]))
  return measureGaze(tUs, at(0), at(1), 0, tUs.length, durationMs === null ? null : durationMs * 1000, window)
}

describe('a test has the grade of the vectors', () => {
  test.each(vectors.tests.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    expect(qualityGrade([measure(vector)])).toBe(vector.grade)
  })
})

describe('a participant has the grade of the vectors', () => {
  test.each(vectors.participants.map((vector) => [vector.tests.join(' + '), vector] as const))(
    '%s',
    (_name, vector) => {
      const tests = vector.tests.map((name) => measure(vectors.tests.find((one) => one.name === name)!))
      expect(qualityGrade(tests)).toBe(vector.grade)
    },
  )
})

test('the order of samples does not change the sums', () => {
  for (const vector of vectors.tests) {
    const backwards = vector.tMs.map((_, i) => vector.tMs.length - 1 - i)
    expect(measure(vector, backwards)).toEqual(measure(vector))
  }
})

test('the sums of a participant compare exactly beyond 2^53', () => {
  // 28 Hz needs steps × 10⁶ ≥ 28 × span: one µs more of span than that is no longer grade 6.
  const exact: GazeSums = {
    validCount: 28_000_000_001,
    spanUs: 1_000_000_000_000_000,
    missingUs: 0,
    durationUs: 1_000_000_000_000_000,
    onScreenCount: 1,
    windowedCount: 1,
  }
  expect(qualityGrade([exact])).toBe(6)
  expect(qualityGrade([{ ...exact, spanUs: exact.spanUs + 1 }])).toBe(5)
})

test('a slice of longer arrays is measured alone', () => {
  const tUs = Float64Array.of(0, 5_000, 10_000, 20_000, 0)
  const px = Float64Array.of(1, 1, 1, 1, 1)
  expect(measureGaze(tUs, px, px, 1, 3, null, null)).toEqual({
    validCount: 2,
    spanUs: 5_000,
    missingUs: 0,
    durationUs: 10_000,
    onScreenCount: 0,
    windowedCount: 0,
  })
})
