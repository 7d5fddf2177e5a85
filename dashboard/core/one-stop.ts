import { useEffect, useRef } from 'preact/hooks'

const KEYS = ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft', 'Home', 'End']

/** Leaves one of the stops within Tab's way: the focused one, or the one that was, or the first. */
export function leaveOneStop(stops: HTMLElement[]): void {
  const kept = stops.find((stop) => stop === document.activeElement) ?? stops.find(({ tabIndex }) => tabIndex === 0)
  for (const stop of stops) stop.tabIndex = stop === (kept ?? stops[0]) ? 0 : -1
}

/** Makes a list one tab stop, within which arrow keys, Home and End move. @returns properties of the list */
export function useOneStop<T extends HTMLElement>(selector = 'a, button') {
  const list = useRef<T | null>(null)
  const stopsNow = () => [...(list.current?.querySelectorAll<HTMLElement>(selector) ?? [])]
  useEffect(() => leaveOneStop(stopsNow()))
  const onKeyDown = (event: KeyboardEvent) => {
    const stops = stopsNow()
    const at = stops.indexOf(event.target as HTMLElement)
    if (at < 0 || !KEYS.includes(event.key)) return
    event.preventDefault()
    const last = stops.length - 1
    const next = { Home: 0, End: last, ArrowDown: at + 1, ArrowRight: at + 1 }[event.key] ?? at - 1
    stops[Math.max(0, Math.min(last, next))].focus()
  }
  return { ref: list, onKeyDown, onFocusIn: () => leaveOneStop(stopsNow()) }
}
