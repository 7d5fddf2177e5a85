import type { Fault } from '../model/errors.ts'
import type { Snapshot } from '../model/study.ts'
import { type FilterColumn, filterColumns } from './columns.ts'
import type { Condition } from './condition.ts'
import { parseCondition } from './parse.ts'
import { FilterError } from './tokens.ts'

/** Limits of a filter: its length, and the nesting of parentheses and NOTs. */
type FilterBounds = { charactersMax: number; depthMax: number }
const GIVEN: FilterBounds = { charactersMax: 2000, depthMax: 64 }
/** Limits of joined filters, each of which was already checked: those of a request, its analysis, and a group. */
export const JOINED: FilterBounds = { charactersMax: 3 * GIVEN.charactersMax + 32, depthMax: GIVEN.depthMax + 2 }

/**
 * Parses a filter (docs/filter.md).
 *
 * @param text trimmed
 * @param columns of the study: see `filterColumns`
 * @param bounds JOINED for filters that were checked before they were joined
 * @returns the condition, or its first fault, with its position in characters from 1
 */
export function readFilter(
  text: string,
  columns: Map<string, FilterColumn>,
  bounds = GIVEN,
): { condition: Condition; fault: null } | { condition: null; fault: Fault } {
  try {
    checkCharacters(text, bounds)
    return { condition: parseCondition(text, columns, bounds.depthMax), fault: null }
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    const { message: rule, at, nearest } = error
    const position = characters(text.slice(0, at)) + 1
    return {
      condition: null,
      fault: { parameter: 'filter', rule, value: text, position, ...(nearest ? { nearest } : {}) },
    }
  }
}

/** Returns the faults of a filter of a study: none, or the first one. */
export function filterFaults(text: string | null, { manifest }: Pick<Snapshot, 'manifest'>, bounds = GIVEN): Fault[] {
  if (text === null) return []
  const { fault } = readFilter(text, filterColumns(manifest.participantColumns?.externalData ?? []), bounds)
  return fault === null ? [] : [fault]
}

/** Checks length and characters of a filter. @throws FilterError */
function checkCharacters(text: string, { charactersMax }: FilterBounds): void {
  if (text.length > charactersMax && characters(text) > charactersMax) {
    const start = [...text].slice(0, charactersMax).join('')
    throw new FilterError(`must have at most ${charactersMax} characters`, start.length)
  }
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 32 || code === 127) throw new FilterError('must have no control characters, such as tabs', i)
  }
}

function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
