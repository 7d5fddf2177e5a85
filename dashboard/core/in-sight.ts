import { useEffect } from 'preact/hooks'

/** Room for what precedes the element, px. */
const BEFORE_PX = 40

/**
 * Keeps an element of a row in sight that scrolls sideways within itself on a narrow window.
 *
 * @param find returns the element; its parent is the row
 * @param name of the element: another one is brought into sight
 */
export function useInSight(find: () => Element | null, name: string): void {
  useEffect(() => {
    const bring = () => scrollInSight(find())
    bring()
    addEventListener('resize', bring)
    return () => removeEventListener('resize', bring)
  }, [name])
}

function scrollInSight(element: Element | null): void {
  const row = element?.parentElement
  if (!row || row.scrollWidth <= row.clientWidth) return
  row.scrollLeft += element.getBoundingClientRect().left - row.getBoundingClientRect().left - BEFORE_PX
}
