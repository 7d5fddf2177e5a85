import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runSql, type SqlOptions } from '../../../../engine/analysis/sql/run-sql.ts'
import { viewName } from '../../../../engine/analysis/sql/study-views.ts'
import { makePlan } from '../../../../engine/exports/make-plan.ts'
import { findExport } from '../../../../engine/exports/registry.ts'
import { ServiceError } from '../../../../engine/model/errors.ts'
import { EXPORT_NAMES } from '../../../../engine/model/export-names.ts'
import type { FormatName } from '../../../../engine/model/format-names.ts'
import { defaultParameters, type Parameters } from '../../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../../engine/model/study.ts'
import { inlinePool } from '../../../../engine/run/inline-pool.ts'
import { runExport } from '../../../../engine/run/run-export.ts'
import { keptDirectory } from '../../kept.ts'
import { importDemo } from '../../studies.ts'

const pool = inlinePool()
const dataDir = await keptDirectory()
const snapshot = await importDemo(dataDir, { participants: 2, items: 2, seconds: 1, hz: 60, seed: 4 })

type Given = Partial<Omit<SqlOptions, 'studies'>> & {
  format?: FormatName
  parameters?: Partial<Parameters>
  snapshots?: Snapshot[]
}

/** Runs a query, and returns the file of its result, with the exports that were computed for it. */
async function ran(text: string, { format = 'csv', parameters, snapshots = [snapshot], ...given }: Given = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-sql-'))
  const computed = new Set<string>()
  const limits = { threads: 1, memoryMib: 256, spillMaxBytes: 2 ** 30, signal: new AbortController().signal }
  const onExport = (name: string) => void computed.add(name)
  const asked = { ...defaultParameters(), ...parameters }
  const how = {
    studies: snapshots.map((each) => ({ snapshot: each, parameters: asked })),
    pool,
    scratch: join(directory, 'files'),
    ...limits,
    onExport,
    ...given,
  }
  try {
    const bytes = await runSql({ text, ...how }, ({ file }) => gathered(file(format, true)))
    return { bytes, text: bytes.toString(), computed: [...computed] }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function gathered(blocks: AsyncIterable<{ bytes: Uint8Array }>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const { bytes } of blocks) pieces.push(bytes.slice())
  return Buffer.concat(pieces)
}

const refused = (text: string, given: Given = {}) =>
  ran(text, given).then(
    () => 'it ran',
    (error) => (error instanceof ServiceError ? error.message : String(error.stack)),
  )

const lines = (text: string) => text.trimEnd().split('\n')

describe('a table of an export', () => {
  const kinds = ['fixations', 'gazes-raw', 'gazes-aois-binned', 'aoi-overall-stats', 'keyboard-mouse-overall']
  for (const entry of kinds.map((name) => findExport(name)!))
    test(`${entry.name} has the rows that the export has`, async () => {
      const parameters = { ...defaultParameters(), gazeVelocityThreshold: 90 }
      const plan = makePlan({ snapshot, exportName: entry.name, parameters, formulaGuard: false, format: 'ndjson' })
      const signal = new AbortController().signal
      const own = lines((await gathered(runExport({ plan, snapshot, pool, signal, gzip: false }))).toString())
      // JSON is a list or a text in Parquet, and not as NDJSON writes it.
      const nested = entry.columns.filter(({ type }) => type === 'json').map(({ name }) => name)
      nested.push('participant_tags')
      const without = (line: string) => Object.entries(JSON.parse(line)).filter(([name]) => !nested.includes(name))
      const { text, computed } = await ran(`FROM ${viewName(entry.name)}`, { format: 'ndjson', parameters })
      expect(own.length).toBeGreaterThan(1)
      expect(lines(text).map(without)).toEqual(own.map(without))
      expect(computed).toEqual([entry.name])
    })
})

describe('what is computed', () => {
  test('is what the query names, once, in subqueries, joins and CTEs too', async () => {
    const query = `WITH f AS (FROM Fixations)
      SELECT count(*) FROM f JOIN main.saccades USING (participant_id, item_id)
      WHERE fixation_index > (SELECT min(fixation_index) FROM fixations)`
    expect((await ran(query)).computed).toEqual(['fixations', 'saccades'])
  })
  test('is nothing for tables of the study, descriptions of columns and lists of tables', async () => {
    expect((await ran('SELECT count(*) FROM samples')).text).toBe(`count_star()\n${snapshot.manifest.counts.samples}\n`)
    for (const query of ['DESCRIBE fixations', 'DESCRIBE SELECT 1 FROM fixations', 'SHOW TABLES', 'FROM participants'])
      expect((await ran(query)).computed, query).toEqual([])
    const described = lines((await ran('DESCRIBE fixations')).text)
    expect(described).toContain('fixation_index,INTEGER,YES,,,')
    const names = lines((await ran('SHOW TABLES')).text)
    expect(names.sort()).toEqual(
      [
        'name',
        'aois',
        'items',
        'participants',
        'samples',
        'studies',
        'tests',
        'validations',
        // Those two are tables of the study itself, the second where it has events.
        ...EXPORT_NAMES.filter((name) => name !== 'samples' && name !== 'events').map(viewName),
      ].sort(),
    )
  })
  test('is not left out behind a description', async () => {
    const [, found] = lines((await ran('FROM (SUMMARIZE fixations)')).text)
    expect(found).not.toMatch(/,0,[^,]*$/)
    const query = 'SELECT (SELECT count(*) FROM fixations) AS n FROM (DESCRIBE tests) LIMIT 1'
    expect(Number(lines((await ran(query)).text)[1])).toBeGreaterThan(0)
  })
  test('is nothing before the query is found to be right', async () => {
    let isComputed = false
    const onExport = () => {
      isComputed = true
    }
    expect(await refused('SELECT nothing FROM fixations', { onExport })).toMatch(/"nothing" not found.*\(line 1\)$/)
    expect(isComputed).toBe(false)
  })
  test('heeds the settings, items and filters of exports', async () => {
    const few = await ran('SELECT DISTINCT item_id FROM fixations', {
      parameters: { itemId: snapshot.study.items[1].id },
    })
    expect(lines(few.text)).toEqual(['item_id', snapshot.study.items[1].id])
  })
})

test.for([
  ["SELECT 'a'\n::INTEGER", /^Could not convert string 'a' to INT32/],
  ['SELECT $1', /parameter/],
  [
    'SELECT list(a::VARCHAR) FROM range(1_000_000) t(a)',
    /^the query needs more memory than ENGINE_MEMORY_MIB allows, 32 MiB: ask for less, or raise the setting$/,
  ],
] as const)('a query that fails is told in a sentence: %j', async ([query, sentence]) => {
  const message = await refused(query, { memoryMib: 32 })
  expect(message).toMatch(sentence)
  expect(message).not.toContain('\n')
  expect(message).not.toContain(dataDir)
})

test('sample files of an object store are pinned while they may be read, and released', async () => {
  const log: string[] = []
  const pin = async (what: unknown) => {
    log.push(what === 'images' ? what : 'samples')
    return () => void log.push('let go')
  }
  const remote = { ...snapshot, pin }
  await ran('SELECT count(*) FROM samples', { snapshots: [remote] })
  expect(log).toEqual(['samples', 'let go'])
  expect(await refused('SELECT nothing FROM samples', { snapshots: [remote] })).toContain('"nothing" not found')
  expect(log.slice(2)).toEqual(['samples', 'let go'])
})

test('a query that is stopped ends with the reason, and leaves nothing', async () => {
  const scratch = join(await mkdtemp(join(tmpdir(), 'gazette-sql-')), 'files')
  const stop = new AbortController()
  const reason = new ServiceError('canceled', 'it took too long')
  const running = refused('SELECT count(*) FROM range(100_000_000_000) a, range(1000) b', {
    scratch,
    signal: stop.signal,
  })
  for (;;) if ((await readdir(scratch).catch((): string[] => [])).includes('result.duckdb')) break
  stop.abort(reason)
  expect(await running).toBe('it took too long')
})

describe('docs/sql.md', () => {
  test('has only queries that find rows', async () => {
    const page = await readFile(new URL('../../../../docs/sql.md', import.meta.url), 'utf8')
    const queries = [...page.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, query]) => query)
    expect(queries.length).toBeGreaterThan(4)
    for (const query of queries) expect(lines((await ran(query)).text).length, query).toBeGreaterThan(1)
  })
})

describe('several studies as one', () => {
  const snapshots: Snapshot[] = []
  beforeAll(async () => {
    snapshots.push(snapshot, await importDemo(dataDir, { participants: 3, items: 2, seconds: 1, hz: 30, seed: 5 }))
  })

  test('tables and exports have the rows of all, each with its study', async () => {
    for (const [table, counts] of [
      ['participants', [2, 3]],
      ['tests', [4, 6]],
      ['items', [2, 2]],
      ['samples', snapshots.map(({ manifest }) => manifest.counts.samples)],
    ] as const) {
      const { text } = await ran(`SELECT study_id, count(*) AS n FROM ${table} GROUP BY ALL`, { snapshots })
      const rows = snapshots.map(({ study }, i) => `${study.id},${counts[i]}`)
      expect(lines(text).slice(1).sort()).toEqual(rows.sort())
      expect(lines((await ran(`DESCRIBE ${table}`, { snapshots })).text)[1]).toMatch(/^study_id,VARCHAR/)
    }
  })

  test('the rows of an export are those of each study alone, also of one that names no study', async () => {
    for (const name of ['fixations', 'participants_wide']) {
      const rowsOf = async (of: Snapshot[]) =>
        lines((await ran(`FROM ${name}`, { snapshots: of, format: 'ndjson' })).text).map((line) => {
          const { study_id, ...row } = JSON.parse(line)
          return row
        })
      const alone = [...(await rowsOf([snapshots[0]])), ...(await rowsOf([snapshots[1]]))]
      expect(alone.length).toBeGreaterThan(1)
      expect(await rowsOf(snapshots)).toEqual(alone)
    }
  })

  test('a join takes the study, too, since rows are numbered in each', async () => {
    const join =
      'FROM samples JOIN tests USING (study_id, test_ordinal) JOIN participants USING (study_id, participant_row)'
    const { text } = await ran(`SELECT study_id, count(*) AS n ${join} GROUP BY ALL`, { snapshots })
    const counts = snapshots.map(({ study, manifest }) => `${study.id},${manifest.counts.samples}`)
    expect(lines(text).slice(1).sort()).toEqual(counts.sort())
  })
})
