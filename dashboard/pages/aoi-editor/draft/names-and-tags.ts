import type { Aoi } from '../../../core/api.ts'

/** Returns the numbers of the other AOIs of the same name. */
export function sameNames(aois: Pick<Aoi, 'name'>[], a: number): number[] {
  return aois.flatMap(({ name }, i) => (i !== a && name === aois[a].name ? i + 1 : []))
}

/** Returns the tags that a text has between commas, each once. */
export function tagsIn(text: string): string[] {
  return [...new Set(text.split(',').flatMap((tag) => tag.trim() || []))]
}
