import { useState } from 'preact/hooks'
import { splitConditions } from '../../../isomorphic/conditions.ts'
import { GROUP_COLORS, GROUP_COLORS_DARK } from '../../core/colors/group-colors.ts'
import { LIGHT, useTheme } from '../../core/colors/theme.ts'
import { count, isolate } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { joinConditions } from '../../core/people/conditions.ts'
import type { People } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { Select } from '../../ui/controls/choice.tsx'
import { type Split, splitsOf } from '../../ui/people/splits.ts'

/** Returns whether a split is by an attribute that the study itself brought. */
const isOwn = ({ groups }: Split) => groups[0].filter.startsWith('external_data_')

/**
 * Lists the groups that an attribute splits participants into, with how many have a test of the item. A press shows one
 * of them: its condition becomes one of the filter.
 */
export function GroupNav({ people: { first, all, isComplete }, itemIndex }: { people: People; itemIndex: number }) {
  const { path, query } = usePlace()
  const [chosen, setChosen] = useState<string | null>(null)
  const stop = useOneStop<HTMLUListElement>('a')
  const { colors } = useTheme()
  const palette = colors === LIGHT ? GROUP_COLORS : GROUP_COLORS_DARK
  // Before all have come, an attribute may seem to have fewer values. Pages that compare groups have them in the address.
  if (first.data === null || !isComplete || query.has('group1')) return null
  const splits = splitsOf(first.data, all, null)
  const parts = splitConditions(query.get('filter') ?? '')
  const isIn = (split: Split) => split.groups.some(({ filter }) => parts.includes(filter))
  const split = [splits.find(({ label }) => label === chosen), splits.find(isIn), splits.find(isOwn), splits[0]].find(
    (each) => each !== undefined,
  )
  if (split === undefined) return null
  const others = parts.filter((part) => !split.groups.some(({ filter }) => filter === part))
  const to = (conditions: string[]) => {
    const next = new URLSearchParams(query)
    if (conditions.length === 0) next.delete('filter')
    else next.set('filter', joinConditions(conditions))
    const text = next.toString()
    return text === '' ? path : `${path}?${text}`
  }
  const seen = (members: typeof all) => members.filter(({ grades }) => grades[itemIndex] !== null).length
  const groups = split.groups.map(({ name, filter, members }, g) => ({
    name,
    href: to([...others, filter]),
    isShown: parts.includes(filter),
    n: seen(members),
    color: palette[g],
  }))
  const everyone = { name: 'Everyone', href: to(others), isShown: !isIn(split), n: seen(all), color: 'var(--muted)' }
  return (
    <nav aria-label="Groups" class="place-groups">
      <p class="place-title">
        {splits.length === 1 ? (
          <span>
            Groups by <bdi>{split.label}</bdi>
          </span>
        ) : (
          <Select
            aria-label="Groups by"
            value={split.label}
            of={splits.map(({ label }) => [label, `Groups by ${isolate(label)}`] as const)}
            onChange={(label) => {
              setChosen(label)
              // A group of another attribute would no longer be seen to be chosen.
              if (isIn(split)) setQuery({ filter: joinConditions(others) })
            }}
          />
        )}
        <span class="hint">n</span>
      </p>
      <ul {...stop}>
        {[everyone, ...groups].map(({ name, href, isShown, n, color }, i) => (
          <li key={i}>
            <a href={href} aria-current={isShown ? 'true' : undefined}>
              <span class="dot" style={{ background: color }} aria-hidden="true" />
              <bdi title={isolate(name)}>{name}</bdi>
              <span class="hint">
                {count(n)}
                <span class="unseen">{n === 1 ? ' participant' : ' participants'}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
