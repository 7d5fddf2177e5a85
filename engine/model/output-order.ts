import { groupBy } from '../../isomorphic/group-by.ts'
import type { Aoi, Item, Study } from './study.ts'

/**
 * Returns items in the order of output: by their first step in the flow, all others after them in the order of
 * study.json.
 */
export function itemsInOrder({ steps, items }: Pick<Study, 'steps' | 'items'>): Item[] {
  const known = new Map(items.map((item) => [item.id, item]))
  const shown = steps.map(itemShownBy).filter((id) => id !== null && known.has(id)) as string[]
  return [...new Set([...shown, ...known.keys()])].map((id) => known.get(id)!)
}

/** Returns the id of the item that a step of the flow shows; null for none. */
export function itemShownBy(step: unknown): string | null {
  const { type, stimuli } = (step ?? {}) as { type?: unknown; stimuli?: { id?: unknown } | null }
  return type === 'stimuli' && typeof stimuli?.id === 'string' ? stimuli.id.toLowerCase() : null
}

/** Groups AOIs by the id of their item, in the order of study.json; an item without AOIs is not in it. */
export function aoisByItem(aois: Aoi[]): Map<string, Aoi[]> {
  return groupBy(aois, ({ itemId }) => itemId)
}
