import { splitConditions } from '../../../isomorphic/conditions.ts'
import { isolate, wholeText } from '../../core/number-texts.ts'
import { joinConditions } from '../../core/people/conditions.ts'
import type { People } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { type ChoiceOption, Select } from '../../ui/controls/choice.tsx'
import { type Split, useSplits } from '../../ui/people/splits.ts'

/** Returns whether a split is by an attribute that the study itself brought. */
const isOwn = ({ groups }: Split) => groups[0].filter.startsWith('external_data_')

/**
 * Lists the groups that an attribute splits participants into, with how many have a test of the item. The chosen one is
 * shown alone: its condition becomes one of the filter. The attribute is that of the filter or, without one, the first
 * of the study.
 */
export function GroupList({ people, itemIndex }: { people: People; itemIndex: number }) {
  const { all } = people
  const { query } = usePlace()
  const splits = useSplits(people)
  // Before all have come, an attribute may seem to have fewer values; pages that compare groups have their own.
  if (splits === null || query.has('group1')) return null
  const parts = splitConditions(query.get('filter') ?? '')
  const isIn = (split: Split) => split.groups.some(({ filter }) => parts.includes(filter))
  const split = splits.find(isIn) ?? splits.find(isOwn) ?? splits[0]
  if (split === undefined) return null
  const others = parts.filter((part) => !split.groups.some(({ filter }) => filter === part))
  const shown = split.groups.find(({ filter }) => parts.includes(filter))?.filter ?? ''
  const seen = (members: typeof all) => wholeText(members.filter(({ grades }) => grades[itemIndex] !== null).length)
  const show = (filter: string) => setQuery({ filter: joinConditions([...others, filter]) })
  return (
    <div class="place-groups">
      <p class="place-title">
        <span>
          Groups by <bdi>{split.label}</bdi>
        </span>
        <span class="hint">with a test</span>
      </p>
      <Select
        aria-label="Group"
        size={split.groups.length + 1}
        value={shown}
        of={[
          ['', 'Everyone', false, { beside: seen(all) }],
          ...split.groups.map(
            ({ name, filter, members }): ChoiceOption => [filter, isolate(name), false, { beside: seen(members) }],
          ),
        ]}
        onChange={show}
      />
    </div>
  )
}
