import type { FixationsData } from '../../core/api.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import type { PeopleFacts } from '../../core/people/conditions.ts'
import type { People } from '../../core/people/people.ts'
import type { Loaded } from '../../core/use-data.ts'
import { type FigureCounts, leftOut } from '../../figures/captions.ts'
import { Button } from '../../ui/controls/button.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { type Group, groupColors } from './group-list.ts'

type GroupCardProps = {
  group: Group
  /** Index of the group, from 0. */
  g: number
  facts: PeopleFacts
  people: People
  fixations: Loaded<FixationsData>
  onChange: (group: Group) => void
  onRemove: () => void
}

/** Draws a group with its name, its conditions and its n. */
export function GroupCard({ group, g, facts, people, fixations, onChange, onRemove }: GroupCardProps) {
  const { colors } = useTheme()
  const counts = fixations.problem === null ? fixations.data : null
  return (
    <section class="card panel group-card" aria-label={`Group ${g + 1}: ${isolate(group.name)}`}>
      <div class="panel-head">
        <svg width="14" height="14" aria-hidden="true" focusable="false">
          <rect width="14" height="14" rx="3" fill={groupColors(colors)[g]} />
        </svg>
        <input
          type="text"
          aria-label={`Name of group ${g + 1}`}
          value={group.name}
          dir="auto"
          onChange={(event) => onChange({ ...group, name: event.currentTarget.value.trim() || `Group ${g + 1}` })}
        />
        <Button class="small" aria-label={`Remove group ${isolate(group.name)}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
      <FilterChips
        title={isolate(group.name)}
        filter={group.filter}
        facts={facts}
        people={people.all}
        problem={fixations.problem}
        isFolded
        onChange={(filter) => onChange({ ...group, filter })}
      />
      <p class="kept" role="status">
        {counts === null ? '' : nWords(counts)}
      </p>
    </section>
  )
}

function nWords(counts: FigureCounts): string {
  const { participants, tests } = counts.counted
  const left = leftOut(counts)
  return `n = ${countOf(participants, 'participant')}, ${countOf(tests, 'test')}${left === '' ? '' : `. ${left}`}`
}
