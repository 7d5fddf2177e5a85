import { expect, test } from 'vitest'
import type { Participant } from '../../dashboard/core/api.ts'
import { isolate, result } from '../../dashboard/core/number-texts.ts'
import { csvOf } from '../../dashboard/core/numbers-csv.ts'
import { arrange, tellOf } from '../../dashboard/core/people/people-order.ts'
import { faultOf, readView } from '../../dashboard/core/view/chart-view.ts'
import {
  isInPolygon,
  placeTags,
  spreadDots,
  TAG_HEIGHT,
  TAG_WIDTH,
  type TagPart,
  tagCenter,
} from '../../dashboard/figures/aoi-tags.ts'

const read = (query: string, aoiCount = 12) => readView(new URLSearchParams(query), { isOne: false, aoiCount })

const ID = '00000000-0000-4000-8000-000000000001'

test('a link without a view has a heatmap that weighs every participant equally, on a scale of its own', () => {
  const { view, refused } = read('')
  expect(refused).toEqual([])
  expect(view.layers).toEqual({ gaze: false, scanpath: false, heatmap: true, fog: false, aois: false })
  expect([view.of, view.weighting, view.heat.max]).toEqual(['gazes', 'participants', null])
  expect(view.chosen).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

test('a view that a link can carry is read as it was meant', () => {
  const { view, refused } = read(
    'layers=gaze.aois&of=fixations&weighting=participants&kernel=4&colors=glow&opacity=60&max=0.25&aois=3.12.1',
  )
  expect(refused).toEqual([])
  expect(view).toEqual({
    layers: { gaze: true, scanpath: false, heatmap: false, fog: false, aois: true },
    of: 'fixations',
    weighting: 'participants',
    heat: { kernel: 4, colors: 'glow', opacity: 0.6, max: 0.25, fog: null },
    chosen: [0, 2, 11],
    plotted: null,
  })
  expect(read('layers=none').view.layers).toEqual({
    gaze: false,
    scanpath: false,
    heatmap: false,
    fog: false,
    aois: false,
  })
  const fog = read('layers=fog&fog=light').view
  expect([fog.layers.fog, fog.layers.heatmap, fog.heat.fog, fog.heat.opacity]).toEqual([true, false, 'light', 1])
})

test.each([
  ['layers', 'nonsense'],
  ['layers', 'heatmap.nonsense'],
  ['layers', 'heatmap.fog'],
  ['fog', 'green'],
  ['plots', 'P1'],
  ['plots', `${ID}.${ID}`],
  ['layers', ''],
  ['of', 'mice'],
  ['weighting', 'none'],
  ['kernel', '99'],
  ['kernel', 'wide'],
  ['colors', 'rainbow'],
  ['opacity', '0'],
  ['max', '-1'],
  ['aois', '0'],
  ['aois', '13'],
  ['aois', '1.1'],
  ['aois', '1.2.3.4.5.6.7.8.9'],
])('a link with %s=%s is told so, by name, value and rule, and the default is drawn', (name, value) => {
  const { view, refused } = read(`${name}=${value}`)
  expect(refused).toEqual([{ name, value, rule: expect.stringMatching(/^must be /) }])
  expect(view).toEqual(read('').view)
})

test('a setting that is out of range, not a number, or half of one is refused with its rule', () => {
  const range = { min: 20, max: 300, unit: 'ms', kind: 'int' as const }
  expect(faultOf(range, '20')).toBeNull()
  for (const text of ['', ' ', '19', '301', '20.5', 'x', 'Infinity'])
    expect(faultOf(range, text)).toBe('must be a whole number from 20 to 300 ms')
  expect(faultOf({ ...range, kind: 'float' }, '20.5')).toBeNull()
})

const box = (aoi: number, left: number, top: number, width: number, height: number): TagPart => ({
  aoi,
  corners: [
    [left, top],
    [left + width, top],
    [left + width, top + height],
    [left, top + height],
  ],
})

test('each part of an AOI carries its number, on itself and on no other AOI', () => {
  const parts: TagPart[] = [
    // One AOI left and right of another: the box of both parts would begin on neither, or on the other.
    box(0, 10, 200, 100, 80),
    box(0, 500, 40, 100, 80),
    box(1, 200, 40, 100, 240),
    // A corner whose box has its top left outside of it.
    {
      aoi: 2,
      corners: [
        [400, 300],
        [600, 300],
        [600, 460],
      ],
    },
    // Inside another one.
    box(3, 210, 50, 60, 60),
  ]
  const tags = placeTags(parts, 700, 500)
  expect(tags.length).toBe(parts.length)
  for (const [p, tag] of tags.entries()) {
    expect(isInPolygon(parts[p].corners, tagCenter(tag))).toBe(true)
    const onOthers = parts.filter(({ aoi, corners }) => aoi !== parts[p].aoi && isInPolygon(corners, tagCenter(tag)))
    // The inner one lies on the outer one wherever it stands.
    expect(onOthers.length).toBe(p === 4 ? 1 : 0)
  }
  expect(tags[0][0]).toBeCloseTo(10, 1)
  expect(tags[0][1]).toBeCloseTo(200, 1)
})

test('numbers of AOIs that share a corner do not cover each other', () => {
  const tags = placeTags([box(0, 0, 0, 200, 100), box(1, 0, 0, 200, 100), box(2, 0, 0, 200, 100)], 200, 100)
  for (const [i, [x, y]] of tags.entries())
    for (const [otherX, otherY] of tags.slice(0, i))
      expect(Math.abs(x - otherX) >= TAG_WIDTH || Math.abs(y - otherY) >= TAG_HEIGHT).toBe(true)
})

test('dots of AOIs that lie upon each other move apart, towards the middle', () => {
  expect(
    spreadDots(
      [
        [50, 40],
        [50, 40],
        [290, 40],
        [285, 41],
        [50, 90],
      ],
      26,
      300,
    ),
  ).toEqual([
    [50, 40],
    [76, 40],
    [290, 40],
    [259, 41],
    [50, 90],
  ])
})

test('numbers saved as a file disarm what a spreadsheet would run, names of columns too, and leave numbers alone', () => {
  const file = csvOf({
    columns: ['participant', '=cmd', 'x'],
    rows: [
      ['=2+3', '@x', -1.5],
      ['+1', '-1', null],
      ['a, "b"', 'plain', 0],
    ],
  })
  expect(file).toBe('participant,\'=cmd,x\n\'=2+3,\'@x,-1.5\n\'+1,-1,\n"a, ""b""",plain,0\n')
})

test('a name that runs the other way keeps its direction to itself, and cannot turn what follows', () => {
  expect(isolate('shelf-03.svg')).toBe('shelf-03.svg')
  expect(isolate('שלט')).toBe('\u2068שלט\u2069')
  expect(isolate('a\u202etxt')).toBe('\u2068atxt\u2069')
})

test('results keep every digit before the point', () => {
  expect([1804.5, 12345, 102.25, 3176.4567].map(result)).toEqual(['1,804.5', '12,345', '102.25', '3,176.457'])
  expect([0.123456, 0.00012345, -0.5, 0].map(result)).toEqual(['0.123', '0.000123', '-0.5', '0'])
})

const person = (id: string, externalId: string, age: number | null, grades: (number | null)[]): Participant => ({
  id,
  externalId,
  createdAt: '',
  displayName: `Name of ${externalId}`,
  age,
  displayGender: 'unknown',
  qualityGrade: 3,
  isCompleted: true,
  tags: [],
  externalData: {},
  grades,
})

test('participants are found by name or id, and sorted as people count, with what is missing last', () => {
  const listed = [person('a', 'P10', 30, [1, null]), person('b', 'P9', null, [6, 2]), person('c', 'P1', 20, [null, 5])]
  const people = tellOf(listed, 'grade', new Map())
  const ids = (list: Participant[]) => list.map(({ id }) => id).join('')
  expect(ids(arrange(people, '', { by: 'given', isDescending: false }))).toBe('abc')
  expect(ids(arrange(people, '', { by: 'name', isDescending: false }))).toBe('cba')
  expect(ids(arrange(people, '', { by: 'age', isDescending: false }))).toBe('cab')
  expect(ids(arrange(people, '', { by: 'age', isDescending: true }))).toBe('acb')
  expect(ids(arrange(people, '', { by: 0, isDescending: true }))).toBe('bac')
  const losses = new Map([['b', { medianPercents: 12.5, ofItems: [20, 5] }]])
  const lost = tellOf(listed, 'loss', losses)
  expect(lost.map(({ told, toldOfItems }) => [told, toldOfItems])).toEqual([
    [null, [null, null]],
    [12.5, [20, 5]],
    [null, [null, null]],
  ])
  expect(ids(arrange(lost, '', { by: 'told', isDescending: false }))).toBe('bac')
  expect(ids(arrange(people, 'name of p1', { by: 'name', isDescending: false }))).toBe('ca')
})
