import type { Aoi, FixationRow, FixationsData, Item } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { setQuery, usePlace } from '../core/router.ts'
import type { Point } from './aoi-tags.ts'
import { cornersOf } from './stimulus.tsx'

/** Which AOI a fixation in several of them stands for: the first in the order of the study, or the smallest. */
export type AoiOrder = 'study' | 'smallest'

export function useAoiOrder(): AoiOrder {
  return usePlace().query.get('nested') === 'smallest' ? 'smallest' : 'study'
}

/** Returns the place of each AOI in an order, from 0; of equal sizes the first in the study comes first. */
export function ranksOf(aois: Aoi[], item: Item, order: AoiOrder): number[] {
  const places = aois.map((_, a) => a)
  if (order === 'study') return places
  const sizes = aois.map((aoi) => sizeOf(aoi, item))
  const sorted = places.sort((a, b) => sizes[a] - sizes[b] || a - b)
  return aois.map((_, a) => sorted.indexOf(a))
}

/** The area of an AOI's parts on a square of one million, as docs/metrics.md has it: parts that overlap count twice. */
function sizeOf({ parts }: Aoi, item: Item): number {
  return parts.reduce((sum, { areaPoints }) => sum + areaOf(cornersOf(areaPoints, item, 1000, 1000)), 0)
}

function areaOf(corners: Point[]): number {
  let twice = 0
  for (const [i, [x, y]] of corners.entries()) {
    const [nextX, nextY] = corners[(i + 1) % corners.length]
    twice += x * nextY - nextX * y
  }
  return Math.abs(twice) / 2
}

/**
 * Returns the AOI that stands for a fixation: the first of those that are chosen, so that a chosen one is not hidden by
 * another, else the first of all; undefined in none.
 */
export function shownAoi(
  [, , , , , , , ...inAois]: FixationRow,
  chosen: number[],
  ranks: number[],
): number | undefined {
  const sorted = inAois.sort((a, b) => ranks[a] - ranks[b])
  return sorted.find((a) => chosen.includes(a)) ?? sorted[0]
}

/** Returns the AOIs that hold fixations, and stand for none of them: others that hold these, too, come first. */
export function hiddenAois({ tests }: Pick<FixationsData, 'tests'>, chosen: number[], ranks: number[]): number[] {
  const [held, shown] = [new Set<number>(), new Set<number>()]
  for (const { fixations } of tests)
    for (const fixation of fixations) {
      const a = shownAoi(fixation, chosen, ranks)
      if (a !== undefined) shown.add(a)
      for (const each of fixation.slice(7) as number[]) held.add(each)
    }
  return [...held].filter((a) => !shown.has(a)).sort((a, b) => a - b)
}

/** Says which AOIs are missing; '' for none. */
export function hiddenWords(hidden: number[], aois: Aoi[]): string {
  if (hidden.length === 0) return ''
  const names = hidden.map((a) => `${a + 1} ${isolate(aois[a].name)}`)
  return ` Missing, since every fixation in ${hidden.length === 1 ? 'it' : 'them'} is also in another AOI that comes first: ${names.join(', ')}.`
}

/** Draws the choice of the order, which the address carries. */
export function AoiOrderChoice() {
  const order = useAoiOrder()
  return (
    <label class="inline">
      A fixation in several AOIs counts for{' '}
      <select
        value={order}
        onChange={({ currentTarget: { value } }) => setQuery({ nested: value === 'smallest' ? value : null })}
      >
        <option value="study">the first in the study’s order</option>
        <option value="smallest">the smallest first</option>
      </select>
    </label>
  )
}
