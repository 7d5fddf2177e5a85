import { compareNames } from '../../isomorphic/natural-order.ts'
import type { Aoi, FixationRow, FixationsData } from '../core/api.ts'
import { countOf, isolate } from '../core/number-texts.ts'
import { isOfAoi, type ScarfView } from '../core/view/scarf-view.ts'

type Test = FixationsData['tests'][number]

/** Groups of an attribute, in order, with the ids of their members. */
export type RowGroups = { label: string; groups: { name: string; ids: ReadonlySet<string> }[] }

/** Row of a scarf plot; `zeroMs` is the moment of its 0 s from item onset, null if it has no such moment. */
type ScarfRow = { test: Test; zeroMs: number | null }

/**
 * Returns the start of the first fixation in an AOI, in ms from item onset; null if there is none. A fixation in
 * several AOIs looks at each.
 */
export function firstLookMs({ fixations }: Pick<Test, 'fixations'>, aoi: number): number | null {
  return fixations.find((fixation) => isIn(fixation, aoi))?.[2] ?? null
}

/** Returns the sum of the durations of the fixations in an AOI, in whole ms. */
export function dwellMs({ fixations }: Pick<Test, 'fixations'>, aoi: number): number {
  return fixations.reduce((sum, fixation) => sum + (isIn(fixation, aoi) ? fixation[3] - fixation[2] : 0), 0)
}

function isIn([, , , , , , , ...inAois]: FixationRow, aoi: number): boolean {
  return inAois.includes(aoi)
}

/**
 * Returns the arrangement that an item's tests can have, and what it lacks of the one that was asked for, in words: the
 * item may have no such AOI, and no test such a moment.
 */
export function drawableScarf(view: ScarfView, tests: Test[], aoiCount: number): { view: ScarfView; lack: string } {
  const { order, zero, aoi } = view
  if (isOfAoi(view) && aoi >= aoiCount) {
    const rest: ScarfView = { ...view, aoi: 0, order: typeof order === 'object' ? order : 'name' }
    const words = aoiCount === 0 ? 'no AOIs' : `only ${countOf(aoiCount, 'AOI')}, no AOI ${aoi + 1}`
    const others = drawableScarf({ ...rest, zero: zero === 'first' ? 'onset' : zero }, tests, aoiCount)
    return { ...others, lack: ` The item has ${words}.${others.lack}` }
  }
  if (tests.length === 0 || tests.some((test) => zeroOf(test, view) !== null)) return { view, lack: '' }
  const lack =
    typeof zero === 'object' ? ` No test has the event ${isolate(zero.event)}.` : ' Nobody looked at the AOI.'
  return { view: { ...view, zero: 'onset' }, lack }
}

/**
 * Returns the rows of a scarf plot in order: ties in the natural order of names; last those without a look, a group or
 * a moment of 0 s.
 *
 * @param names of participants, by id; until all are known, rows by name are as given
 * @param groups of the attribute of `view.order`; null without one, undefined until it is known
 */
export function scarfRows(
  tests: Test[],
  view: ScarfView,
  names: Map<string, string>,
  groups: RowGroups | null | undefined,
): ScarfRow[] {
  const areNamed = tests.every(({ participantId }) => names.has(participantId))
  const named = areNamed
    ? tests.toSorted((one, other) => compareNames(names.get(one.participantId)!, names.get(other.participantId)!))
    : tests
  const rows = named.map((test) => ({ test, zeroMs: zeroOf(test, view), rank: rankOf(test, view, groups) }))
  const isLast = ({ zeroMs }: ScarfRow) => (zeroMs === null ? 1 : 0)
  return rows
    .sort((one, other) => isLast(one) - isLast(other) || (one.rank === other.rank ? 0 : one.rank - other.rank))
    .map(({ test, zeroMs }) => ({ test, zeroMs }))
}

function zeroOf(test: Test, { zero, aoi }: ScarfView): number | null {
  if (zero === 'onset') return 0
  if (zero === 'first') return firstLookMs(test, aoi)
  return (test.events ?? []).find(([, name]) => name === zero.event)?.[0] ?? null
}

/** Returns a number that is smaller for rows further up; infinite for those at the end. */
function rankOf(test: Test, { order, aoi }: ScarfView, groups: RowGroups | null | undefined): number {
  if (order === 'name') return 0
  if (order === 'first') return firstLookMs(test, aoi) ?? Number.POSITIVE_INFINITY
  if (order === 'dwell') return firstLookMs(test, aoi) === null ? Number.POSITIVE_INFINITY : -dwellMs(test, aoi)
  const place = groups ? placeIn(groups, test) : -1
  return place < 0 ? Number.POSITIVE_INFINITY : place
}

/** Returns the index of the group of a test's participant; -1 without one. */
function placeIn({ groups }: RowGroups, { participantId }: Test): number {
  return groups.findIndex(({ ids }) => ids.has(participantId))
}

/** Returns a test with its times from 0 s of its row; without fixations if the row has no such moment. */
export function fromZero({ test, zeroMs }: ScarfRow): Test {
  if (zeroMs === 0) return test
  if (zeroMs === null) return { ...test, fixations: [], events: [] }
  const moved = ([x, y, startMs, endMs, ...rest]: FixationRow) =>
    [x, y, startMs - zeroMs, endMs - zeroMs, ...rest] as FixationRow
  const events = (test.events ?? []).map(([tMs, name]): [number, string] => [tMs - zeroMs, name])
  return { ...test, fixations: test.fixations.map(moved), events }
}

/** Returns the range of time of rows, in ms from their 0 s. @param untilMs end from item onset */
export function scarfRange(rows: ScarfRow[], untilMs: number): { fromMs: number; untilMs: number } {
  const zeros = rows.flatMap(({ zeroMs }) => (zeroMs === null ? [] : [zeroMs]))
  if (zeros.length === 0) return { fromMs: 0, untilMs }
  const [least, most] = zeros.reduce(([low, high], ms) => [Math.min(low, ms), Math.max(high, ms)], [zeros[0], zeros[0]])
  return { fromMs: Math.min(0, -most), untilMs: Math.max(1, untilMs - least) }
}

/** Names the moment of 0 s. */
export function zeroWords({ zero, aoi }: ScarfView, aois: Aoi[]): string {
  if (zero === 'onset') return 'item onset'
  return zero === 'first' ? `the first look at ${aoiWords(aois, aoi)}` : `the event ${isolate(zero.event)}`
}

/**
 * Says the order and alignment of rows, and which stand at the end; '' for rows by name from item onset.
 *
 * @param isTold true to say that they are by name from item onset, too
 */
export function scarfOrderWords(
  view: ScarfView,
  rows: ScarfRow[],
  aois: Aoi[],
  groups: RowGroups | null | undefined,
  isTold = false,
): string {
  const { order, zero, aoi } = view
  if (order === 'name' && zero === 'onset' && !isTold) return ''
  const by = orderWords(view, aois, groups)
  const atEnd = (isAtEnd: (row: ScarfRow) => boolean, words: string) => {
    const n = rows.filter(isAtEnd).length
    return n === 0 ? '' : ` ${countOf(n, 'test')} ${words}`
  }
  // The same tests lack the moment, if it is that of the first look.
  const unseen =
    (order === 'first' || order === 'dwell') && zero !== 'first'
      ? atEnd(({ test }) => firstLookMs(test, aoi) === null, 'never looked at it: at the end.')
      : ''
  const ungrouped = groups ? atEnd(({ test }) => placeIn(groups, test) < 0, 'in none of these groups: at the end.') : ''
  const without = atEnd(({ zeroMs }) => zeroMs === null, 'without that moment: at the end, empty.')
  return ` Rows by ${by}, from ${zeroWords(view, aois)}.${unseen}${ungrouped}${without}`
}

function orderWords({ order, aoi }: ScarfView, aois: Aoi[], groups: RowGroups | null | undefined): string {
  if (order === 'name') return 'name'
  if (order === 'first') return `first look at ${aoiWords(aois, aoi)}, earliest first`
  if (order === 'dwell') return `total dwell time on ${aoiWords(aois, aoi)}, longest first`
  if (groups === undefined) return 'name, until all participants are loaded'
  if (groups === null) return `name, since no attribute ${isolate(order.group)} makes groups here`
  return `${isolate(groups.label)} (${groups.groups.map(({ name }) => isolate(name)).join(', ')}), then name`
}

function aoiWords(aois: Aoi[], aoi: number): string {
  return `${aoi + 1} ${isolate(aois[aoi]?.name ?? '')}`
}
