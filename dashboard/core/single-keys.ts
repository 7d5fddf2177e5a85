import { useEffect } from 'preact/hooks'

/**
 * Single keys of a page. What a key presses has the attribute `aria-keyshortcuts`, so that the list of keys is that of
 * the page, and screen readers know them.
 */

const OFF = 'gazette-no-single-keys'

/** Returns whether single keys work in this browser. */
export function hasSingleKeys(): boolean {
  return localStorage.getItem(OFF) === null
}

export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(OFF)
  else localStorage.setItem(OFF, 'yes')
}

/** Returns what each key presses on this page: of several, the first in sight. */
export function keysOfPage(): { key: string; pressed: HTMLElement; words: string }[] {
  const found = new Map<string, HTMLElement>()
  for (const pressed of document.querySelectorAll<HTMLElement>('[aria-keyshortcuts]')) {
    const key = pressed.getAttribute('aria-keyshortcuts')!
    if (!found.has(key) && isAtHand(pressed) && !pressed.matches(':disabled')) found.set(key, pressed)
  }
  return [...found].map(([key, pressed]) => ({ key, pressed, words: wordsOf(pressed) }))
}

/** Returns whether something can be pressed: in sight, or in a closed menu or a folded panel that is. */
function isAtHand(pressed: HTMLElement): boolean {
  const fold = isField(pressed) ? null : pressed.closest('details.dropdown, .folded')
  return (fold ?? pressed).checkVisibility()
}

/** Chooses an option, as a press on it does. */
function choose(option: HTMLOptionElement): void {
  option.selected = true
  option.closest('select')!.dispatchEvent(new Event('change', { bubbles: true }))
}

/** Returns whether a key gives the focus to something, since it is no button. */
function isField(pressed: HTMLElement): boolean {
  return pressed.matches('input:not([type=radio], [type=checkbox])')
}

function wordsOf(pressed: HTMLElement): string {
  const label = pressed instanceof HTMLInputElement ? pressed.labels?.[0]?.textContent : undefined
  return (pressed.title || (pressed.getAttribute('aria-label') ?? label ?? pressed.textContent ?? '')).trim()
}

/** Presses what single keys stand for, except while one types or a dialog is open. */
export function useSingleKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isCommand(event) || !hasSingleKeys()) return
      if (isTyping(event.target as Element) || document.querySelector('dialog[open]') !== null) return
      const key = event.key.toUpperCase()
      const pressed = keysOfPage().find((each) => each.key === key)?.pressed
      if (pressed === undefined) return
      event.preventDefault()
      if (pressed instanceof HTMLOptionElement) choose(pressed)
      else if (isField(pressed)) pressed.focus()
      else pressed.click()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

/** Returns whether a key is a command of the browser. Some keyboards have brackets on AltGr, or on Option. */
function isCommand(event: KeyboardEvent): boolean {
  if (event.getModifierState('AltGraph')) return false
  return event.ctrlKey || event.metaKey || (event.altKey && !'[]'.includes(event.key))
}

/** Returns whether a press of a key belongs to a field. */
function isTyping(target: Element): boolean {
  return (
    target.closest('select, textarea, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])') !==
    null
  )
}
