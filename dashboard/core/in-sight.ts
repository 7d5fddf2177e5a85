/** Room for what precedes the element, px. */
const BEFORE_PX = 40

/** Scrolls a row that scrolls sideways within itself, on a narrow window, so that one of its elements is in sight. */
export function scrollInSight(element: Element | null): void {
  const row = element?.parentElement
  if (!row || row.scrollWidth <= row.clientWidth) return
  row.scrollLeft += element.getBoundingClientRect().left - row.getBoundingClientRect().left - BEFORE_PX
}
