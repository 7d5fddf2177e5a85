import { expect, test } from 'vitest'
import { addBlink, type Blink } from '../../../engine/recordings/trackers/eyelink-blinks.ts'

test('a blink whose start no line tells counts by its end, and is no end of the one before', () => {
  const blinks: Blink[] = []
  const added = ['EBLINK L 10 20 10', 'SBLINK L 30', 'EBLINK L 30 40 10', 'EBLINK L 50 60 10'].map((line) =>
    addBlink(blinks, line),
  )
  expect(added).toEqual([1, 1, 0, 1])
  expect(blinks.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
    [10, 20],
    [30, 40],
    [50, 60],
  ])
})
