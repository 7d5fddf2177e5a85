import type { Item, MicrosaccadesData } from '../../core/api.ts'
import { GROUP_COLORS } from '../../core/colors/group-colors.ts'
import { countOf, isolate, wholeText } from '../../core/number-texts.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { Caption } from '../../figures/caption.ts'
import { figureSubject, sourceOf } from '../../figures/captions.ts'
import type { LegendEntry } from '../../figures/save.ts'
import type { Group } from '../groups/group-list.ts'

export type MicrosaccadeFigureProps = { item: Item; groups: Group[]; loaded: Loaded<MicrosaccadesData> }
type Own = MicrosaccadesData['groups'][number]

/**
 * Returns the caption of a figure of groups.
 *
 * @param what its beginning @param ofGroup returns what is said of each group
 */
export function microsaccadeCaption(
  { item, groups, data }: { item: Item; groups: Group[]; data: MicrosaccadesData },
  what: string,
  ofGroup: (group: Own) => string,
  reading: string,
): Caption {
  const inGroup = (g: number) => (groups.length === 1 ? '' : ` in ${isolate(groups[g]?.name ?? '')}`)
  return {
    short: `${what}: ${data.groups.map((group, g) => `${ofGroup(group)}${inGroup(g)}`).join(', ')}.${leftOut(data)}`,
    reading: `${data.methods} ${reading}`,
    sources: data.groups.map((group, g) => sourceOf(figureSubject(item, groups[g]?.name ?? ''), group)),
  }
}

/** Says which tests have no microsaccades because nothing could be found in them; '' for none. */
function leftOut({ groups }: MicrosaccadesData): string {
  const slow = groups.reduce((sum, { kept, testsWithBothEyes }) => sum + kept.tests - testsWithBothEyes, 0)
  const unknown = groups.reduce((sum, { testsWithoutDegrees }) => sum + testsWithoutDegrees, 0)
  const out = (n: number, why: string) =>
    n === 0 ? '' : ` ${countOf(n, 'test')} ${why} ${n === 1 ? 'is' : 'are'} left out.`
  return (
    out(slow, 'without gaze of both eyes at 200 Hz or more') +
    out(unknown, 'for which the size or distance of the screen is unknown')
  )
}

/** Says how many microsaccades of how many participants a group has. */
export function ofMany({ microsaccades, participants, counted }: Own): string {
  return `${countOf(microsaccades, 'microsaccade')} of ${countOf(participants, 'participant')} (${wholeText(counted.tests)} ${counted.tests === 1 ? 'test' : 'tests'})`
}

/** Returns whether no group has gaze of both eyes; false while nothing is loaded. */
export function isEmpty(data: MicrosaccadesData | null): boolean {
  return data?.groups.every(({ participants }) => participants === 0) ?? false
}

export function groupLegend(groups: Group[]): LegendEntry[] {
  if (groups.length === 1) return []
  return groups.map(({ name }, g) => ({ color: GROUP_COLORS[g], mark: String(g + 1), label: isolate(name) }))
}
