import { MEASURES, type Measure, READING_MEASURES } from '../../../isomorphic/measures.ts'
import { readWordName } from '../../../isomorphic/word-names.ts'
import type { Aoi } from '../api.ts'

/** Returns whether AOIs are words of a text, by their names. */
export function hasWords(aois: Pick<Aoi, 'name'>[]): boolean {
  return aois.some(({ name }) => readWordName(name) !== null)
}

/** Returns the measures that AOIs can have: those of words only if some are words. */
export function measuresOf(aois: Pick<Aoi, 'name'>[]): Measure[] {
  return hasWords(aois) ? MEASURES : MEASURES.filter((measure) => !READING_MEASURES.includes(measure))
}
