import { studyOfPath } from './link-seen.ts'
import { setQuery } from './router.ts'

/** Attribute of the part of a page that holds its settings, or its conditions on tests. */
export const SETTINGS_PLACE = { 'data-settings': true }

/** Returns whether the page at a path has settings, so that they can be opened. */
export function hasSettings(path: string): boolean {
  return studyOfPath(path) !== null && !path.endsWith('/aois')
}

/** Unfolds the settings of the page, shows them, and focuses the first. */
export function openSettings(): void {
  // Those of a study are on the first part of its page.
  setQuery({ part: null })
  requestAnimationFrame(unfoldSettings)
}

function unfoldSettings(): void {
  const place = document.querySelector('[data-settings]')
  if (place === null) return
  place.closest('.folded')?.querySelector<HTMLElement>('.fold')?.click()
  for (let fold = place.closest('details'); fold !== null; fold = fold.parentElement?.closest('details') ?? null)
    fold.open = true
  // What was folded is drawn with the next frame.
  requestAnimationFrame(() => {
    place.scrollIntoView({ block: 'nearest' })
    const fields = [
      ...place.querySelectorAll<HTMLElement>('input, select'),
      ...place.querySelectorAll<HTMLElement>('button, summary'),
    ]
    fields.find((field) => field.checkVisibility())?.focus()
  })
}
