import type { ComponentChildren } from 'preact'
import { useHasLists } from '../../core/view/places.ts'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import type { ItemListsProps } from './item-lists.tsx'
import './item-places.css'

const ItemLists = lazyPage(() => import('./item-lists.tsx').then((loaded) => loaded.ItemLists))

/** Draws a page of an item; a wide window has lists of what can be looked at left of it. */
export function ItemPlaces({ children, ...of }: ItemListsProps & { children: ComponentChildren }) {
  const hasLists = useHasLists()
  return (
    <div class={hasLists ? 'places' : undefined}>
      {hasLists && (
        <div class="place-lists">
          <ItemLists {...of} />
        </div>
      )}
      <div class="place-figure">{children}</div>
    </div>
  )
}
