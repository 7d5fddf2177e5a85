import { useState } from 'preact/hooks'
import type { Item } from '../core/api.ts'

/** The address of an item's picture; null when its name is none of a picture. */
export function imageOf(studyId: string, { id, filename }: Pick<Item, 'id' | 'filename'>): string | null {
  return /\.(svg|png|jpe?g|gif|webp|avif)$/i.test(filename) ? `/api2/studies/${studyId}/items/${id}/image` : null
}

/** A small picture of an item, or that there is none: never a broken one. */
export function ItemPicture({
  studyId,
  item,
  width,
  height,
}: {
  studyId: string
  item: Item
  width: number
  height: number
}) {
  const href = imageOf(studyId, item)
  const [isThere, setIsThere] = useState(href !== null)
  return isThere && href !== null ? (
    <img src={href} alt="" loading="lazy" width={width} height={height} onError={() => setIsThere(false)} />
  ) : (
    <span class="no-picture">no picture</span>
  )
}
