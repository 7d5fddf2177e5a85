import { expect, test } from 'vitest'
import { addMicrosaccades } from '../../../engine/compute/microsaccade-rates.ts'

/** Six times of 5 ms; the third has no gaze of both eyes. */
const TIMES = {
  tUs: Float64Array.of(0, 5000, 10_000, 15_000, 20_000, 25_000),
  hasGaze: Uint8Array.of(1, 1, 0, 1, 1, 1),
  stepUs: 5000,
  startsUs: [5000, 20_000, 25_000],
}
const noRates = () => ({ counts: [] as number[], seconds: [] as number[] })

test('a bin has the microsaccades that begin in it, and a median step for each time with gaze of both eyes', () => {
  const rates = noRates()
  const found = addMicrosaccades(rates, TIMES, { fromUs: 0, toUs: 40_000, binUs: 10_000 }, 10)
  expect(found).toEqual({ within: true, isLonger: false })
  expect(rates).toEqual({ counts: [1, 0, 2], seconds: [0.01, 0.005, 0.01] })
  addMicrosaccades(rates, TIMES, { fromUs: 15_000, toUs: 25_000, binUs: 10_000 }, 10)
  expect(rates).toEqual({ counts: [2, 0, 2], seconds: [0.02, 0.005, 0.01] })
})

test('an epoch may begin before the test, lie outside it, or have more bins than are summed', () => {
  const rates = noRates()
  addMicrosaccades(rates, TIMES, { fromUs: -10_000, toUs: 10_000, binUs: 10_000 }, 10)
  expect(rates).toEqual({ counts: [0, 1], seconds: [0, 0.01] })
  const outside = noRates()
  const epoch = { fromUs: 50_000, toUs: 90_000, binUs: 10_000 }
  expect(addMicrosaccades(outside, TIMES, epoch, 10)).toEqual({ within: false, isLonger: false })
  expect(outside).toEqual(noRates())
  const many = addMicrosaccades(noRates(), TIMES, { fromUs: 0, toUs: 40_000, binUs: 10_000 }, 2)
  expect(many).toEqual({ within: true, isLonger: true })
})
