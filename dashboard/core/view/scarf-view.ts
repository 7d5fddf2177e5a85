import { isolate } from '../number-texts.ts'
import type { Refused } from './chart-view.ts'

/** Order of the rows of a scarf plot; the group is named by the attribute that makes it. */
type ScarfOrder = 'name' | 'first' | 'dwell' | { group: string }
/** Moment at which the rows of a scarf plot have 0 s; the event is named. */
type ScarfZero = 'onset' | 'first' | { event: string }

/** Arrangement of a scarf plot's rows. `aoi` is the index of the AOI of first looks and dwell time. */
export type ScarfView = { order: ScarfOrder; zero: ScarfZero; aoi: number }

export const USUAL_SCARF: ScarfView = { order: 'name', zero: 'onset', aoi: 0 }

/** Parameters of an address that arrange a scarf plot's rows. */
export const SCARF_NAMES = ['rows', 'zero', 'rowsAoi'] as const

/**
 * Reads the arrangement of a scarf plot from an address: `rows`, `zero` and `rowsAoi`, the number of an AOI.
 *
 * @param aoiCount of the item; null where the arrangement is for several items
 */
export function readScarf(query: URLSearchParams, aoiCount: number | null): { scarf: ScarfView; refused: Refused[] } {
  const hasAois = aoiCount === null || aoiCount > 0
  const refused: Refused[] = []
  const refuse = (name: string, rule: string) => refused.push({ name, value: query.get(name) ?? '', rule })
  const order = (): ScarfOrder => {
    const text = query.get('rows')
    if (text === null || text === 'name') return 'name'
    if (text.startsWith('group:')) return { group: text.slice('group:'.length) }
    if ((text === 'first' || text === 'dwell') && hasAois) return text
    refuse('rows', `must be name, group: with an attribute${hasAois ? ', first or dwell' : '; the item has no AOIs'}`)
    return 'name'
  }
  const zero = (): ScarfZero => {
    const text = query.get('zero')
    if (text === null || text === 'onset') return 'onset'
    if (text.startsWith('event:')) return { event: text.slice('event:'.length) }
    if (text === 'first' && hasAois) return text
    refuse('zero', `must be onset, event: with a name${hasAois ? ', or first' : '; the item has no AOIs'}`)
    return 'onset'
  }
  const aoi = (): number => {
    const text = query.get('rowsAoi')
    if (text === null) return 0
    const place = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0
    if (place >= 1 && place <= (aoiCount ?? place)) return place - 1
    refuse('rowsAoi', `must be the number of an AOI, ${aoiCount === null ? 'from 1' : `1 to ${aoiCount}`}`)
    return 0
  }
  return { scarf: { order: order(), zero: zero(), aoi: aoi() }, refused }
}

/** Returns an arrangement as changes of the address; null for what is as usual. */
export function scarfQuery(scarf: ScarfView): Record<(typeof SCARF_NAMES)[number], string | null> {
  const [rows, zero] = [orderText(scarf), zeroText(scarf)]
  return {
    rows: rows === 'name' ? null : rows,
    zero: zero === 'onset' ? null : zero,
    rowsAoi: scarf.aoi === 0 || !isOfAoi(scarf) ? null : String(scarf.aoi + 1),
  }
}

/** Returns whether order or alignment depend on the AOI. */
export function isOfAoi({ order, zero }: ScarfView): boolean {
  return order === 'first' || order === 'dwell' || zero === 'first'
}

/** Returns the order as text, such as "group:age", as an address has it. */
export function orderText({ order }: ScarfView): string {
  return typeof order === 'object' ? `group:${order.group}` : order
}

/** Returns the moment of 0 s as text, such as "event:cue", as an address has it. */
export function zeroText({ zero }: ScarfView): string {
  return typeof zero === 'object' ? `event:${zero.event}` : zero
}

/** Returns an arrangement as text, as a query has it; '' for the usual one. */
export function scarfText(scarf: ScarfView): string {
  const told = Object.entries(scarfQuery(scarf)).filter((each): each is [string, string] => each[1] !== null)
  return new URLSearchParams(told).toString()
}

/** Says an arrangement in a few words, without names of AOIs: "rows by first look at AOI 2, from the event cue". */
export function arrangementWords({ order, zero, aoi }: ScarfView): string {
  const by = {
    name: 'name',
    first: `first look at AOI ${aoi + 1}`,
    dwell: `dwell time on AOI ${aoi + 1}`,
  }
  const from = zero === 'onset' ? 'item onset' : `the first look at AOI ${aoi + 1}`
  return `rows by ${typeof order === 'object' ? isolate(order.group) : by[order]}, from ${typeof zero === 'object' ? `the event ${isolate(zero.event)}` : from}`
}
