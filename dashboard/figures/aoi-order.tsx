import type { Aoi, FixationRow, FixationsData } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { setQuery, usePlace } from '../core/router.ts'
import { Choice } from '../ui/controls/choice.tsx'

/** Chooses the AOI that counts for a fixation in several: the first in the order of the study, or the smallest. */
export type AoiOrder = 'study' | 'smallest'

export function useAoiOrder(): AoiOrder {
  return usePlace().query.get('nested') === 'smallest' ? 'smallest' : 'study'
}

/** Returns the place of each AOI in an order, from 0. @param data of the item; null has the order of the study */
export function ranksOf(aois: Aoi[], data: Pick<FixationsData, 'aoiRanks'> | null, order: AoiOrder): number[] {
  return order === 'smallest' && data !== null ? data.aoiRanks : aois.map((_, a) => a)
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
  return ` Not shown, since every fixation in ${hidden.length === 1 ? 'it' : 'them'} is also in an AOI that comes first: ${names.join(', ')}.`
}

/** Draws the choice of the order, which the address carries. */
export function AoiOrderChoice() {
  const order = useAoiOrder()
  return (
    <Choice
      isInline
      label="A fixation in several AOIs counts for"
      value={order}
      of={{ study: 'the first in the study’s order', smallest: 'the smallest first' }}
      onChange={(value) => setQuery({ nested: value === 'smallest' ? value : null })}
    />
  )
}
