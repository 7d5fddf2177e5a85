import { useEffect } from 'preact/hooks'

/** Names the page in the browser's tab and history, by its parts from the nearest to the farthest. */
export function useTitle(...parts: string[]): void {
  const title = [...parts, 'Gazette'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
