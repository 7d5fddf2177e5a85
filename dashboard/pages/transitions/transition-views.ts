/** Figures of transitions on an item, of which the page shows one, or all. */
export const TRANSITION_VIEWS = {
  matrix: 'Transitions',
  arrows: 'Over the item',
  visits: 'Visits over time',
  first: 'Time to first fixation',
  all: 'All',
} as const
export type TransitionView = keyof typeof TRANSITION_VIEWS
