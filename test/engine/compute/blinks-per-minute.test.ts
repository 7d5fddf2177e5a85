import { expect, test } from 'vitest'
import { blinksPerMinute } from '../../../engine/compute/quality/measure-eyes.ts'

test('blinks a minute are those that begin from onset on, over the time from onset to the last point', () => {
  const tUs = Float64Array.from([-1e6, 0, 10e6, 20e6])
  const blinks = [{ before: 0 }, { before: 1 }, { before: 2 }]
  expect(blinksPerMinute({ n: 4, tUs }, blinks)).toBe(6)
  expect(blinksPerMinute({ n: 1, tUs }, [])).toBeNaN()
  expect(blinksPerMinute({ n: 0, tUs }, [])).toBeNaN()
})
