import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDuckDb, readParquet } from '../../../engine/duckdb/duckdb.ts'
import { query, queryRows } from '../../../engine/duckdb/query.ts'
import { ServiceError } from '../../../engine/model/errors.ts'

test('a query is interrupted when it is to stop, with the reason, and the next one runs', {
  timeout: 30_000,
}, async () => {
  const root = await mkdtemp(join(tmpdir(), 'gazette-query-'))
  try {
    const path = join(root, 'few.parquet')
    const db = await openDuckDb({ directories: [root], threads: 1, memoryMib: 64 })
    await db.connection.run('COPY (SELECT range AS i FROM range(3)) TO $path (FORMAT parquet)', { path })
    db.close()
    const stop = new AbortController()
    // It would take hours.
    const long = `SELECT count(*) FROM ${readParquet()}, range(1000000), range(1000000) WHERE hash(i) = 1`
    const asked = query(root, long, { path }, () => 'done', stop.signal)
    setImmediate(() => stop.abort(new ServiceError('overloaded', 'it took too long')))
    await expect(asked).rejects.toMatchObject({ code: 'overloaded', message: 'it took too long' })
    await expect(query(root, long, { path }, () => 'done', stop.signal)).rejects.toMatchObject({ code: 'overloaded' })
    expect(await queryRows(root, `SELECT count(*) FROM ${readParquet()}`, { path })).toEqual([[3n]])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})
