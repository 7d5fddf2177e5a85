import { expect, test } from 'vitest'
import { pupilsOfFixations } from '../../../engine/compute/pupils/fixation-pupils.ts'
import { createPupil, type PupilEye } from '../../../engine/compute/pupils/pupil.ts'

const { NaN: lost } = Number
/** Five points, 10 ms apart: recorded sizes of each eye, and the size after all steps. */
const recorded = {
  n: 5,
  tUs: Float64Array.of(0, 10_000, 20_000, 30_000, 40_000),
  left: Float64Array.of(2, 4, lost, lost, 3),
  right: Float64Array.of(4, lost, 5, lost, 5),
}
const pupil = { ...createPupil(), n: 5, size: Float64Array.of(1, 2, 3, lost, lost) }
const fixations = {
  n: 3,
  startUs: Float64Array.of(0, 20_000, 25_000),
  endUs: Float64Array.of(20_000, 45_000, 35_000),
}
const meansOf = (eye: PupilEye) => {
  const { mean, recorded: before } = pupilsOfFixations(recorded, pupil, eye, fixations)
  return [[...mean], [...before]]
}

test('the pupil of a fixation is the mean over its points, from its start to its end', () => {
  // (1 + 2 + 3) / 3; 3; none. As recorded: (3 + 4 + 5) / 3; (5 + 4) / 2; none.
  expect(meansOf('either')).toEqual([
    [2, 3, lost],
    [4, 4.5, lost],
  ])
})

test('the recorded size is that of the chosen eyes', () => {
  expect(meansOf('left')[1]).toEqual([3, 3, lost])
  expect(meansOf('right')[1]).toEqual([4.5, 5, lost])
  // Where both have a size: (2 + 4) / 2; (3 + 5) / 2.
  expect(meansOf('both')[1]).toEqual([3, 4, lost])
})
