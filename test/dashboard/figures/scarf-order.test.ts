import { expect, test } from 'vitest'
import type { Aoi, FixationRow, FixationsData } from '../../../dashboard/core/api.ts'
import { readScarf, type ScarfView, scarfQuery, USUAL_SCARF } from '../../../dashboard/core/view/scarf-view.ts'
import type { RowGroups } from '../../../dashboard/figures/scarf-order.ts'
import {
  drawableScarf,
  dwellMs,
  firstLookMs,
  fromZero,
  scarfOrderWords,
  scarfRange,
  scarfRows,
} from '../../../dashboard/figures/scarf-order.ts'

const fixation = (startMs: number, endMs: number, ...aois: number[]): FixationRow => [
  ...([50, 50, startMs, endMs, null, null, null] as const),
  ...aois,
]
type Test = FixationsData['tests'][number]
const of = (participantId: string, fixations: FixationRow[], events: [number, string][] = []): Test => ({
  ...{ testId: `test of ${participantId}`, participantId, fixations, events },
})
const names = new Map(['p1', 'p2', 'p10', 'p3'].map((id) => [id, id.toUpperCase()]))
const aois = [{ name: 'Logo' }, { name: 'Text' }] as Aoi[]

/** P1 looks at Text late and long, P2 never, P10 early and twice, P3 in between. */
const tests = [
  of('p10', [fixation(100, 200, 0), fixation(300, 400, 0, 1), fixation(900, 1050, 1)], [[250, 'cue']]),
  of('p2', [fixation(0, 900, 0)], [[50, 'other']]),
  of(
    'p1',
    [fixation(100, 700, 0), fixation(700, 1200, 1)],
    [
      [20, 'cue'],
      [40, 'cue'],
    ],
  ),
  of('p3', [fixation(500, 600, 1)]),
]
const groups: RowGroups = {
  label: 'Condition',
  groups: [['p10', 'p3'], ['p2']].map((ids, i) => ({ name: `g${i}`, ids: new Set(ids) })),
}
const view = (more: Partial<ScarfView>): ScarfView => ({ ...USUAL_SCARF, aoi: 1, ...more })
const idsOf = (some: ScarfView, groups: RowGroups | null = null) =>
  scarfRows(tests, some, names, groups).map(({ test }) => test.participantId)

test('first look and dwell time count every fixation in the AOI, also one that is in several', () => {
  expect(tests.map((each) => [firstLookMs(each, 1), dwellMs(each, 1)])).toEqual([
    [300, 250],
    [null, 0],
    [700, 500],
    [500, 100],
  ])
})

test('rows are by name, by first look or by dwell time, and those who never looked are last', () => {
  expect(idsOf(view({}))).toEqual(['p1', 'p2', 'p3', 'p10'])
  expect(idsOf(view({ order: 'first' }))).toEqual(['p10', 'p3', 'p1', 'p2'])
  expect(idsOf(view({ order: 'dwell' }))).toEqual(['p1', 'p10', 'p3', 'p2'])
})

test('rows by group keep the order of groups and names, and those in no group are last', () => {
  expect(idsOf(view({ order: { group: 'Condition' } }), groups)).toEqual(['p3', 'p10', 'p2', 'p1'])
})

test('rows from the first look have it at 0, and one without it is last and empty', () => {
  const rows = scarfRows(tests, view({ zero: 'first' }), names, null)
  expect(rows.map(({ test, zeroMs }) => [test.participantId, zeroMs])).toEqual([
    ['p1', 700],
    ['p3', 500],
    ['p10', 300],
    ['p2', null],
  ])
  const drawn = rows.map(fromZero)
  expect(drawn.map(({ fixations }) => fixations.map(([, , from, to]) => [from, to]))).toEqual([
    [
      [-600, 0],
      [0, 500],
    ],
    [[0, 100]],
    [
      [-200, -100],
      [0, 100],
      [600, 750],
    ],
    [],
  ])
  expect(drawn[0].events).toEqual([
    [-680, 'cue'],
    [-660, 'cue'],
  ])
  expect(scarfRange(rows, 1200)).toEqual({ fromMs: -700, untilMs: 900 })
})

test('rows from an event have its first one at 0', () => {
  const rows = scarfRows(tests, view({ zero: { event: 'cue' } }), names, null)
  expect(rows.map(({ test, zeroMs }) => [test.participantId, zeroMs])).toEqual([
    ['p1', 20],
    ['p10', 250],
    ['p2', null],
    ['p3', null],
  ])
})

test('the caption says the order, the alignment and how many stand at the end', () => {
  const words = (some: ScarfView) => scarfOrderWords(some, scarfRows(tests, some, names, null), aois, null)
  expect(words(view({}))).toBe('')
  expect(words(view({ order: 'first' }))).toBe(
    ' Rows by first look at 2 Text, earliest first, from item onset. 1 test never looked at it: at the end.',
  )
  expect(words(view({ order: 'dwell', zero: 'first' }))).toBe(
    ' Rows by total dwell time on 2 Text, longest first, from the first look at 2 Text. 1 test without that moment: at the end, empty.',
  )
  expect(words(view({ order: { group: 'Mood' } }))).toContain('since no attribute Mood makes groups here')
  const byGroup = view({ order: { group: 'Condition' } })
  const ofGroups = (known: RowGroups | undefined) =>
    scarfOrderWords(byGroup, scarfRows(tests, byGroup, names, known), aois, known)
  expect(ofGroups(groups)).toBe(
    ' Rows by Condition (g0, g1), then name, from item onset. 1 test in none of these groups: at the end.',
  )
  expect(ofGroups({ ...groups, groups: groups.groups.slice(0, 1) })).toContain(' 2 tests in none of these groups')
  expect(ofGroups(undefined)).toBe(' Rows by name, until all participants are loaded, from item onset.')
})

test('a link carries the arrangement, and is told what cannot be', () => {
  for (const some of [
    view({ order: 'first', zero: { event: 'cue: red' } }),
    view({ order: { group: 'Tag a' }, zero: 'first', aoi: 0 }),
    USUAL_SCARF,
  ]) {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(scarfQuery(some))) if (value !== null) query.set(name, value)
    expect(readScarf(query, 2)).toEqual({ scarf: some, refused: [] })
  }
  const { scarf, refused } = readScarf(new URLSearchParams('rows=size&zero=end&rowsAoi=3'), 2)
  expect(scarf).toEqual(USUAL_SCARF)
  expect(refused.map(({ name }) => name)).toEqual(['rows', 'zero', 'rowsAoi'])
  expect(readScarf(new URLSearchParams('rows=first'), 0).refused[0].rule).toContain('the item has no AOIs')
})

test('an arrangement that an item cannot have is told, and the rest of it stays', () => {
  const drawn = (some: ScarfView, aoiCount = 2) => drawableScarf(some, tests, aoiCount)
  const byCue = view({ order: 'dwell', zero: { event: 'cue' } })
  expect(drawn(byCue)).toEqual({ view: byCue, lack: '' })
  expect(drawn({ ...byCue, aoi: 2 })).toEqual({
    view: { order: 'name', zero: { event: 'cue' }, aoi: 0 },
    lack: ' The item has only 2 AOIs, no AOI 3.',
  })
  expect(drawn(view({ order: { group: 'Condition' }, zero: 'first' }), 0)).toEqual({
    view: { order: { group: 'Condition' }, zero: 'onset', aoi: 0 },
    lack: ' The item has no AOIs.',
  })
  expect(drawn(view({ order: 'first', zero: { event: 'gone' } }))).toEqual({
    view: view({ order: 'first' }),
    lack: ' No test has the event gone.',
  })
  expect(drawableScarf(view({ zero: 'first' }), [tests[1]], 2).lack).toBe(' Nobody looked at the AOI.')
})
