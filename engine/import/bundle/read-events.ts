import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import { toUs } from '../../model/microseconds.ts'
import { isPlainText } from '../../model/plain-text.ts'
import type { GivenEvent } from '../../snapshot/table-columns.ts'
import { EVENTS_MAX, hasAtMost, LONG_TABLE_MAX_BYTES, NAME_MAX } from './bundle-limits.ts'
import { type Cell, DAY_MS, numberCell, prose, required, uuid } from './parse-cell.ts'
import { readTable, type Table, type TableRow } from './read-table.ts'

const eventName: Cell<string> = {
  rule: `must be text of 1 to ${NAME_MAX.toLocaleString('en')} characters, without U+0000`,
  parse: (given) => (given !== '' && hasAtMost(given, NAME_MAX) && isPlainText(given) ? given : undefined),
}

/** Rules for the cells of an event. */
export const EVENT_CELLS = {
  test_id: uuid,
  t_ms: required(numberCell(-DAY_MS, DAY_MS)),
  name: eventName,
  value: prose,
}

/**
 * Reads events.csv or events.parquet.
 *
 * @param tests returns whether an event may name a test; null if unknown, since the tests could not be read
 * @returns the valid rows, in order
 */
export async function readEvents(
  table: Table,
  tests: ((id: string) => boolean) | null,
  problems: Problems,
): Promise<GivenEvent[]> {
  const { file } = table
  const bounded = { ...table, maxRows: EVENTS_MAX, maxBytes: LONG_TABLE_MAX_BYTES }
  const events: GivenEvent[] = []
  const texts = new Map<string, string>()
  const once = (text: string) => {
    if (!texts.has(text)) texts.set(text, text)
    return texts.get(text)!
  }
  await readTable(bounded, EVENT_CELLS, problems, (row, line, isWhole) => {
    const id = row.test_id
    if (id !== undefined && tests?.(id) === false)
      addProblem(problems, { file, line, column: 'test_id', value: id, rule: 'must be the id of a test' })
    else if (isWhole) events.push(eventOf({ ...row, test_id: once(id!), name: once(row.name!) }))
  })
  return events
}

/** Converts a valid row to an event. */
export function eventOf(row: TableRow<typeof EVENT_CELLS>): GivenEvent {
  return { testId: row.test_id!, tUs: toUs(row.t_ms!), name: row.name!, value: row.value! }
}
