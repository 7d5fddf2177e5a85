import { expect, test } from 'vitest'
import { mainSequence } from '../../../../engine/analysis/statistics/main-sequence.ts'

test('the main sequence is a line through the logarithms of amplitudes and peak velocities', () => {
  // Ten times the amplitude, ten times the velocity; 100 at 1.
  const line = mainSequence([0.1, 1, 0.01], [10, 100, 1])
  expect(line.n).toBe(3)
  expect(line.slope).toBeCloseTo(1, 12)
  expect(line.intercept).toBeCloseTo(2, 12)
  expect(line.r).toBeCloseTo(1, 12)
  // Logarithms (0, 0), (1, 1), (2, 0): no slope, and 1/3 in the middle.
  const flat = mainSequence([1, 10, 100], [1, 10, 1])
  expect(flat.slope).toBeCloseTo(0, 12)
  expect(flat.intercept).toBeCloseTo(1 / 3, 12)
  expect(flat.r).toBeCloseTo(0, 12)
})

test('it is unknown for fewer than three saccades or equal amplitudes, and its correlation for equal velocities', () => {
  const unknown = { slope: null, intercept: null, r: null }
  expect(mainSequence([], [])).toEqual({ n: 0, ...unknown })
  expect(mainSequence([1, 2], [10, 20])).toEqual({ n: 2, ...unknown })
  expect(mainSequence([0.3, 0.3, 0.3], [10, 20, 30])).toEqual({ n: 3, ...unknown })
  // An amplitude of 0 has no logarithm.
  expect(mainSequence([0, 1, 2], [10, 20, 30])).toEqual({ n: 2, ...unknown })
  expect(mainSequence([1, 10, 100], [7, 7, 7])).toMatchObject({ n: 3, slope: 0, r: null })
})
