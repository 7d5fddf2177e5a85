import type { Fault } from '../model/errors.ts'
import type { Snapshot } from '../model/study.ts'
import { type FilterColumn, filterColumns } from './columns.ts'
import type { Condition } from './condition.ts'
import { parseCondition } from './parse.ts'
import { FilterError } from './tokens.ts'

const CHARACTERS_MAX = 2000

/**
 * Reads a filter (docs/filter.md).
 *
 * @param text trimmed
 * @param columns those of the study: see `filterColumns`
 * @returns the condition, or its first fault, whose position counts characters from 1
 */
export function readFilter(
  text: string,
  columns: Map<string, FilterColumn>,
): { condition: Condition; fault: null } | { condition: null; fault: Fault } {
  try {
    checkCharacters(text)
    return { condition: parseCondition(text, columns), fault: null }
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

/** Returns the faults of a filter of a study: none, or the first. */
export function filterFaults(text: string | null, { manifest }: Pick<Snapshot, 'manifest'>): Fault[] {
  if (text === null) return []
  const { fault } = readFilter(text, filterColumns(manifest.participantColumns?.externalData ?? []))
  return fault === null ? [] : [fault]
}

/** @throws FilterError */
function checkCharacters(text: string): void {
  if (text.length > CHARACTERS_MAX && characters(text) > CHARACTERS_MAX) {
    const start = [...text].slice(0, CHARACTERS_MAX).join('')
    throw new FilterError(`must have at most ${CHARACTERS_MAX} characters`, start.length)
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
