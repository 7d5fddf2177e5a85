import type { Aoi } from '../../../core/api.ts'

/** Returns the numbers of the other AOIs with the same name. */
export function sameNames(aois: Pick<Aoi, 'name'>[], a: number): number[] {
  return aois.flatMap(({ name }, i) => (i !== a && name === aois[a].name ? i + 1 : []))
}

/** Returns the tags in a text separated by commas, without duplicates. */
export function tagsIn(text: string): string[] {
  return [...new Set(text.split(',').flatMap((tag) => tag.trim() || []))]
}
