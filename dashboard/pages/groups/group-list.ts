import type { DescribedParticipants, FixationsData, HeatmapData, Participant } from '../../core/api.ts'
import { GROUP_COLORS, GROUP_COLORS_DARK } from '../../core/colors/group-colors.ts'
import { type Colors, LIGHT } from '../../core/colors/theme.ts'
import { type ConditionColumn, conditionColumns, quoted } from '../../core/people/conditions.ts'
import type { Loaded } from '../../core/use-data.ts'
import { valuesOf } from '../../ui/people/filter-chips.tsx'
import type { PeopleFacts } from '../../ui/people/people-columns.tsx'

/** Group of tests that a filter selects. */
export type Group = { name: string; filter: string }

export const GROUPS_MAX = 4

/** Answers for one group. */
export type GroupAnswers = {
  heatmap: Loaded<HeatmapData>
  fixations: Loaded<FixationsData>
}

/** Returns the colours of groups among those of a theme. */
export function groupColors(colors: Colors): string[] {
  return colors === LIGHT ? GROUP_COLORS : GROUP_COLORS_DARK
}

/** Reads the groups of a link: `group1`, `name1`, and so on, without gaps. */
export function readGroups(query: URLSearchParams): Group[] {
  const groups: Group[] = []
  for (let i = 1; i <= GROUPS_MAX; i++) {
    const filter = query.get(`group${i}`)
    if (filter === null && query.get(`name${i}`) === null) break
    groups.push({ name: query.get(`name${i}`) || `Group ${i}`, filter: filter?.trim() ?? '' })
  }
  return groups
}

/** Returns the groups as changes of the address. */
export function groupChanges(groups: Group[]): Record<string, string | null> {
  const changes: Record<string, string | null> = {}
  for (let i = 1; i <= GROUPS_MAX; i++) {
    changes[`group${i}`] = groups[i - 1]?.filter || null
    changes[`name${i}`] = groups[i - 1]?.name || null
  }
  return changes
}

/** Adds groups to a query string, including those without conditions. */
export function withGroups(asked: string, groups: Group[]): string {
  const query = new URLSearchParams(asked)
  for (const [g, { filter }] of groups.entries()) query.set(`group${g + 1}`, filter)
  return groups.length === 0 ? asked : `?${query}`
}

/** Way to split participants into groups by an attribute. */
type Split = { label: string; groups: Group[] }

/**
 * Returns the attributes that split participants into two to four groups.
 *
 * @param age of all participants; null until it is known
 */
export function splitsOf(facts: PeopleFacts, people: Participant[], age: DescribedParticipants['age'] | null): Split[] {
  const byValue = conditionColumns(facts)
    .filter(({ kind, name }) => kind === 'text' && name !== 'participant_external_id')
    .map((column) => ({ label: column.label, groups: groupsOf(column, people) }))
  const tags = conditionColumns(facts)
    .filter(({ kind }) => kind === 'tags')
    .flatMap((column) => valuesOf(column, people).map((tag) => splitByTag(column, tag)))
  return [...byValue, ...splitByAge(age), ...tags].filter(
    ({ groups }) => groups.length >= 2 && groups.length <= GROUPS_MAX,
  )
}

function groupsOf(column: ConditionColumn, people: Participant[]): Group[] {
  return valuesOf(column, people).map((value) => ({ name: value, filter: `${column.name} = ${quoted(value)}` }))
}

function splitByTag({ name }: ConditionColumn, tag: string): Split {
  const has = `list_contains(${name}, ${quoted(tag)})`
  return {
    label: `Tag ${tag}`,
    groups: [
      { name: tag, filter: has },
      { name: `not ${tag}`, filter: `NOT ${has}` },
    ],
  }
}

function splitByAge(age: DescribedParticipants['age'] | null): Split[] {
  // If the median is the minimum age, nobody is below it.
  if (age === null || age.median === null || age.median === age.min) return []
  const middle = age.median
  return [
    {
      label: 'Age, at the median',
      groups: [
        { name: `below ${middle}`, filter: `participant_age < ${middle}` },
        { name: `${middle} and above`, filter: `participant_age >= ${middle}` },
      ],
    },
  ]
}
