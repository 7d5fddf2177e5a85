import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openDuckDb, readParquet } from '../../../engine/duckdb/duckdb.ts'

test('DuckDB keeps nothing of a file that was read', async () => {
  const path = join(tmpdir(), `gazette-memory-${process.pid}.parquet`)
  const { connection, close } = await openDuckDb({ directories: [tmpdir()], threads: 1, memoryMib: 64 })
  try {
    await connection.run(`COPY (SELECT range AS n FROM range(100000)) TO '${path}' (FORMAT parquet)`)
    const read = await connection.runAndReadAll(`SELECT sum(n)::BIGINT FROM ${readParquet()}`, { path })
    expect(read.getRows()).toEqual([[4999950000n]])
    const kept = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM duckdb_external_file_cache()')
    expect(kept.getRows()).toEqual([[0]])
  } finally {
    close()
    await rm(path, { force: true })
  }
})

/** In a process of its own: where much else lives, as beside other tests, old objects are left to V8. */
const OLD = `
import { setImmediate } from 'node:timers/promises'
import { collectGarbage } from ${JSON.stringify(new URL('../../../dist/engine/duckdb/garbage.js', import.meta.url).href)}
const old = { kept: [{}] }
const seen = new WeakRef(old.kept[0])
// Young objects become old by being there at a few collections.
for (let i = 0; i < 4; i++) collectGarbage(1 << 21)
old.kept = []
for (let i = 0; i < 8; i++) {
  await setImmediate()
  collectGarbage(1 << 21)
}
console.log(seen.deref())`

test('old objects are collected, too, once enough has been read', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', OLD])
  expect(stdout).toBe('undefined\n')
})
