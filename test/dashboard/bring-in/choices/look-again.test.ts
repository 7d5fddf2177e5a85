import { describe, expect, test } from 'vitest'
import type { Role } from '../../../../dashboard/pages/bring-in/choices/column-meanings.ts'
import { lookAgain } from '../../../../dashboard/pages/bring-in/choices/look-again.ts'
import { draftOf, withRole } from '../../../../dashboard/pages/bring-in/choices/mapping-draft.ts'
import { tracePath } from '../../../../dashboard/pages/bring-in/choices/trace-path.ts'

const rows = Array.from({ length: 40 }, (_, i) => [
  ...[String(i), `${(i / 60).toFixed(4)}`.replace('.', ','), `2024-03-01 10:00:00.${String(i * 16).padStart(3, '0')}`],
  ...[`0,${400 + i}`, `0,${500 + i}`, String(i * 9 - 180), String(170 - i * 9), i % 4 ? '0' : '4', i % 4 ? '5' : ''],
  ...[i % 3 ? `3,${i}` : '0', String(1200 + i), `${i % 4 ? '' : '-'}0,${200 + i}`],
])
const table = {
  header: ['nr', 'Zeit', 'Uhr', 'fx', 'fy', 'cx', 'cy', 'code', 'seen', 'mm', 'area', 'around'],
  ...{ rows, decimalComma: true },
}

/** Gives roles to columns by hand, one after the other. */
function choose(roles: [string, Role][]) {
  return roles.reduce((draft, [column, role]) => lookAgain(table, draft, withRole(draft, column, role)), draftOf(null))
}

describe('a column with a role by hand is looked at', () => {
  test.each([
    ['Zeit', 's', 'item'],
    ['Uhr', 'iso', 'first'],
  ])('its unit of time: %s', (column, timeUnit, timeOrigin) => {
    expect(choose([[column, 'time']])).toMatchObject({ timeUnit, timeOrigin })
  })
  test.each([
    ['fx', 'fy', 'fraction', 'top-left'],
    ['cx', 'cy', 'px', 'center-y-up'],
    ['fx', 'around', '?', 'top-left'],
  ])('its unit and origin: %s', (x, y, unit, origin) => {
    const draft = choose([
      [x, 'x'],
      [y, 'y'],
    ])
    expect(draft).toMatchObject({ unit, origin })
  })
  test.each<[string, Role, object]>([
    ['mm', 'leftPupil', { pupilUnit: 'mm' }],
    ['area', 'rightPupil', { pupilUnit: '' }],
    ['fx', 'mouseX', { mouseUnit: 'fraction' }],
    ['nr', 'mouseX', { mouseUnit: 'px' }],
  ])('its unit: %s', (column, role, expected) => {
    const by: [string, Role][] = role === 'mouseX' ? [[column === 'fx' ? 'fy' : 'area', 'mouseY']] : []
    expect(choose([...by, [column, role]])).toMatchObject(expected)
  })
  test('its texts that come with gaze', () => {
    const { valid } = choose([
      ['seen', 'x'],
      ['code', 'valid'],
    ])
    expect(valid).toEqual({ is: 'values', text: '0' })
  })
})

test('the trace of a column has gaps, and a constant has none', () => {
  const small = {
    header: ['a', 'b'],
    rows: [
      ['0', '7'],
      ['1', '7'],
      ['', '7'],
      ['1', '7'],
    ],
    decimalComma: false,
  }
  expect(tracePath(small, 0)).toBe('M0.0 17.0L30.0 1.0M90.0 1.0')
  expect(tracePath(small, 1)).toBe('')
})
