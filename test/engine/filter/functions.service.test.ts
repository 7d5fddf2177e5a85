import { expect, test } from 'vitest'
import { openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { filterColumns } from '../../../engine/filter/columns.ts'
import { readFilter } from '../../../engine/filter/read-filter.ts'
import { columnSql, filterSql } from '../../../engine/filter/to-sql.ts'
import { kept } from '../kept.ts'

const duckDb = kept(await openDuckDb({ directories: [], threads: 1, memoryMib: 256 }))

const columns = filterColumns(['condition'])

/** Filters with every kind of condition, on each column. */
const FILTERS = [
  ...[...columns.keys()].map((name) => `${name} IS NULL`),
  "participant_display_name LIKE '%a_b%' OR test_id LIKE 'a%b%' OR participant_id = participant_external_id",
  "TRY_CAST(external_data_condition AS DOUBLE) NOT BETWEEN 1 AND 2 AND test_id IN ('a', 'b')",
  "list_contains(participant_tags, 'a') AND participant_is_completed",
  "participant_created_at >= TIMESTAMP '2024-01-01T00:00:00Z' AND NOT test_created_at < '2024-01-01T00:00:00Z'",
]

/** Functions that return no text, of whatever they are given. */
const OF_NO_TEXT = ['floor', 'greatest', 'least', 'like_by_segments', 'list_contains', 'nullif', 'regexp_full_match']
/** Functions that return text, each with the worst that it can be given, and by how much that may grow. */
const OF_TEXT: Record<string, { call: string; factor: number }> = {
  // The text of most bytes for each of its own: two become three.
  lower: { call: 'lower($text)', factor: 1.5 },
  coalesce: { call: 'coalesce(NULL, $text)', factor: 1 },
  list_extract: { call: 'list_extract([$text], 1)', factor: 1 },
  regexp_extract: { call: "regexp_extract($text, '(.+)', 1)", factor: 1 },
  rtrim: { call: "rtrim($text, '0')", factor: 1 },
  substr: { call: 'substr($text, 1, 2000000000)', factor: 1 },
}
const SYNTAX = ['and', 'cast', 'in', 'not', 'or', 'then', 'try_cast', 'when']

test('a filter can name no function that makes much of little', async () => {
  const named = new Set<string>()
  for (const text of FILTERS) {
    const { condition, fault } = readFilter(text, columns)
    expect(fault, text).toBeNull()
    const { where, columns: read } = filterSql(condition!, true)
    for (const sql of [where, ...read.map(columnSql)])
      for (const [, name] of sql.replace(/'[^']*'/g, "''").matchAll(/([a-z_]\w*)\s*\(/gi)) named.add(name.toLowerCase())
  }
  const called = [...named].filter((name) => !SYNTAX.includes(name)).sort()
  expect(called).toEqual([...OF_NO_TEXT, ...Object.keys(OF_TEXT)].sort())
})

test('what a function of a filter returns is hardly longer than what it is given', async () => {
  for (const sign of ['Ⱥ', 'İ', 'x', '0', '😀'])
    for (const [name, { call, factor }] of Object.entries(OF_TEXT)) {
      const text = sign.repeat(500_000)
      const [[bytes]] = (await duckDb.connection.runAndReadAll(`SELECT strlen(${call})`, { text })).getRows()
      expect(Number(bytes), `${name} of ${sign}`).toBeLessThanOrEqual(Buffer.byteLength(text) * factor)
    }
})
