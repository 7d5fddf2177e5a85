import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { keptDirectory } from '../engine/kept.ts'
import { importDemo } from '../engine/studies.ts'
import { BIN, gazette, hasTerminals, launch } from './gazette.ts'

const run = promisify(execFile)
const directory = await keptDirectory()
const data = join(directory, 'data')
const snapshot = await importDemo(data, { participants: 3, items: 2, seconds: 2, hz: 60, seed: 4 })
const study = snapshot.study.id

test('the lines of docs/sql.md run as they are pasted', async () => {
  const page = await readFile(new URL('../../docs/sql.md', import.meta.url), 'utf8')
  const pasted = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, lines]) => lines).join('')
  const here = pasted.replaceAll('npx gazette', `"${process.execPath}" "${BIN}"`)
  const env = { PATH: process.env.PATH, DATA_DIR: data, STUDY: study }
  const { stdout, stderr } = await run('bash', ['--norc', '-e', '-c', here], { cwd: directory, env })
  expect(stdout).toContain('aoi_overall_stats\n')
  expect(stdout).toContain('fixation_index,INTEGER')
  expect(stdout).toMatch(/^item_filename,fixations\n.+,\d+$/m)
  expect(stdout).toMatch(/^{"item_filename":".+","fixations":\d+}$/m)
  expect(stderr).toMatch(/^result.parquet: 2 rows, \d+ B$/m)
  // The walk over ten studies: what the page shows, and one table that is the tables of all.
  const shown = /```\n(aoi_name,study_name[\s\S]*?)```/.exec(page)![1]
  expect(stdout).toContain(`\n${shown}`)
  const joined = await readFile(join(directory, 'replication.csv'), 'utf8')
  const alone = []
  const listed = await gazette(['studies', '--project', 'Replication', '--json', '--data', data])
  const studies: { id: string; name: string }[] = JSON.parse(listed.stdout).studies
  expect(studies.map(({ name }) => name.replace('Demo study, seed ', ''))).toEqual('1 2 3 4 5 6 7 8 9 10'.split(' '))
  for (const { id } of studies) {
    const one = await gazette(['export', 'fixations', '--study', id, '--data', data])
    alone.push(alone.length === 0 ? one.stdout : one.stdout.slice(one.stdout.indexOf('\n') + 1))
  }
  expect(joined).toBe(alone.join(''))
})

test('several studies are given by name or by project, and refused in a sentence if they differ', async () => {
  const exported = (...args: string[]) => gazette(['export', 'fixations', ...args, '--data', data])
  const other = await gazette([
    'demo',
    '--participants',
    '1',
    '--items',
    '3',
    '--hz',
    '60',
    '--seed',
    '40',
    '--data',
    data,
  ])
  const ids = [study, other.stdout.trim()]
  const named = ids.flatMap((id) => ['--study', id])
  const refused = await exported(...named)
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(/^gazette: the studies differ in .*items \(.* is not in Demo study, seed 4\).*\n$/)
  expect(refused.stderr).toContain('to join them all the same\n')
  const asked = /--despite (\S+)/.exec(refused.stderr)![1]
  const joined = await exported(...named, '--despite', asked)
  expect(joined.code).toBe(0)
  expect([
    ...new Set(
      joined.stdout
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((row) => row.slice(0, 36)),
    ),
  ]).toEqual(ids)
  for (const [args, sentence] of [
    [
      ['--study', study, '--study', study.toUpperCase()],
      new RegExp(`^gazette: study ${study.toUpperCase()} was given twice\n$`),
    ],
    [['--study', study, '--project', 'X'], /^gazette: give --study or --project, not both\n$/],
    [['--project', 'Replicatio'], /^gazette: no study is in project Replicatio; did you mean Replication\?\n$/],
    [[...named, '--despite', 'item'], /, got item; did you mean items\?\n$/],
  ] as const)
    expect((await exported(...args)).stderr).toMatch(sentence)
})

test('errors are one sentence, and leave an older file as it is', async () => {
  const output = join(directory, 'old.csv')
  await writeFile(output, 'old')
  const own = ['sql', '--study', study, '--data', data]
  const there = await gazette([...own, 'SELECT 1', '-o', output])
  expect([there.code, there.stderr]).toEqual([2, expect.stringContaining('already exists')])
  const wrong = await gazette([...own, 'SELECT x FROM items', '-o', output, '--force'])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/^gazette: .*"x" not found.*\n$/)])
  expect(await readFile(output, 'utf8')).toBe('old')
  const twice = await gazette([...own, 'SELECT 1', '--file', 'x.sql'])
  expect(twice.stderr).toBe('gazette: a query was given twice: leave out --file or the query\n')
  const absent = await gazette([...own, '--file', join(directory, 'x.sql')])
  expect(absent.stderr).toMatch(/x.sql cannot be read: there is no such file\n$/)
})

test('a query that takes too long is stopped, and Ctrl-C stops one at once', async () => {
  const endless = 'SELECT count(*) FROM range(100_000_000_000), range(1000)'
  const own = ['sql', '--study', study, '--data', data, endless]
  const late = await gazette([...own, '--timeout', '1'])
  expect([late.code, late.stderr]).toEqual([
    1,
    'gazette: the query was stopped after 1 second: ask for less, or raise --timeout\n',
  ])
  const running = launch(own)
  for (;;) if ((await readdir(data, { recursive: true })).some((name) => name.endsWith('result.duckdb'))) break
  running.process.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([1, 'gazette: the query was canceled\n'])
  expect((await readdir(data)).sort()).toEqual(['audit.jsonl', 'studies'])
})

test.skipIf(!hasTerminals)('a terminal shows a table of the first rows, and says how many there are', async () => {
  const query = "SELECT a AS n, 'x' || chr(27) || repeat('y', 50) AS text FROM range(1234) t(a)"
  const { stdout, code } = await launch(['sql', '--study', study, '--data', data, query], {}, { isTerminal: true })
    .ended
  const lines = stdout.trimEnd().split('\n')
  expect(code).toBe(0)
  expect(lines[0]).toBe(' n  text')
  expect(lines[2]).toBe(` 0  x·${'y'.repeat(37)}…`)
  expect(lines[41]).toBe(`39  x·${'y'.repeat(37)}…`)
  expect(lines[42]).toBe('(1,234 rows, of which 40 are shown; -o FILE writes all)')
})
