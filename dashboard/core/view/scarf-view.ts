import type { Refused } from './chart-view.ts'

/** Order of the rows of a scarf plot; the group is named by the attribute that makes it. */
export type ScarfOrder = 'name' | 'first' | 'dwell' | { group: string }
/** Moment at which the rows of a scarf plot have 0 s; the event is named. */
export type ScarfZero = 'onset' | 'first' | { event: string }

/** Arrangement of a scarf plot's rows. `aoi` is the index of the AOI of first looks and dwell time. */
export type ScarfView = { order: ScarfOrder; zero: ScarfZero; aoi: number }

export const USUAL_SCARF: ScarfView = { order: 'name', zero: 'onset', aoi: 0 }

/** Reads the arrangement of a scarf plot from an address: `rows`, `zero` and `rowsAoi`, the number of an AOI. */
export function readScarf(query: URLSearchParams, aoiCount: number): { scarf: ScarfView; refused: Refused[] } {
  const refused: Refused[] = []
  const refuse = (name: string, rule: string) => refused.push({ name, value: query.get(name) ?? '', rule })
  const order = (): ScarfOrder => {
    const text = query.get('rows')
    if (text === null || text === 'name') return 'name'
    if (text.startsWith('group:')) return { group: text.slice('group:'.length) }
    if ((text === 'first' || text === 'dwell') && aoiCount > 0) return text
    refuse(
      'rows',
      `must be name, group: with an attribute${aoiCount > 0 ? ', first or dwell' : '; the item has no AOIs'}`,
    )
    return 'name'
  }
  const zero = (): ScarfZero => {
    const text = query.get('zero')
    if (text === null || text === 'onset') return 'onset'
    if (text.startsWith('event:')) return { event: text.slice('event:'.length) }
    if (text === 'first' && aoiCount > 0) return text
    refuse('zero', `must be onset, event: with a name${aoiCount > 0 ? ', or first' : '; the item has no AOIs'}`)
    return 'onset'
  }
  const aoi = (): number => {
    const text = query.get('rowsAoi')
    if (text === null) return 0
    const place = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0
    if (place >= 1 && place <= aoiCount) return place - 1
    refuse('rowsAoi', `must be the number of an AOI, 1 to ${aoiCount}`)
    return 0
  }
  return { scarf: { order: order(), zero: zero(), aoi: aoi() }, refused }
}

/** Returns an arrangement as changes of the address; null for what is as usual. */
export function scarfQuery({ order, zero, aoi }: ScarfView): Record<'rows' | 'zero' | 'rowsAoi', string | null> {
  const rows = typeof order === 'object' ? `group:${order.group}` : order
  const at = typeof zero === 'object' ? `event:${zero.event}` : zero
  return {
    rows: rows === 'name' ? null : rows,
    zero: at === 'onset' ? null : at,
    rowsAoi: aoi === 0 ? null : String(aoi + 1),
  }
}
