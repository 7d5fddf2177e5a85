import type { Problem } from '../../core/api.ts'
import { useIsView } from '../../core/link-seen.ts'
import type { People } from '../../core/people/people.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { SqlField } from '../../ui/people/sql-field.tsx'

export type TestFilterProps = {
  people: People
  settings: Settings
  onChange: (settings: Settings) => void
  /** Problem of the last request; faults of the filter are shown. */
  problem: Problem | null
}

/** Draws the conditions on tests as folded chips; until participants are loaded, only as SQL. */
export function TestFilter({ people, settings, onChange, problem }: TestFilterProps) {
  const facts = people.first.data
  const own = { filter: settings.filter, problem, onChange: (filter: string) => onChange({ ...settings, filter }) }
  if (useIsView()) return null
  if (facts === null) return <SqlField label="Filter: only tests for which this is true" {...own} />
  return <FilterChips title="Tests" facts={facts} people={people.all} isFolded {...own} />
}
