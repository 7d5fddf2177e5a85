import type { FixationsData, HeatmapData } from '../../core/api.ts'
import { GROUP_COLORS, GROUP_COLORS_DARK } from '../../core/colors/group-colors.ts'
import { type Colors, LIGHT } from '../../core/colors/theme.ts'
import type { Loaded } from '../../core/use-data.ts'
import { SPLIT_MAX } from '../../ui/people/splits.ts'

/** Group of tests that a filter selects. */
export type Group = { name: string; filter: string }

export const GROUPS_MAX = SPLIT_MAX

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
