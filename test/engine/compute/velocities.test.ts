import { expect, test } from 'vitest'
import { addVelocities } from '../../../engine/compute/velocities.ts'

/** Velocities of x of points that are 10 ms apart; y goes the other way. */
function velocitiesOf(positions: number[]): number[] {
  const n = positions.length
  const x = Float64Array.from(positions)
  const y = x.map((value) => -value)
  const [velocityX, velocityY] = [new Float64Array(n + 1), new Float64Array(n + 1)]
  const tUs = Float64Array.from({ length: n }, (_, i) => i * 10_000)
  expect(addVelocities(tUs, { x, y, stride: 1 }, 0, n, velocityX, velocityY, 1)).toBe(n + 1)
  expect([velocityX[0], velocityY[0]]).toEqual([0, 0])
  expect(velocityY.subarray(1)).toEqual(velocityX.subarray(1).map((value) => -value))
  return [...velocityX.subarray(1)].map((value) => Math.round(value * 1e6) / 1e6)
}

test('two points have the velocity of the step between them', () => {
  expect(velocitiesOf([1, 3])).toEqual([200, 200])
})

test('the middle of three points has that of its neighbours, which the ends take', () => {
  expect(velocitiesOf([0, 5, 6])).toEqual([300, 300, 300])
})

test('four points have none with two neighbours on both sides', () => {
  expect(velocitiesOf([0, 1, 4, 9])).toEqual([200, 200, 400, 400])
})

test('the middle of five points is over five, the others over three', () => {
  // (16 + 9 − 1 − 0) / 60 ms; over three points, (4 − 0) / 20 ms and (16 − 4) / 20 ms.
  expect(velocitiesOf([0, 1, 4, 9, 16])).toEqual([200, 200, 400, 600, 600])
})
