import type { ComponentChildren } from 'preact'
import { useHasListsPlace, useKept } from '../../core/view/places.ts'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { FoldPlace } from './fold-place.tsx'
import type { ItemListsProps } from './item-lists.tsx'
import './item-places.css'

const ItemLists = lazyPage(() => import('./item-lists.tsx').then((loaded) => loaded.ItemLists))

type ItemPlacesProps = ItemListsProps & {
  /** False if brackets mean something else on the page. */
  hasBrackets?: boolean
  children: ComponentChildren
}

/** Draws a page of an item; a wide window has lists of what can be looked at left of it, unless they are folded. */
export function ItemPlaces({ hasBrackets = true, children, ...of }: ItemPlacesProps) {
  const hasPlace = useHasListsPlace()
  const [isFolded, fold] = useKept('folded-lists')
  const button = (
    <FoldPlace
      what={of.who === undefined ? 'items' : 'items and participants'}
      isFolded={isFolded}
      shortcut={hasBrackets ? '[' : undefined}
      onFold={fold}
    />
  )
  return (
    <div class={hasPlace ? `places${isFolded ? ' folded-lists' : ''}` : undefined}>
      {hasPlace && <div class="place-lists">{isFolded ? button : <ItemLists {...of} fold={button} />}</div>}
      <div class="place-figure">{children}</div>
    </div>
  )
}
