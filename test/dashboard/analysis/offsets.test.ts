import { expect, test } from 'vitest'
import {
  appliedIn,
  ownOffset,
  shiftPercent,
  withOffset,
  withoutOffset,
} from '../../../dashboard/core/analysis/offsets.ts'

const ofAnna = { participantId: 'anna', dxPx: 10, dyPx: -20, source: 'hand' } as const
const ofTest = { ...ofAnna, testId: 't1', dxPx: 1, dyPx: 2 }
const analysis = { filter: 'TRUE', offsets: [ofAnna, ofTest] }

test('a test has its own offset, else that of its participant, else none', () => {
  const find = appliedIn(analysis)
  expect(find({ participantId: 'anna', testId: 't1' })).toMatchObject({ dxPx: 1, dyPx: 2 })
  expect(find({ participantId: 'anna', testId: 't2' })).toMatchObject({ dxPx: 10, dyPx: -20 })
  expect(find({ participantId: 'bert', testId: 't3' })).toEqual({ dxPx: 0, dyPx: 0 })
  expect(appliedIn({})({ participantId: 'anna', testId: 't1' })).toEqual({ dxPx: 0, dyPx: 0 })
})

test('an offset replaces that of its subject and no other, and goes without the others', () => {
  const next = { ...ofAnna, dxPx: 5, source: 'clicks' } as const
  expect(withOffset(analysis, next)).toEqual({ filter: 'TRUE', offsets: [ofTest, next] })
  expect(withOffset({}, ofTest)).toEqual({ offsets: [ofTest] })
  expect(withoutOffset(analysis, { participantId: 'anna' })).toEqual({ filter: 'TRUE', offsets: [ofTest] })
  expect(ownOffset(analysis, { participantId: 'anna', testId: 't1' })).toBe(ofTest)
  expect(ownOffset(analysis, { participantId: 'anna', testId: 't2' })).toBeNull()
})

test('gaze goes from where it is to where it will be, in percent of the displayed item', () => {
  const display = { widthPx: 200, heightPx: 50 }
  expect(shiftPercent({ dxPx: 10, dyPx: 0 }, { dxPx: 30, dyPx: -5 }, display)).toEqual({ x: 10, y: -10 })
})
