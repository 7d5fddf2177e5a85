import { setQuery } from '../../core/router.ts'
import { ChipChoice } from '../../ui/controls/choice.tsx'

/** Views of the groups of an item, of which the page shows one, or all. */
const GROUP_VIEWS = {
  people: 'Between people',
  time: 'Over time',
  within: 'Within people',
  mixed: 'Between and within',
  scarf: 'Scarf plots',
  all: 'All',
} as const
export type GroupView = keyof typeof GROUP_VIEWS

/** Number of AOIs without which a view would be empty. */
const AOIS_MIN: Partial<Record<GroupView, number>> = { time: 1, within: 2, mixed: 2 }

/** Reads which view a link shows; people by default. */
export function readGroupView(query: URLSearchParams, aoiCount: number): GroupView {
  const text = query.get('view') ?? ''
  return viewsOf(aoiCount).find((view) => view === text) ?? 'people'
}

function viewsOf(aoiCount: number): GroupView[] {
  return (Object.keys(GROUP_VIEWS) as GroupView[]).filter((view) => aoiCount >= (AOIS_MIN[view] ?? 0))
}

/** Draws the choice of the view, which the address keeps. */
export function GroupViewChoice({ view, aoiCount }: { view: GroupView; aoiCount: number }) {
  return (
    <ChipChoice
      hasKeys
      legend="Figures of the groups"
      group="view"
      value={view}
      of={viewsOf(aoiCount).map((name) => [name, GROUP_VIEWS[name]] as const)}
      onChange={(name) => setQuery({ view: name === 'people' ? null : name })}
    />
  )
}
