import { expect, test } from 'vitest'
import { movementOf } from '../../../engine/recordings/any-table/evidence/movement.ts'

/** Positions 20 ms apart, in px of a screen. */
const positions = (x: number[]) => ({
  n: x.length,
  tMs: Float64Array.from(x, (_, i) => 20 * i),
  x: Float64Array.from(x),
  y: new Float64Array(x.length).fill(300),
  isStart: new Uint8Array(x.length),
})

test('what moves smoothly moves in a row, little of its variance lies between samples', () => {
  // Three steps of 10 px in one run, then none: 300 px² of 4 steps; the mean is 418, the variance 136.
  const { movesInARow, still, longestStillMs, rough, lookedMs } = movementOf(positions([400, 410, 420, 430, 430]))
  expect({ movesInARow, still, longestStillMs, lookedMs }).toEqual({
    movesInARow: 3,
    still: 0.25,
    longestStillMs: 20,
    lookedMs: 80,
  })
  expect(rough).toBeCloseTo(75 / 272, 12)
})

test('what never moves has no run of moves', () => {
  expect(movementOf(positions([400, 400, 400]))).toMatchObject({ movesInARow: 0, still: 1 })
})
