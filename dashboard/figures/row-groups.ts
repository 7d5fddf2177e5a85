import { useMemo } from 'preact/hooks'
import type { People } from '../core/people/people.ts'
import { splitsOf } from '../ui/people/splits.ts'
import type { RowGroups } from './scarf-order.ts'

/** Returns the attributes that make groups of participants; null until all participants are known. */
export function useRowGroups({ first, all, isComplete }: People): RowGroups[] | null {
  return useMemo(() => {
    if (first.data === null || !isComplete) return null
    return splitsOf(first.data, all, null).map(({ label, groups }) => ({
      label,
      groups: groups.map(({ name, members }) => ({ name, ids: new Set(members.map(({ id }) => id)) })),
    }))
  }, [first.data, all, isComplete])
}
