import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type DuckDb, openDuckDb } from '../../../engine/duckdb/duckdb.ts'

/** Statements that would let SQL reach more than it may. */
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

test.each(['a b', 'a?b', "a'b"])('a DuckDB keeps its tables where the folder is called %s', async (name) => {
  const root = mkdtempSync(join(tmpdir(), 'gazette-duckdb-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const directory = join(root, name)
  mkdirSync(directory)
  const tablesFile = join(directory, 'tables.duckdb')
  const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 64, isShared: true, tablesFile })
  onTestFinished(() => db.close())
  await db.connection.run('CREATE TABLE kept AS SELECT range AS n FROM range(100_000)')
  expect((await db.connection.runAndReadAll('SELECT sum(n)::DOUBLE FROM kept')).getRows()).toEqual([[4_999_950_000]])
})

test('a text that begins with U+FEFF keeps it, whether short or long', async () => {
  const db = await openDuckDb({ directories: [tmpdir()], threads: 1, memoryMib: 64 })
  onTestFinished(() => db.close())
  const found = await db.connection.runAndReadAll("SELECT chr(65279) || 'a', chr(65279) || repeat('b', 40)")
  expect(found.getRows()).toEqual([['\uFEFFa', `\uFEFF${'b'.repeat(40)}`]])
})
