import type { Problem } from '../core/api.ts'
import { useIsView } from '../core/link-seen.ts'
import { FilterChips } from '../people/filter-chips.tsx'
import type { People } from '../people/people.ts'
import { SqlField } from '../people/sql-field.tsx'
import type { Settings } from '../view/chart-settings.ts'

type Props = {
  people: People
  settings: Settings
  onChange: (settings: Settings) => void
  /** Answer to the last request; its faults of the filter are shown. */
  problem: Problem | null
}

/** Draws the conditions on tests as chips, where room is short; until participants are known, as SQL alone. */
export function TestFilter({ people, settings, onChange, problem }: Props) {
  const facts = people.first.data
  const own = { filter: settings.filter, problem, onChange: (filter: string) => onChange({ ...settings, filter }) }
  if (useIsView()) return null
  if (facts === null) return <SqlField label="Filter: only tests for which this is true" {...own} />
  return <FilterChips title="Tests" facts={facts} people={people.all} isFolded {...own} />
}
