import type { Aoi, FixationRow, FixationsData } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { setQuery, usePlace } from '../core/router.ts'
import { Choice } from '../ui/controls/choice.tsx'

/**
 * Rule for the AOI to which a fixation in several AOIs belongs: the first in the order of the study, or the smallest.
 */
type AoiOrder = 'study' | 'smallest'

export function useAoiOrder(): AoiOrder {
  return usePlace().query.get('nested') === 'smallest' ? 'smallest' : 'study'
}

/** Returns the rank of each AOI, from 0. @param data of the item; null for the order of the study */
export function ranksOf(aois: Aoi[], data: Pick<FixationsData, 'aoiRanks'> | null, order: AoiOrder): number[] {
  return order === 'smallest' && data !== null ? data.aoiRanks : aois.map((_, a) => a)
}

/**
 * Returns the AOI to which a fixation belongs: the first of the chosen AOIs, so that no other hides a chosen one, or
 * else the first of all; undefined outside all AOIs.
 */
export function shownAoi(
  [, , , , , , , ...inAois]: FixationRow,
  chosen: number[],
  ranks: number[],
): number | undefined {
  const sorted = inAois.sort((a, b) => ranks[a] - ranks[b])
  return sorted.find((a) => chosen.includes(a)) ?? sorted[0]
}

/** Returns the AOIs whose fixations all belong to other AOIs that rank before them. */
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

/** Lists the missing AOIs in words; '' for none. */
export function hiddenWords(hidden: number[], aois: Aoi[]): string {
  if (hidden.length === 0) return ''
  const names = hidden.map((a) => `${a + 1} ${isolate(aois[a].name)}`)
  return ` Not shown, since every fixation in ${hidden.length === 1 ? 'it' : 'them'} is also in an AOI that comes first: ${names.join(', ')}.`
}

/** Draws the choice of the AOI to which a fixation in several AOIs belongs; the address carries it. */
export function AoiOrderChoice() {
  const order = useAoiOrder()
  return (
    <Choice
      isInline
      label="A fixation in several AOIs belongs to"
      value={order}
      of={{ study: 'the first AOI in the study’s order', smallest: 'the smallest AOI' }}
      onChange={(value) => setQuery({ nested: value === 'smallest' ? value : null })}
    />
  )
}
