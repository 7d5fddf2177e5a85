import { expect, test } from 'vitest'
import { guessTimeUnit, TOBII_LOST } from '../../../engine/recordings/trackers/tobii-columns.ts'

const unitOf = (...times: string[]) => {
  const rows = times.map((time) => [time])
  return guessTimeUnit(
    { line: 1, separator: '\t', decimalMark: '.', header: ['Recording timestamp'], rows } as never,
    0,
  ).name
}

test('a clock of Tobii without a unit counts ms, unless its usual step is more than 100', () => {
  expect(unitOf('0', '8', '17', '25')).toBe('ms')
  // A pause between trials is not the usual step.
  expect(unitOf('0', '8', '2000', '2008')).toBe('ms')
  expect(unitOf('0', '8333', '16667', '25000')).toBe('µs')
  expect(unitOf('0')).toBe('ms')
})

test('validity is lost from 2 on, also as a fraction, which spreadsheets and pandas write', () => {
  const lost = ['2', '4', '4.0', '2,0', 'Invalid'].map((text) => TOBII_LOST.test(text))
  expect(lost).toEqual([true, true, true, true, true])
  expect(['0', '1', '0.0', '1.0', 'Valid', '', '40'].map((text) => TOBII_LOST.test(text))).not.toContain(true)
})
