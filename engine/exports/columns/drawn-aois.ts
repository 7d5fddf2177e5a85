import type { Aoi, Item, Study } from '../../model/study.ts'
import { type DescribedAois, describeAois, keepDescribed } from './aoi-identity.ts'
import { keepAoiText } from './test-context.ts'

/**
 * Drawn, unsaved AOIs of an item in the form in which they cross threads: as text, since thousands of points would take
 * long.
 */
export type DrawnAois = { text: string; described: DescribedAois }

/** Serializes the AOIs of an item for another thread. */
export function drawnAois({ aois }: Study, item: Item): DrawnAois {
  const own = aois.filter(({ itemId }) => itemId === item.id)
  return { text: JSON.stringify(own), described: describeAois(own, item) }
}

/**
 * Returns a study with the AOIs of an item replaced by drawn ones. These have ids and names; only exports know their
 * parts, as text from the other thread.
 */
export function withDrawnAois(study: Study, item: Item, { text, described }: DrawnAois): Study {
  const { ids, names } = described
  const own: Aoi[] = ids.map((id, i) => ({ id, itemId: item.id, name: names[i], parts: [] }))
  const drawn = placeAois(study, item.id, own)
  keepAoiText(drawn.aois, item, text)
  keepDescribed(drawn.aois, item, described)
  return drawn
}

/** Returns a study with the AOIs of one item replaced. */
export function placeAois(study: Study, itemId: string, own: Aoi[]): Study {
  const place = study.aois.findIndex((aoi) => aoi.itemId === itemId)
  const others = (from: number, to?: number): Aoi[] => study.aois.slice(from, to).filter((aoi) => aoi.itemId !== itemId)
  const aois = place < 0 ? [...study.aois, ...own] : [...others(0, place), ...own, ...others(place)]
  return { ...study, aois }
}
