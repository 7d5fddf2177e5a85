import { useEffect } from 'preact/hooks'

/** Sets the title of the browser's tab and history entry, from the nearest part to the farthest. */
export function useTitle(...parts: string[]): void {
  const title = [...parts, 'Gazette'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
