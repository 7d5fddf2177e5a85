import type { LineMethod } from '../../model/parameters.ts'
import type { MethodsFacts } from './methods-facts.ts'
import type { Cite } from './phrases.ts'

const HOW: Record<LineMethod, string> = {
  attach: 'to the nearest line',
  chain: 'by the algorithm chain',
  cluster: 'by the algorithm cluster',
  segment: 'by the algorithm segment',
  slice: 'by the algorithm slice',
  split: 'by the algorithm split',
  warp: 'by the algorithm warp',
  vote: 'by the majority of the algorithms warp, slice, chain, cluster and segment',
}

/** Describes how fixations were assigned to lines of text (docs/reading.md); empty if they stay where they are. */
export function lineSentences({ parameters: { lines } }: MethodsFacts, cite: Cite): string[] {
  if (lines === undefined) return []
  const slice = lines === 'slice' ? `${cite('glandorf2021')}; ` : ''
  return [
    `Against vertical drift, fixations on texts were assigned to lines ${HOW[lines]} (${slice}${cite('carr2022')}).`,
  ]
}
