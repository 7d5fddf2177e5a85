import type { Item, Study } from '../../core/api.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import type { Caption } from '../../figures/caption.ts'
import { type FigureAnswer, leftOut, sourceOf } from '../../figures/captions.ts'
import type { Group, GroupAnswers } from './group-list.ts'

export type GroupsProps = {
  study: Study
  item: Item
  groups: Group[]
  settings: Settings
  defaults: Settings
  answers: GroupAnswers[]
  names: Map<string, string>
}

export function groupsSubject({ item, groups }: GroupsProps): string {
  return `${isolate(item.filename) || 'item'}, ${groups.map(({ name }) => isolate(name)).join(' and ')}`
}

/**
 * Returns the caption of a figure of several groups, with the n of each.
 *
 * @param answered answer of each group; null until it is loaded
 * @param after text at the end of the sentence
 */
export function groupsCaption(
  { item, groups }: GroupsProps,
  answered: (FigureAnswer | null)[],
  what: string,
  reading: string,
  after = '',
): Caption {
  const known = answered.flatMap((data, g) => (data === null ? [] : [{ data, name: isolate(groups[g].name) }]))
  const n = known.map(({ data, name }) => `${countOf(data.counted.participants, 'participant')} in ${name}`)
  const left = known.map(({ data, name }) => leftOut(data).replace(/^(.+)\.$/, ` $1 in ${name}.`))
  return {
    short: `${what}, of ${n.join(', ')}.${left.join('')}${after}`,
    reading,
    sources: known.map(({ data, name }) => sourceOf(`${isolate(item.filename)}, ${name}`, data)),
  }
}

export type GroupsWithAois = GroupsProps & { aois: Study['aois'] }
