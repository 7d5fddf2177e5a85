import { readFile, rm } from 'node:fs/promises'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EYE_NAMES } from '../../engine/model/eye-columns.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { importGolden, newDataDir } from '../engine/studies.ts'

let page: string
let dataDir: string
let golden: Snapshot
let duckdb: DuckDBConnection

beforeAll(async () => {
  page = await readFile(new URL('../../docs/storage.md', import.meta.url), 'utf8')
  dataDir = await newDataDir()
  golden = await importGolden(dataDir)
  // DuckDB as anybody has it, in the directory of the snapshot.
  duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  await duckdb.run(`SET file_search_path = '${golden.directory}'`)
})
afterAll(async () => {
  duckdb?.closeSync()
  await rm(dataDir, { recursive: true, force: true })
})

test('the SQL in docs/storage.md reads every sample that the manifest promises', async () => {
  const queries = [...page.matchAll(/^```sql\n([\s\S]*?)```/gm)].map(([, sql]) => sql)
  expect(queries).toHaveLength(2)
  const { counts } = golden.manifest
  const perTest = (await duckdb.runAndReadAll(queries[0])).getRowObjects()
  expect(perTest.reduce((sum, { samples }) => sum + Number(samples), 0)).toBe(counts.samples)
  expect(perTest.length).toBeLessThanOrEqual(counts.tests)
  const perSample = await duckdb.runAndReadAll(queries[1])
  expect(perSample.currentRowCount).toBe(counts.samples)
})

test('docs/storage.md lists the columns of every table, and no others', async () => {
  for (const [heading, file] of [
    ['participants.parquet', 'participants.parquet'],
    ['tests.parquet', 'tests.parquet'],
    ['samples-*.parquet', golden.manifest.sampleFiles[0].name],
  ]) {
    const listed = listedBelow(`## ${heading}`)
    const read = await duckdb.runAndReadAll(`SELECT * FROM '${file}'`)
    expect(listed.sort(), file).toEqual(read.columnNames().sort())
  }
  expect(listedBelow('### Columns of each eye')).toEqual(EYE_NAMES)
})

/** Lists the columns in the tables below a heading, up to the next one. */
function listedBelow(heading: string): string[] {
  const section = page.split(`\n${heading}\n`)[1].split(/\n##+ /)[0]
  return [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names]) => names.match(/\w+/g) ?? [])
}

test('tables have as many rows as the manifest promises', async () => {
  const { participants, tests } = golden.manifest.counts
  const count = async (file: string) =>
    Number((await duckdb.runAndReadAll(`SELECT count(*) FROM '${file}'`)).getRows()[0][0])
  expect([await count('participants.parquet'), await count('tests.parquet')]).toEqual([participants, tests])
})
