import { useEffect, useState } from 'preact/hooks'

/** Returns how many parts within an element are still loading. */
export function useBusyParts(element: { current: HTMLElement | null }): number {
  const [busy, setBusy] = useState(0)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const look = () => setBusy(current.querySelectorAll('.spinner').length)
    const observer = new MutationObserver(look)
    observer.observe(current, { subtree: true, childList: true })
    look()
    return () => observer.disconnect()
  }, [])
  return busy
}
