import { navigate } from '../../core/router.ts'

type ItemGradeProps = { place: number; grade: number | null; least: number; href: string; label: string }

/** Draws the grade of a participant on an item; the cell opens the item. */
export function ItemGrade({ place, grade, least, href, label }: ItemGradeProps) {
  if (grade === null)
    return (
      <td class="item muted" aria-colindex={place}>
        –
      </td>
    )
  const isDropped = grade < least
  return (
    <td
      class="item"
      aria-colindex={place}
      tabIndex={-1}
      data-walk
      data-href={href}
      aria-label={`${label}: grade ${grade}${isDropped ? ', not kept' : ''}`}
    >
      <span class={`grade g${grade}${isDropped ? ' dropped' : ''}`}>{grade}</span>
    </td>
  )
}

/** Buttons of a mouse that open a test: the main one, and the middle one in a new tab. */
const [MAIN, MIDDLE] = [0, 1]

/** Opens the test of the pressed cell, in a new tab where that is wanted. */
export function openTest(event: MouseEvent | KeyboardEvent): void {
  const href = (event.target as HTMLElement).closest<HTMLElement>('[data-href]')?.dataset.href
  const button = event instanceof MouseEvent ? event.button : MAIN
  if (href === undefined || button > MIDDLE) return
  if (event.ctrlKey || event.metaKey || button === MIDDLE) window.open(href)
  else navigate(href)
}
