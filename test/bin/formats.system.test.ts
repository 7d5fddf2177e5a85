import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tableFromIPC } from 'apache-arrow'
import { expect, test } from 'vitest'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import { keptDirectory } from '../engine/kept.ts'
import { brokenRules } from '../engine/products/package/bids/rules.ts'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import { gazette } from './gazette.ts'

const bundle = fileURLToPath(new URL('../golden/bundle', import.meta.url))
const dir = await keptDirectory()
const data = join(dir, 'data')
expect(await gazette(['import', bundle, '--data', data])).toMatchObject({ code: 0 })

const run = (name: string, ...options: string[]) =>
  gazette(['export', name, '--study', GOLDEN_STUDY, '--data', data, ...options])

test('gazette export writes each format, with as many rows', async () => {
  const rows = (await run('mouse')).stdout.split('\n').length - 2
  expect(rows).toBeGreaterThan(100)
  const ndjson = await run('mouse', '--format', 'ndjson')
  expect(ndjson).toMatchObject({ code: 0, stderr: '' })
  expect(
    ndjson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toHaveLength(rows)
  const told = expect.stringMatching(new RegExp(`: ${rows} rows, .* kB\\n$`))
  const [arrow, parquet] = [join(dir, 'mouse.arrow'), join(dir, 'mouse.parquet')]
  expect(await run('mouse', '--format', 'arrow', '-o', arrow)).toMatchObject({ code: 0, stdout: '', stderr: told })
  expect(tableFromIPC(await readFile(arrow)).numRows).toBe(rows)
  expect(await run('mouse', '--format', 'parquet', '-o', parquet)).toMatchObject({ code: 0, stdout: '', stderr: told })
  const duckDb = await openDuckDb({ directories: [dir], threads: 1, memoryMib: 128 })
  const read = await duckDb.connection.runAndReadAll('SELECT count(*)::INTEGER AS n FROM read_parquet($1)', [parquet])
  duckDb.close()
  expect(read.getRowObjectsJS()).toEqual([{ n: rows }])
})

test('gazette export bids writes a dataset that breaks no rule, whole or not at all', async () => {
  const directory = join(dir, 'deep', 'dataset')
  const { code, stdout } = await run('bids', '-o', directory)
  expect(code).toBe(0)
  expect(stdout).toMatch(/participants, \d+ tests, \d+ samples\n$/)
  expect(await brokenRules(directory)).toEqual([])
  expect(await readdir(join(dir, 'deep'))).toEqual(['dataset'])
})

test('gazette export bids refuses a folder that holds something', async () => {
  const directory = join(dir, 'full')
  const first = await run('bids', '-o', directory)
  expect(first.code).toBe(0)
  await writeFile(join(directory, 'mine.txt'), 'kept')
  const { code, stderr } = await run('bids', '-o', directory)
  expect(code).toBe(2)
  expect(stderr).toContain('already exists')
  expect(await readFile(join(directory, 'mine.txt'), 'utf8')).toBe('kept')
  expect((await readdir(dir)).filter((name) => name.includes('.part'))).toEqual([])
})

test('gazette export package writes a folder or a ZIP file, whole or not at all', async () => {
  const [directory, zip] = [join(dir, 'package'), join(dir, 'package.zip')]
  const named = ['--exports', 'saccades,fixations']
  const written = await run('package', '-o', directory, ...named)
  expect(written).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/package: \d+ rows, .* of tables\n$/),
  })
  expect((await readdir(join(directory, 'data'))).sort()).toEqual(['fixations.csv', 'saccades.csv'])
  expect(await readFile(join(directory, 'data', 'fixations.csv'), 'utf8')).toBe((await run('fixations')).stdout)
  expect(await run('package', '-o', zip, ...named)).toMatchObject({ code: 0 })
  const bytes = await readFile(zip)
  const refused = await run('package', '-o', zip)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('already exists: add --force')])
  expect((await readFile(zip)).equals(bytes)).toBe(true)
  expect((await readdir(dir)).filter((name) => name.includes('.part'))).toEqual([])
})

test.each([
  [['mouse', '--format', 'xls'], /Allowed choices are csv, ndjson, arrow, parquet, xlsx, csv-semicolon/],
  [['mouse', '--screen-distance', '0.6'], /--screen-distance applies only to node dist\/bin\/gazette.cjs export bids/],
  [['mouse', '--exports', 'fixations'], /--exports applies only to node dist\/bin\/gazette.cjs export package/],
  [['package'], /needs -o DIR or -o FILE\.zip/],
  [['package', '-o', 'x', '--exports', 'fixation'], /--exports must be names .*; did you mean fixations\?/],
  [['package', '-o', 'x', '--format', 'arrow'], /the tables of a package are csv or parquet, not arrow/],
  [['package', '-o', 'x.zip', '--part', '1/2'], /package cannot be made in parts: leave out --part/],
  [['bids'], /needs -o DIR/],
  [['bids', '-o', 'x', '--format', 'parquet'], /leave out --format/],
  [['bids', '-o', 'x', '--screen-size', '0.5'], /must be WIDTHxHEIGHT in metres/],
  [['bids', '-o', 'x', '--screen-distance', '60 cm'], /must be metres/],
])('gazette export %j is wrong usage, and says how', async ([name, ...options], pattern) => {
  const { code, stdout, stderr } = await run(name, ...options)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(pattern)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})
