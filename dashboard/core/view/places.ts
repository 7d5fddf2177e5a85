import { useEffect, useState } from 'preact/hooks'
import { useIsView } from '../link-seen.ts'

/** Windows on which lists have room left of the figure, as a media query. */
const ROOMY = '(min-width: 1600px)'

/** Windows on which settings lie below the figure, folded along the lower edge. */
const NARROW = '(max-width: 1080px)'

/** Returns whether the window fits a media query; a change of the window is followed. */
function useMedia(wanted: string): boolean {
  const [isMet, setIsMet] = useState(() => matchMedia(wanted).matches)
  useEffect(() => {
    const media = matchMedia(wanted)
    const follow = () => setIsMet(media.matches)
    media.addEventListener('change', follow)
    // The window may have changed since the first drawing.
    follow()
    return () => media.removeEventListener('change', follow)
  }, [wanted])
  return isMet
}

/** Returns whether the window has room for three places; a change of the window is followed. */
export function useHasRoom(): boolean {
  return useMedia(ROOMY)
}

/** Folds that a browser keeps for all pages; each is off at first. */
type Kept = 'folded-lists' | 'folded-settings' | 'all-items'

const listeners = new Set<() => void>()
const keyOf = (name: Kept) => `gazette-${name}`
const isKept = (name: Kept) => localStorage.getItem(keyOf(name)) !== null

/** Returns whether something is folded or unfolded, and what changes that. */
export function useKept(name: Kept): [isOn: boolean, set: (isOn: boolean) => void] {
  const [isOn, setIsOn] = useState(() => isKept(name))
  useEffect(() => {
    const follow = () => setIsOn(isKept(name))
    listeners.add(follow)
    return () => {
      listeners.delete(follow)
    }
  }, [name])
  const set = (next: boolean) => {
    if (next) localStorage.setItem(keyOf(name), 'yes')
    else localStorage.removeItem(keyOf(name))
    for (const listener of listeners) listener()
  }
  return [isOn, set]
}

/**
 * Returns whether settings are folded, and what folds or unfolds them: on a narrow screen they begin folded on each
 * page, on a wide one they are as they were left.
 */
export function useFoldedSettings(): [isFolded: boolean, fold: (isFolded: boolean) => void] {
  const isNarrow = useMedia(NARROW)
  const below = useState(true)
  const beside = useKept('folded-settings')
  return isNarrow ? below : beside
}

/** Returns whether the window has room for lists left of the figure. A link to one page has no choice of them. */
export function useHasListsPlace(): boolean {
  const isView = useIsView()
  return useHasRoom() && !isView
}

/** Returns whether items and participants are listed left of the figure, in place of their choices elsewhere. */
export function useHasLists(): boolean {
  const [isFolded] = useKept('folded-lists')
  return useHasListsPlace() && !isFolded
}

/** Query parameters that belong to one item. */
const OF_ITEM = ['aois', 't', 'test', 'rowsAoi']

/**
 * Returns the address of the page that is shown, for another item: of a page of an item, or of one whose query has the
 * item.
 */
export function onItem({ path, query }: { path: string; query: URLSearchParams }, itemId: string): string {
  const next = new URLSearchParams(query)
  for (const name of OF_ITEM) next.delete(name)
  const isOfItem = /\/items\/[^/]+/.test(path)
  if (!isOfItem) next.set('item', itemId)
  const text = next.toString()
  return path.replace(/\/items\/[^/]+/, `/items/${itemId}`) + (text === '' ? '' : `?${text}`)
}
