import { setQuery } from '../../core/router.ts'
import { ChipChoice } from '../../ui/controls/choice.tsx'

/** Figures of transitions on an item, of which the page shows one, or all. */
export const TRANSITION_VIEWS = {
  matrix: 'Transitions',
  arrows: 'Over the item',
  visits: 'Visits over time',
  first: 'Time to first fixation',
  all: 'All',
} as const
export type TransitionView = keyof typeof TRANSITION_VIEWS

/** Reads which figure a link shows; the matrix by default. */
export function readTransitionView(query: URLSearchParams): TransitionView {
  const text = query.get('view') ?? ''
  return Object.hasOwn(TRANSITION_VIEWS, text) ? (text as TransitionView) : 'matrix'
}

/** Draws the choice of the figure, which the address keeps. */
export function TransitionViewChoice({ view }: { view: TransitionView }) {
  const names = Object.keys(TRANSITION_VIEWS) as TransitionView[]
  return (
    <ChipChoice
      hasKeys
      legend="Figure"
      group="view"
      value={view}
      of={names.map((name) => [name, TRANSITION_VIEWS[name]] as const)}
      onChange={(name) => setQuery({ view: name === 'matrix' ? null : name })}
    />
  )
}
