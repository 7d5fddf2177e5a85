import { expect, test } from 'vitest'
import {
  draftOf,
  type MappingJson,
  mappingOf,
  withRole,
} from '../../../../dashboard/pages/bring-in/choices/mapping-draft.ts'
import { samplePoints } from '../../../../dashboard/pages/bring-in/choices/sample-points.ts'
import { parseMapping } from '../../../../engine/recordings/reader/mapping.ts'

const FULL: MappingJson = {
  gazetteMapping: 1,
  rows: { column: 'kind', values: ['SMP', 'EYE'] },
  participant: 'who',
  item: 'what',
  trial: 'nr',
  time: { column: 't', unit: 'us', origin: 'first' },
  gaze: [
    { x: 'lx', y: 'ly', unit: 'percent', valid: { column: 'lv', values: ['1', '2'] } },
    { x: 'rx', y: 'ry', unit: 'percent', valid: { column: 'rv', least: 0.6 } },
  ],
  origin: 'center-y-down',
  missing: ['-1', '0'],
  mouse: { x: 'mx', y: 'my', unit: 'px' },
  scroll: 's',
  click: 'c',
  tags: ['group'],
  externalData: ['score', 'age'],
  comesAgain: 'same-test',
  screen: null,
  viewing: null,
}

test('a mapping that is shown and not changed is the same mapping, which the engine reads', () => {
  const small: MappingJson = {
    ...FULL,
    ...{
      rows: { column: 'kind', values: null },
      participant: null,
      trial: null,
      mouse: null,
      scroll: null,
      click: null,
    },
    ...{ gaze: [{ x: 'lx', y: 'ly', unit: 'px', valid: null }], missing: [], tags: [], externalData: [] },
  }
  const shared = FULL.gaze.map((eye) => ({ ...eye, valid: { column: 'lv', values: ['1'] } }))
  const eyes: MappingJson = {
    ...FULL,
    gaze: FULL.gaze.map((eye, i) => ({ ...eye, eye: i === 0 ? 'left' : 'right' })),
    pupils: { left: 'lp', right: null, unit: 'area_au' },
    eyeDistanceMm: { left: 'ld', right: 'rd' },
    events: 'message',
  }
  const together = { ...eyes, gaze: [{ ...FULL.gaze[0], x: 'x', y: 'y' }, ...eyes.gaze] }
  const named: MappingJson = { ...FULL, item: null, events: 'message', itemMessage: '^IMAGE (.+)$' }
  const codes: MappingJson = { ...FULL, missing: ['(-1280, -1024)', '0', '1e+08'] }
  const degrees: MappingJson = {
    ...FULL,
    gaze: FULL.gaze.map((eye) => ({ ...eye, unit: 'deg' })),
    viewing: { screenWidthCm: 53, viewingDistanceCm: 65.5 },
  }
  for (const given of [FULL, small, { ...FULL, gaze: shared }, eyes, together, named, codes, degrees]) {
    const { mapping, faults } = mappingOf(draftOf(given))
    expect([mapping, faults]).toEqual([given, []])
    expect(parseMapping(JSON.stringify(mapping), 'it')).toMatchObject(given)
  }
})

test('a meaning moves from one column to the other, but for those that many may have', () => {
  const draft = draftOf(FULL)
  expect(withRole(draft, 'other', 'time').roles).toMatchObject({ other: 'time' })
  expect(withRole(draft, 'other', 'time').roles.t).toBeUndefined()
  expect(withRole(draft, 'other', 'external').roles).toMatchObject({ score: 'external', other: 'external' })
  expect(withRole(draft, 't', null).roles.t).toBeUndefined()
})

test('each missing part of a mapping is reported in a sentence', () => {
  const unknown: MappingJson = {
    ...FULL,
    time: { ...FULL.time, column: '?' },
    gaze: [{ x: '?', y: '?', unit: '?', valid: null }],
  }
  const draft = { ...withRole(draftOf(unknown), 'v', 'valid'), missing: '-1, lost' }
  const { missing, faults } = mappingOf(withRole(draft, 'mx', null))
  expect(missing).toEqual([
    'Choose the column of the time.',
    'Gaze needs a column for x and one for y: choose both.',
    'The mouse needs a column for x and one for y: choose both, or neither.',
    'Choose the unit of gaze.',
    'Enter the texts of “v” that mean valid, separated by commas.',
  ])
  expect(faults).toEqual(['Numbers that mean lost must be numbers, separated by commas, not “lost”.'])
})

test('points are those of the import: rows that are samples, eyes that are valid, codes that mean lost', () => {
  const header = ['kind', 't', 'lx', 'ly', 'lv', 'rx', 'ry', 'rv']
  const rows = [
    ['SMP', '0', '-50', '-50', '1', '50,5', '50', '0,1'],
    ['SMP', '1', '0', '0', '1', '10', '20', '0,9'],
    ['MSG', '2', '1', '1', '1', '1', '1', '1'],
    ['EYE', '3', '0', '10', '2', '20', '30', '0,7'],
    ['EYE', '4', '80', 'x', '1', 'NA', '-', '1'],
  ]
  const found = samplePoints({ header, rows, decimalComma: true }, draftOf(FULL), { widthPx: 1000, heightPx: 500 })
  // The centre is (500, 250) px, and 1 % is 10 and 5 px.
  expect(found.points).toEqual([
    { x: 0, y: 0 },
    { x: 600, y: 350 },
    { x: 600, y: 350 },
  ])
  expect([found.samples, found.onScreen]).toEqual([4, 3])
  expect(found.noNumbers).toEqual([{ column: 'ly', row: 5, text: 'x' }])
})
