import { VOTERS } from '../../compute/lines/assign-lines.ts'
import type { LineMethod } from '../../model/parameters.ts'
import type { MethodsFacts } from './methods-facts.ts'
import type { Cite } from './phrases.ts'

function howBy(method: LineMethod): string {
  if (method === 'attach') return 'to the nearest line'
  if (method !== 'vote') return `by the algorithm ${method}`
  return `by the majority of the algorithms ${VOTERS.slice(0, -1).join(', ')} and ${VOTERS.at(-1)}`
}

/**
 * Describes how fixations were assigned to lines of text (docs/reading.md); empty if they stay where they
 * are, or no item has words.
 */
export function lineSentences({ parameters: { lines }, aois }: MethodsFacts, cite: Cite): string[] {
  if (lines === undefined || aois.texts === 0) return []
  const slice = lines === 'slice' ? `${cite('glandorf2021')}; ` : ''
  return [
    `Against vertical drift, fixations on texts were assigned to lines ${howBy(lines)} (${slice}${cite('carr2022')}).`,
  ]
}
