import { readParquet } from '../../duckdb/duckdb.ts'
import { queryRows } from '../../duckdb/query.ts'
import { refusedValue } from '../../model/errors.ts'
import type { Events } from '../../model/study.ts'
import { studiesDirectoryOf } from '../../storage/files/layout.ts'
import { EVENTS_FILE } from '../table-columns.ts'
import { type TableFiles, tablePath } from '../tables.ts'

const SELECT = `SELECT test_row, test_id, t_us, name, value FROM ${readParquet()}
  WHERE test_row BETWEEN $from AND $to ORDER BY test_row, t_us, event_row`

/**
 * Loads the events of some tests of a snapshot.
 *
 * @returns by test id, each in the order of time; without those that have none
 * @throws ServiceError corrupt, overloaded
 */
export async function loadEvents(files: TableFiles, testRows: Int32Array): Promise<Map<string, Events>> {
  const path = testRows.length === 0 ? null : await tablePath(files, EVENTS_FILE)
  if (path === null) return new Map()
  const wanted = new Set(testRows)
  let [from, to] = [testRows[0], testRows[0]]
  for (const row of wanted) {
    if (row < from) from = row
    if (row > to) to = row
  }
  const found = new Map<string, { tUs: number[]; name: string[]; value: string[] }>()
  for (const [row, id, tUs, name, value] of await queryRows(studiesDirectoryOf(files.directory), SELECT, {
    path,
    from,
    to,
  })) {
    if (!wanted.has(Number(row))) continue
    const own = found.get(String(id)) ?? { tUs: [], name: [], value: [] }
    own.tUs.push(Number(tUs))
    own.name.push(String(name))
    own.value.push(value === null ? '' : String(value))
    found.set(String(id), own)
  }
  return new Map([...found].map(([id, { tUs, ...texts }]) => [id, { ...texts, tUs: Float64Array.from(tUs) }]))
}

const NAMED = `SELECT 1 FROM ${readParquet()} WHERE name = $name LIMIT 1`

/** Returns whether a snapshot has an event of a name. @throws ServiceError corrupt, overloaded */
async function hasEvent(files: TableFiles, name: string): Promise<boolean> {
  const path = await tablePath(files, EVENTS_FILE)
  if (path === null) return false
  return (await queryRows(studiesDirectoryOf(files.directory), NAMED, { path, name })).length > 0
}

/** Refuses a name of which a snapshot has no event. @throws ServiceError invalid_param, corrupt, overloaded */
export async function refuseUnknownEvent(files: TableFiles, name: string, parameter = 'eventType'): Promise<void> {
  if (await hasEvent(files, name)) return
  throw refusedValue({ parameter, rule: 'must be the name of events of the study', value: name })
}
