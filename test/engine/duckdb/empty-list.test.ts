import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listValue } from '../../../engine/duckdb/duckdb.ts'
import { queryRows } from '../../../engine/duckdb/query.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gazette-list-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test.each([
  ['numbers', 'SELECT list_contains($list::INTEGER[], 3), $path', [3, 4]],
  ['texts', "SELECT list_contains($list::VARCHAR[], 'a'), $path", ['a', 'b']],
  ['texts by place', "SELECT coalesce(list_extract($list::VARCHAR[], 1) = 'a', FALSE), $path", ['a']],
] as const)('a list of %s may be empty, before and after it is not', async (_what, sql, items) => {
  const holds = async (list: readonly (number | string)[]) =>
    (await queryRows(root, sql, { path: '', list: listValue([...list]) }))[0][0]
  expect(await holds([])).toBe(false)
  expect(await holds(items)).toBe(true)
  expect(await holds([])).toBe(false)
})
