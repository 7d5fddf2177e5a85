import { expect, test } from 'vitest'
import type { Aoi, Item, Study } from '../../../engine/model/study.ts'
import { studyDifferences } from '../../../engine/study/study-differences.ts'

const item = (id: string, filename: string, more: Partial<Item> = {}): Item => ({
  id,
  filename,
  cdnUrl: '',
  type: '',
  stimuliDurationMs: null,
  widthPx: null,
  heightPx: null,
  ...more,
})
const box = (xPx: number, yPx: number, widthPx: number) => ({
  areaPoints: { topLeft: { xPx, yPx }, bottomRight: { xPx: xPx + widthPx, yPx: yPx + 5 } },
})
const aoi = (id: string, name: string, part: Aoi['parts'][number], more: Partial<Aoi> = {}): Aoi => ({
  id,
  itemId: 'a',
  name,
  parts: [part],
  ...more,
})
const study = (more: Partial<Study> = {}): Study => ({
  id: 's',
  name: 'Menus',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  items: [item('a', 'advert.svg'), item('b', 'shop.svg')],
  aois: [aoi('1', 'Logo', box(0, 0, 10)), aoi('2', 'Price', box(50, 50, 10))],
  ...more,
})

test.each<[string, Partial<Study>, string[]]>([
  ['nothing', {}, []],
  ['a name', { name: 'Cards' }, ['renamed from “Menus” to “Cards”']],
  ['the archive', { isArchived: true }, ['archived']],
  ['a project', { project: 'Pilots' }, ['put into project “Pilots”']],
  ['a licence', { about: { license: 'CC0-1.0' } }, ['licence set to “CC0-1.0”']],
  [
    'the description and equipment',
    { about: { authors: [{ name: 'Lab' }] }, recording: { viewingDistanceCm: 65, model: 'X' } },
    ['authors added', 'model of the eye tracker set to “X”', 'viewing distance set to 65 cm'],
  ],
  ['the flow', { steps: [{ type: 'countdown' }] }, ['flow changed from 0 to 1 steps']],
  [
    'items',
    { items: [item('b', 'shelf.svg'), item('a', 'advert.svg', { widthPx: 9 }), item('c', 'new.svg')] },
    [
      'item “shop.svg” renamed to “shelf.svg”',
      'item “advert.svg”: width set to 9 px',
      'item “new.svg” added',
      'items reordered',
    ],
  ],
  ['an item that goes with its AOIs', { items: [item('b', 'shop.svg')], aois: [] }, ['item “advert.svg” removed']],
  [
    'AOIs',
    {
      aois: [
        aoi('1', 'Logo', box(3, 4, 10)),
        aoi('2', 'Cost', box(50, 50, 11), { tags: ['brand'] }),
        aoi('3', 'Copy', box(0, 0, 1)),
      ],
    },
    [
      'AOI “Logo” of “advert.svg” moved',
      'AOI “Price” of “advert.svg” renamed to “Cost”',
      'AOI “Price” of “advert.svg” tagged “brand”',
      'AOI “Price” of “advert.svg” redrawn',
      'AOI “Copy” of “advert.svg” added',
    ],
  ],
  [
    'the times of an AOI',
    {
      aois: [
        aoi('1', 'Logo', { ...box(3, 4, 10), timeRange: { fromMs: 0, toMs: 100 } }),
        aoi('2', 'Price', { ...box(50, 50, 10), timeRange: { fromMs: 0, toMs: 100 } }),
      ],
    },
    ['AOI “Logo” of “advert.svg” redrawn', 'AOI “Price” of “advert.svg” shown at other times'],
  ],
])('a history says what differs: %s', (_, more, expected) => {
  expect(studyDifferences(study(), study(more))).toEqual(expected)
})

test('a history counts the differences beyond twelve lines', () => {
  const aois = Array.from({ length: 20 }, (_, i) => aoi(`n${i}`, `N${i}`, box(i, i, 1)))
  const lines = studyDifferences(study({ aois: [] }), study({ aois }))
  expect([lines.length, lines[11]]).toEqual([12, '9 further differences'])
})

test('a study that moves between projects, or out of one, says from where', () => {
  const [one, other] = [study({ project: 'Pilots' }), study({ project: 'Main' })]
  expect(studyDifferences(one, other)).toEqual(['moved from project “Pilots” to “Main”'])
  expect(studyDifferences(one, study())).toEqual(['taken out of project “Pilots”'])
})

test('a change says from what to what, what was removed, and all that happened to an item and an AOI', () => {
  const before = study({
    recording: { viewingDistanceCm: 60, screenWidthPx: 1920 },
    about: { license: 'CC0-1.0', description: 'Old' },
    steps: [{ type: 'a' }, { type: 'b' }],
    aois: [aoi('1', 'Logo', box(0, 0, 10), { tags: ['brand'] })],
  })
  const after = study({
    recording: { viewingDistanceCm: 65 },
    about: { license: 'CC-BY-4.0', description: 'New' },
    steps: [{ type: 'b' }, { type: 'a' }],
    items: [item('a', 'new.svg', { widthPx: 10, stimuliDurationMs: 500 }), item('b', 'shop.svg')],
    aois: [{ ...aoi('1', 'Logo', box(0, 0, 10)), parts: [box(0, 0, 10), box(20, 0, 10)] }],
  })
  expect(studyDifferences(before, after)).toEqual([
    'description changed',
    'licence changed from “CC0-1.0” to “CC-BY-4.0”',
    'screen width in px removed',
    'viewing distance changed from 60 cm to 65 cm',
    'steps of the flow reordered',
    'item “advert.svg” renamed to “new.svg”',
    'item “new.svg”: duration set to 500 ms',
    'item “new.svg”: width set to 10 px',
    'AOI “Logo” of “new.svg” no longer tagged “brand”',
    'AOI “Logo” of “new.svg” redrawn, with 2 parts instead of 1',
  ])
})
