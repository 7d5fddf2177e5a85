import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DuckDb, openDuckDb } from '../../../engine/store/duckdb.ts'
import { findPages, readPages } from '../../../engine/store/sample-pages.ts'

/** Columns that DuckDB writes in each of its ways: as they are, by a dictionary of few or of many, in runs, as bits. */
const COLUMNS = `
  i::DOUBLE / 7 AS many, (hash(i) % 5)::DOUBLE AS few, (hash(i) % 900)::DOUBLE AS hundreds, 0::DOUBLE AS constant,
  (i // 1000)::DOUBLE AS runs, CASE WHEN i % 3 = 0 THEN 'NaN'::DOUBLE ELSE (i % 11)::DOUBLE END AS lost,
  CASE WHEN i % 5000 < 4000 THEN 1.5 ELSE (hash(i) % 64)::DOUBLE END AS mixed, hash(i) % 7 = 0 AS flag`
const DOUBLES = ['many', 'few', 'hundreds', 'constant', 'runs', 'lost', 'mixed']

let directory: string
let db: DuckDb
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gazette-pages-'))
  db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 256 })
})
afterAll(async () => {
  db.close()
  await rm(directory, { recursive: true, force: true })
})

async function write(name: string, select: string, options = 'COMPRESSION uncompressed'): Promise<string> {
  const path = join(directory, name)
  await db.connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, ${options})`)
  return path
}

function withFile<T>(path: string, work: (file: ReturnType<typeof openFile>) => T): T {
  const file = openFile(path)
  try {
    return work(file)
  } finally {
    closeSync(file.descriptor)
  }
}

function openFile(path: string) {
  const descriptor = openSync(path, 'r')
  const readAt = (into: Uint8Array, offset: number) => {
    if (readSync(descriptor, into, 0, into.length, offset) !== into.length) throw new Error('cut short')
  }
  return { descriptor, readAt, sizeBytes: fstatSync(descriptor).size }
}

describe.each([
  ['one row group', 2000, 122_880],
  ['several row groups', 20_000, 4096],
  ['a last row group of few rows', 8193, 4096],
  ['one row', 1, 2048],
])('a file of %s', (_name, rowCount, groupRows) => {
  it("gives DuckDB's values for any rows of any column", async () => {
    const path = await write(
      `${rowCount}-${groupRows}.parquet`,
      `SELECT ${COLUMNS} FROM range(${rowCount}) t(i) ORDER BY i`,
      `COMPRESSION uncompressed, ROW_GROUP_SIZE ${groupRows}`,
    )
    const result = await db.connection.runAndReadAll(`SELECT ${COLUMNS} FROM range(${rowCount}) t(i) ORDER BY i`)
    const expected = result.getColumnsObject() as Record<string, (number | boolean)[]>
    withFile(path, ({ readAt, sizeBytes }) => {
      const pages = findPages(readAt, sizeBytes)
      expect(pages.rowCount).toBe(rowCount)
      const rows = fc
        .tuple(fc.nat(rowCount - 1), fc.nat(rowCount))
        .map(([from, n]) => [from, Math.min(from + n, rowCount)])
      fc.assert(
        fc.property(rows, fc.constantFrom(...DOUBLES), ([from, to], column) => {
          const target = new Float64Array(to - from)
          readPages(readAt, pages, column, from, target)
          expect([...target]).toEqual(expected[column].slice(from, to))
          const flags = new Uint8Array(to - from)
          readPages(readAt, pages, 'flag', from, flags)
          expect([...flags]).toEqual(expected.flag.slice(from, to).map(Number))
          const some = new Float64Array(to - from)
          readPages(readAt, pages, column, from, some, flags)
          const isWanted = (_: unknown, i: number) => flags[i] === 1
          expect([...some].filter(isWanted)).toEqual([...target].filter(isWanted))
        }),
        { numRuns: 60 },
      )
    })
  })
})

describe('a file that import did not write', () => {
  it.each([
    ['compressed', 'SELECT i::DOUBLE AS x FROM range(100) t(i)', 'COMPRESSION zstd', /compressed/],
    ['with a NULL', 'SELECT nullif(i, 50)::DOUBLE AS x FROM range(100) t(i)', 'COMPRESSION uncompressed', /NULL/],
    ['without the column', 'SELECT i::DOUBLE AS y FROM range(100) t(i)', 'COMPRESSION uncompressed', /no column x/],
    [
      'of numbers that take fewer bytes',
      'SELECT i::FLOAT AS x FROM range(100) t(i)',
      'COMPRESSION uncompressed',
      /fewer/,
    ],
  ])('%s is refused', async (name, select, options, sentence) => {
    const path = await write(`${name}.parquet`, select, options)
    withFile(path, ({ readAt, sizeBytes }) => {
      const read = () => readPages(readAt, findPages(readAt, sizeBytes), 'x', 0, new Float64Array(100))
      expect(read).toThrow(sentence)
    })
  })
  it('is refused when it has fewer rows', async () => {
    const path = await write('short.parquet', 'SELECT i::DOUBLE AS x FROM range(99) t(i)')
    withFile(path, ({ readAt, sizeBytes }) => {
      const pages = findPages(readAt, sizeBytes)
      expect(() => readPages(readAt, pages, 'x', 0, new Float64Array(100))).toThrow('99 rows')
    })
  })
  it('is refused when cut anywhere', async () => {
    const path = await write('whole.parquet', 'SELECT i::DOUBLE AS x FROM range(100) t(i)')
    const bytes = readFileSync(path)
    for (let length = 0; length < bytes.length; length += 13) {
      const readAt = (into: Uint8Array, offset: number) => {
        if (offset < 0 || offset + into.length > length) throw new Error('cut short')
        into.set(bytes.subarray(offset, offset + into.length))
      }
      expect(() => readPages(readAt, findPages(readAt, length), 'x', 0, new Float64Array(100))).toThrow()
    }
  })
})
