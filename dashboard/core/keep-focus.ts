/**
 * Containers of controls, from the nearest outwards. One of them gets the focus when the focused element is removed.
 */
const PLACES = 'li, section, fieldset, form, dialog, main'
const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'

/** Last focused element, its containers, and its index in its list; `-1` outside lists. */
type Held = { element: HTMLElement; around: Element[]; list: Element | null; place: number }

/**
 * Restores the focus when the focused element is removed or disabled, as when a button has done its work. Otherwise,
 * keyboards and screen readers would start again at the top of the page. In a list, the next entry gets the focus;
 * elsewhere, the nearest container. An element that was disabled only for a moment gets it back.
 */
export function keepFocus(): void {
  let held: Held | null = null
  let parked: Element | null = null
  const park = (element: Element) => {
    parked = element
    if (!element.matches(STOPS) && !element.hasAttribute('tabindex')) {
      element.setAttribute('tabindex', '-1')
      element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
    }
    ;(element as HTMLElement).focus({ preventScroll: true })
  }
  document.addEventListener('focusin', ({ target }) => {
    if (target === parked) return
    parked = null
    held = heldBy(target as HTMLElement, held)
  })
  // A click outside all controls clears the remembered focus.
  document.addEventListener('pointerdown', () => {
    held = null
  })
  const look = () => {
    if (held === null) return
    const { activeElement } = document
    const isIdle = activeElement === null || activeElement === document.body || activeElement === held.element
    const isThere = held.element.isConnected && !held.element.matches(':disabled')
    if (isThere && parked !== null && activeElement === parked) held.element.focus({ preventScroll: true })
    if (!isThere && isIdle) park(nextOf(held))
  }
  const watched = { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] }
  new MutationObserver(look).observe(document.body, watched)
}

/** Remembers an element with its containers; inside a dialog, also the containers of the element that opened it. */
function heldBy(element: HTMLElement, before: Held | null): Held {
  const around: Element[] = []
  const dialog = element.closest('dialog')
  for (let at = element.parentElement; at !== null && at !== dialog?.parentElement; at = at.parentElement)
    if (at.matches(PLACES)) around.push(at)
  if (dialog !== null && before !== null)
    around.push(...(before.element.closest('dialog') === dialog ? before.around : [before.element, ...before.around]))
  const entry = element.closest('li')
  return { element, around, list: entry?.parentElement ?? null, place: entry === null ? -1 : indexOf(entry) }
}

function indexOf(entry: Element): number {
  return [...(entry.parentElement?.children ?? [])].indexOf(entry)
}

function nextOf({ element, around, list, place }: Held): Element {
  const canTake = (stop: Element) => stop !== element && !stop.matches(':disabled')
  const entry = list?.isConnected && !element.isConnected ? (list.children[place] ?? list.lastElementChild) : null
  const stop =
    entry && [...entry.querySelectorAll(STOPS)].find((each) => canTake(each) && !each.matches('[tabindex="-1"]'))
  return (
    stop ?? around.find((each) => each.isConnected && canTake(each)) ?? document.querySelector('main') ?? document.body
  )
}
