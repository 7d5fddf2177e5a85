import { useMemo } from 'preact/hooks'
import type { Aoi, Item, Study } from './api.ts'

/** Returns the AOIs of an item, in the order of the study. */
export function useAoisOf({ aois }: Pick<Study, 'aois'>, { id }: Pick<Item, 'id'>): Aoi[] {
  return useMemo(() => aois.filter(({ itemId }) => itemId === id), [aois, id])
}
