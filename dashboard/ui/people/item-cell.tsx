import type { Told } from '../../core/people/people-order.ts'
import { navigate } from '../../core/router.ts'

type ItemCellProps = {
  place: number
  told: Told
  value: number | null
  grade: number | null
  least: number
  href: string
}

/**
 * Draws what is told of a participant on an item; the cell opens the item. Its row and column name both.
 *
 * @param value null where nothing is known of the test
 * @param grade null without a test
 * @param least the lowest grade of tests that are kept
 */
export function ItemCell({ place, told, value, grade, least, href }: ItemCellProps) {
  if (grade === null)
    return (
      <td class="item muted" aria-colindex={place} aria-label="no test">
        –
      </td>
    )
  const isDropped = grade < least
  const dropped = isDropped ? ' dropped' : ''
  return (
    <td
      class="item"
      aria-colindex={place}
      tabIndex={-1}
      data-walk
      data-href={href}
      aria-label={wordsOf(told, value) + (isDropped ? ', not kept' : '')}
    >
      {told === 'grade' ? (
        <span class={`grade g${grade}${dropped}`}>{grade}</span>
      ) : (
        <span class={`lost${dropped}`} style={{ '--lost': `${value ?? 0}%` }}>
          {value === null ? '·' : Math.round(value)}
        </span>
      )}
    </td>
  )
}

function wordsOf(told: Told, value: number | null): string {
  if (told === 'grade') return `grade ${value}`
  return value === null ? 'a test without samples' : `${Math.round(value)} % of samples lost`
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
