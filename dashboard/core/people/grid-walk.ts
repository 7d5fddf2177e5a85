/** Moves the focus by keys in a virtualized table, which draws only its visible part. */

/** Sizes of the header and the column of names, which cover scrolled cells, and the width of a cell. */
type Frame = { headPx: number; namePx: number; cellPx: number }

export const WALK_KEYS = ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End']

const FRAMES_WAITED = 12

/** Moves the focus by arrow keys, Home and End, one key at a time: the next cell may not be drawn yet. */
export function walkBy(keys: string[], from: HTMLElement, box: HTMLElement, frame: Frame, frames = 0): void {
  while (keys.length > 0 && walk(from, keys[0], box, frame)) {
    keys.shift()
    frames = 0
  }
  if (keys.length === 0) return
  if (frames === FRAMES_WAITED) keys.shift()
  requestAnimationFrame(() => walkBy(keys, from, box, frame, (frames + 1) % (FRAMES_WAITED + 1)))
}

/** Moves the focus by one key. @returns false at the edge of the table */
function walk(from: HTMLElement, key: string, box: HTMLElement, frame: Frame): boolean {
  const now = box.contains(document.activeElement) ? (document.activeElement as HTMLElement) : from
  const row = now.closest('tr')
  if (row === null) return false
  const stops = [...row.querySelectorAll<HTMLElement>('[data-walk]')]
  const at = stops.indexOf(now)
  const place = now.closest('[aria-colindex]')?.getAttribute('aria-colindex')
  const below = (n: number) => {
    const next = box.querySelector(`tr[aria-rowindex="${Number(row.getAttribute('aria-rowindex')) + n}"]`)
    return (
      next?.querySelector<HTMLElement>(
        `[aria-colindex="${place}"] [data-walk], [aria-colindex="${place}"][data-walk]`,
      ) ?? next?.querySelector<HTMLElement>('[data-walk]')
    )
  }
  const moves: Record<string, () => HTMLElement | null | undefined> = {
    ArrowRight: () => stops[at + 1],
    ArrowLeft: () => stops[at - 1],
    ArrowDown: () => below(1),
    ArrowUp: () => below(-1),
    Home: () => stops[0],
    End: () => stops[stops.length - 1],
  }
  const next = moves[key]()
  if (!next) return false
  next.focus({ preventScroll: true })
  bringIntoSight(next, box, frame)
  return true
}

/** Scrolls an element into view, clear of the sticky header and names. */
function bringIntoSight(element: HTMLElement, box: HTMLElement, { headPx, namePx, cellPx }: Frame): void {
  const [own, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()]
  const isHead = element.closest('thead') !== null
  const isName = element.closest('.name') !== null
  if (!isHead && own.top < outer.top + headPx) box.scrollTop -= outer.top + headPx - own.top + 4
  if (own.bottom > outer.top + box.clientHeight) box.scrollTop += own.bottom - outer.top - box.clientHeight + 8
  if (isName) box.scrollLeft = 0
  else if (own.left < outer.left + namePx) box.scrollLeft -= outer.left + namePx - own.left + cellPx
  else if (own.right > outer.left + box.clientWidth) box.scrollLeft += own.right - outer.left - box.clientWidth + cellPx
}
