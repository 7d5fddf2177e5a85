import { useEffect, useState } from 'preact/hooks'

/** State of the page as the address carries it: path and query. */
type Place = { path: string; query: URLSearchParams; search: string }

const listeners = new Set<() => void>()

function placeNow(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search), search: location.search }
}

export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  for (const listener of listeners) listener()
  if (!replace) window.scrollTo(0, 0)
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow)
  useEffect(() => {
    const update = () => setPlace(placeNow())
    // The address may have changed between render and effect.
    if (location.pathname !== place.path || location.search !== place.search) update()
    listeners.add(update)
    window.addEventListener('popstate', update)
    return () => {
      listeners.delete(update)
      window.removeEventListener('popstate', update)
    }
  }, [])
  return place
}

/** Sets query parameters in place; null and '' remove one. */
export function setQuery(changes: Record<string, string | null>): void {
  navigate(pathWith(changes), { replace: true })
}

/** Returns path and query of the page with some parameters changed, in ASCII: its length is its size in bytes. */
export function pathWith(changes: Record<string, string | null>): string {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  return location.pathname + (text === '' ? '' : `?${text}`)
}

/** Follows a link within the dashboard without reloading the page, unless a new tab is wanted. */
export function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest('a')
  if (link === null || event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  if (link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return
  if (/^\/(api2|ops|docs)(\/|$)/.test(link.pathname) || link.getAttribute('href')?.startsWith('#')) return
  // The browser itself scrolls to a fragment of the current page.
  if (link.hash !== '' && link.pathname === location.pathname && link.search === location.search) return
  event.preventDefault()
  navigate(link.pathname + link.search + link.hash)
}
