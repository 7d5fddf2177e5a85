import type { Columns, TableRow } from '../../import/bundle/read-table.ts'
import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import { nearest } from '../../model/nearest.ts'

/** Location in a body as a path, such as `tests[2].samples`. */
export type Where = { path: string; problems: Problems }
export type Fields = Record<string, unknown>

export function report({ path, problems }: Where, column: string, value: unknown, rule: string): void {
  const shown = value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)
  const at = [path, column].filter(Boolean).join('.')
  addProblem(problems, { file: 'body', line: null, column: at || null, value: shown, rule })
}

/** Returns a value that must be an object; null, with a problem, for anything else. */
export function fieldsOf(value: unknown, where: Where): Fields | null {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  report(where, '', value, value === undefined ? 'is missing' : 'must be an object')
  return null
}

/**
 * Returns a value that must be a list with at most so many entries; [] for null and undefined and, with a problem, for
 * anything else.
 */
export function boundedList(value: unknown, max: number, where: Where): unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.length <= max) return value
  const count = Array.isArray(value) ? value.length : 0
  report(where, '', count > 0 ? count : value, count > 0 ? `must have at most ${max} entries` : 'must be a list')
  return []
}

/** Refuses unknown fields. */
export function refuseOthers(fields: Fields, known: string[], where: Where): void {
  for (const [name, value] of Object.entries(fields)) {
    if (known.includes(name)) continue
    const near = nearest(name, known).nearest
    report(where, name, value, `is no field of it${near ? `; ${near} is` : ''}`)
  }
}

/**
 * Parses the fields of an object by the rules of a table's cells, which are text, so bodies and bundles have the same
 * rules.
 *
 * @returns the row; null, with problems, if a cell breaks its rule
 */
export function readCells<C extends Columns>(fields: Fields, cells: C, where: Where): TableRow<C> | null {
  const row: Record<string, unknown> = {}
  let isWhole = true
  for (const [name, { parse, rule }] of Object.entries(cells)) {
    const text = textOf(fields[name])
    row[name] = text === null ? undefined : parse(text)
    // A cell of a table may be padded; in JSON, a text with spaces is not a number.
    if (typeof row[name] === 'number' && typeof fields[name] === 'string' && text !== text?.trim())
      row[name] = undefined
    if (row[name] !== undefined) continue
    isWhole = false
    report(where, name, fields[name], fields[name] === undefined ? `is missing; it ${rule}` : rule)
  }
  return isWhole ? (row as TableRow<C>) : null
}

/** Returns a value as the text of a cell; null for a value that no cell can hold. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value.join(',') : null
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null
}
