import { useEffect, useState } from 'preact/hooks'
import { useIsView } from '../link-seen.ts'

/** Windows on which lists have room left of the figure, as a media query. */
const ROOMY = '(min-width: 1600px)'

/** Returns whether the window has room for three places; a change of the window is followed. */
export function useHasRoom(): boolean {
  const [hasRoom, setHasRoom] = useState(() => matchMedia(ROOMY).matches)
  useEffect(() => {
    const roomy = matchMedia(ROOMY)
    const follow = () => setHasRoom(roomy.matches)
    roomy.addEventListener('change', follow)
    return () => roomy.removeEventListener('change', follow)
  }, [])
  return hasRoom
}

/**
 * Returns whether items and participants are listed left of the figure, in place of their choices elsewhere. A link to
 * one page has no choice of them.
 */
export function useHasLists(): boolean {
  const isView = useIsView()
  return useHasRoom() && !isView
}

/** Query parameters that belong to one item. */
const OF_ITEM = ['aois', 't', 'test']

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
