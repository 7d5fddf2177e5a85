import type { Item, Study } from '../api.ts'
import type { Refused } from './chart-view.ts'

/** Reads the item that an address names; null for none, and for one that is not in the study, which is refused. */
export function readItem(query: URLSearchParams, { items }: Study): { item: Item | null; refused: Refused[] } {
  const named = query.get('item') || null
  const item = items.find(({ id }) => id === named?.toLowerCase()) ?? null
  const isRefused = named !== null && item === null
  return { item, refused: isRefused ? [{ name: 'item', value: named, rule: 'must be an item of the study' }] : [] }
}
