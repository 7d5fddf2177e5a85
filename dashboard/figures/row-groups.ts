import type { People } from '../core/people/people.ts'
import { splitsOf } from '../ui/people/splits.ts'
import type { RowGroups } from './scarf-order.ts'

/** Returns the attributes that make groups of participants, once all of them are known. */
export function rowGroupsOf({ first, all, isComplete }: Pick<People, 'first' | 'all' | 'isComplete'>): RowGroups[] {
  if (first.data === null || !isComplete) return []
  return splitsOf(first.data, all, null).map(({ label, groups }) => ({
    label,
    groups: groups.map(({ name, members }) => ({ name, ids: new Set(members.map(({ id }) => id)) })),
  }))
}
