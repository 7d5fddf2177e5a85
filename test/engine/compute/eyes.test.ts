import { expect, test } from 'vitest'
import { forgetHalves, gazeOfEye, haveGaze } from '../../../engine/compute/eyes.ts'
import type { ChosenEye } from '../../../engine/model/eye-columns.ts'

const column = (...values: number[]) => Float64Array.from(values)
const lost = Number.NaN

test('an eye has gaze if both of its coordinates were recorded', () => {
  const x = column(1)
  expect(haveGaze({ leftGazeXPx: x, leftGazeYPx: x })).toBe(true)
  expect(haveGaze({ rightGazeXPx: x, rightGazeYPx: x })).toBe(true)
  expect([{ leftGazeXPx: x }, { rightGazeYPx: x }, { leftGazeXPx: x, rightGazeYPx: x }, {}].map(haveGaze)).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('half a position is none', () => {
  const [x, y] = [column(1, lost, 3), column(lost, 2, 4)]
  forgetHalves(x, y)
  expect([[...x], [...y]]).toEqual([
    [lost, lost, 3],
    [lost, lost, 4],
  ])
})

test.each([
  ['left', [10, lost, 30, lost], [1, lost, 3, lost]],
  ['right', [20, 40, lost, lost], [3, 5, lost, lost]],
  ['either', [15, 40, 30, lost], [2, 5, 3, lost]],
  ['both', [15, lost, lost, lost], [2, lost, lost, lost]],
] satisfies [ChosenEye, number[], number[]][])('gaze of %s is that of the eyes that are there', (eye, x, y) => {
  const eyes = {
    leftGazeXPx: column(10, lost, 30, lost),
    leftGazeYPx: column(1, lost, 3, lost),
    rightGazeXPx: column(20, 40, lost, lost),
    rightGazeYPx: column(3, 5, lost, lost),
  }
  const [outX, outY] = [new Float64Array(4), new Float64Array(4)]
  gazeOfEye(eyes, eye, outX, outY)
  expect([[...outX], [...outY]]).toEqual([x, y])
})
