import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { isDiskFull } from '../../../engine/model/system-errors.ts'
import { asProblem, PROBLEMS } from '../../../server/http/problems.ts'

/** A device that is always full. */
const FULL = '/dev/full'

test.skipIf(!existsSync(FULL))('a disk that is full where DuckDB writes is told as such, with 507', async () => {
  const db = await openDuckDb({ directories: ['/dev'], threads: 1, memoryMib: 64 })
  try {
    const error = await db.connection.run(`COPY (SELECT 1 AS i) TO '${FULL}' (FORMAT parquet)`).then(
      () => null,
      (failure) => failure,
    )
    expect(isDiskFull(error), String(error)).toBe(true)
    const { code } = asProblem(error)
    expect(PROBLEMS[code].status).toBe(507)
  } finally {
    db.close()
  }
})

test('other errors are not', () => {
  for (const message of ['No such file', 'Out of Memory Error', 'IO Error: Permission denied'])
    expect(isDiskFull(new Error(message))).toBe(false)
})
