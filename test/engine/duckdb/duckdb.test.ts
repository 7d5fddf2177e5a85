import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DuckDb, openDuckDb } from '../../../engine/duckdb/duckdb.ts'

/** What would let SQL reach more than it was given. */
const WIDER = [
  'SET enable_external_access = true',
  "SET allowed_directories = ['/']",
  "SET allowed_paths = ['/etc/hostname']",
  "FROM read_csv('/etc/hostname')",
  "ATTACH '/etc/hostname' AS other",
  'INSTALL httpfs',
  'LOAD httpfs',
]

describe.each([{ isShared: false }, { isShared: true }])('a DuckDB opened with %j', ({ isShared }) => {
  let db: DuckDb
  beforeAll(async () => {
    db = await openDuckDb({ directories: [tmpdir()], threads: 3, memoryMib: 64, isShared })
  })
  afterAll(() => db.close())

  test.each(WIDER)('refuses %s', async (sql) => {
    await expect(db.connection.run(sql)).rejects.toThrow(/disabled|locked|while database is running/)
  })

  test('shares its threads once, if it was opened for that, and is locked then', async () => {
    const sharing = db.shareThreads(2)
    await (isShared ? sharing : expect(sharing).rejects.toThrow(/locked/))
    const set = await db.connection.runAndReadAll("SELECT current_setting('threads')")
    expect(Number(set.getRows()[0][0])).toBe(isShared ? 2 : 3)
    await expect(db.connection.run('SET threads = 1')).rejects.toThrow(/locked/)
  })
})
