import { useMemo } from 'preact/hooks'
import type { People } from '../core/people/people.ts'
import { useSplits } from '../ui/people/splits.ts'
import type { RowGroups } from './scarf-order.ts'

/** Returns the attributes that make groups of participants; null until all participants are known. */
export function useRowGroups(people: People): RowGroups[] | null {
  const splits = useSplits(people)
  return useMemo(
    () =>
      splits?.map(({ label, groups }) => ({
        label,
        groups: groups.map(({ name, members }) => ({ name, ids: new Set(members.map(({ id }) => id)) })),
      })) ?? null,
    [splits],
  )
}
