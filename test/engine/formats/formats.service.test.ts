import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { tableFromIPC } from 'apache-arrow'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { columnsOf } from '../../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../../engine/exports/columns/study-facts.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS, findExport } from '../../../engine/exports/registry.ts'
import { FORMATS } from '../../../engine/formats/formats.ts'
import type { Column } from '../../../engine/model/columns.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { type FormatName, hasFormulas } from '../../../engine/model/format-names.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import { planId } from '../../../engine/model/plan.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { estimatePlan } from '../../../engine/run/estimate.ts'
import { type RunProgress, runExport } from '../../../engine/run/run-export.ts'
import { csvCells } from '../csv.ts'
import { STUDY_ID, trackerBundle } from '../import/bundles.ts'
import { currentSnapshot } from '../import/contents.ts'
import { keptDirectory, keptFixture, keptPool } from '../kept.ts'
import { importDemo, importGolden } from '../studies.ts'
import { readWorksheet } from './read-worksheet.ts'

const snapshots: Record<string, Snapshot> = {}

const dataDir = await keptDirectory()
const pool = keptPool()
const three = keptPool(3)
snapshots.golden = await importGolden(dataDir)
snapshots.demo = await importDemo(dataDir, { participants: 4, items: 2, seconds: 3, hz: 30, seed: 5 })
const large = await importDemo(dataDir, { participants: 10, items: 4, seconds: 60, hz: 60, seed: 8 })
const empty = await importDemo(dataDir, { participants: 1, items: 1, seconds: 1, hz: 1, seed: 1 })
const fixture = await keptFixture()
const bundle = trackerBundle(2)
const { test_id } = bundle.tests[0]
const events = ['a', ''].map((value, e) => ({ test_id, t_ms: String(700 * e), name: 'go', value }))
const samples = bundle.samples.map((row, i) => ({ ...row, left_pupil: i % 7 === 0 ? '' : '3.5' }))
await fixture.importing({ ...bundle, samples, events })
/** A test with pupils and two events, one of them without a value. */
const eventful = await currentSnapshot(fixture.dataDir, STUDY_ID)

const planFor = (snapshot: Snapshot, exportName: ExportName, format: FormatName, given: Partial<Parameters> = {}) =>
  makePlan({ snapshot, exportName, parameters: { ...defaultParameters(), ...given }, formulaGuard: false, format })

async function written(
  snapshot: Snapshot,
  exportName: ExportName,
  format: FormatName,
  from = pool,
  given: Partial<Parameters> = {},
) {
  const plan = planFor(snapshot, exportName, format, given)
  const run = runExport({ plan, snapshot, pool: from, signal: new AbortController().signal, gzip: true })
  const [plain, gzip]: Uint8Array[][] = [[], []]
  for (;;) {
    const next = await run.next()
    if (next.done) return { bytes: Buffer.concat(plain), gzip: Buffer.concat(gzip), progress: next.value }
    plain.push(next.value.bytes.slice())
    gzip.push(next.value.gzip.slice())
  }
}

type Row = Record<string, unknown>

/** The cells of a CSV without its header. */
const rowsOfCsv = async (csv: Buffer, delimiter: string) => (await csvCells(csv, { delimiter })).slice(1)

/** The rows of the CSV, by another reader of CSV, with types put on by the columns' descriptions alone. */
async function expectedRows(csv: Buffer, columns: Column[]): Promise<Row[]> {
  const rows = await rowsOfCsv(csv, ',')
  return rows.map((row) => Object.fromEntries(columns.map((column, c) => [column.name, typed(row[c], column)])))
}

function typed(cell: string, column: Column): unknown {
  const { type, missing, nested } = column
  if (nested) return nestedValue(JSON.parse(cell), nested)
  if (type === 'boolean') return cell === '' ? null : cell === 'true'
  if (type === 'json') return cell === '' && missing !== null ? null : cell
  if (missing !== null && (cell === '' || cell === missing)) return null
  if (type === 'int' || type === 'number') return cell === '' ? null : Number(cell)
  return cell
}

/** Tuples of a JSON cell as the fields that formats with types have. */
function nestedValue(list: unknown[], nested: NonNullable<Column['nested']>): unknown {
  if (nested === 'texts') return list
  return (list as unknown[][]).map((tuple) =>
    Object.fromEntries(nested.map(({ name, type }, f) => [name, type === 'boolean' ? tuple[f] === true : tuple[f]])),
  )
}

/** Values that other readers get from each format. */
const READERS: Record<Exclude<FormatName, 'csv'>, (bytes: Buffer, columns: Column[]) => Promise<Row[]>> = {
  ndjson: async (bytes, columns) => {
    const lines = bytes.toString().split('\n')
    expect(lines.pop()).toBe('')
    return lines.map((line) => {
      const row = JSON.parse(line)
      expect(Object.keys(row)).toEqual(columns.map(({ name }) => name))
      for (const { name, type, nested } of columns) {
        if (nested) row[name] = nestedValue(row[name], nested)
        else if (type === 'json' && row[name] !== null) {
          expect(typeof row[name]).toBe('object')
          row[name] = JSON.stringify(row[name])
        }
      }
      return row
    })
  },
  arrow: async (bytes, columns) => {
    const table = tableFromIPC(bytes)
    const vectors = columns.map(({ name }) => table.getChild(name)!)
    return Array.from({ length: table.numRows }, (_, i) =>
      Object.fromEntries(columns.map(({ name }, c) => [name, plain(vectors[c].get(i))])),
    )
  },
  parquet: async (bytes) => {
    const path = join(dataDir, 'read.parquet')
    await writeFile(path, bytes)
    const duckDb = await openDuckDb({ directories: [dataDir], threads: 1, memoryMib: 256 })
    try {
      const reader = await duckDb.connection.runAndReadAll('SELECT * FROM read_parquet($1)', [path])
      return reader.getRowObjectsJS().map((row) => plain(row) as Row)
    } finally {
      duckDb.close()
    }
  },
  'csv-semicolon': async (bytes, columns) => {
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
    const isNumber = columns.map(({ type }) => type === 'number' || type === 'int')
    return (await rowsOfCsv(bytes, ';')).map((row) => {
      const cells = row.map((cell, c) => (isNumber[c] ? cell.replace(',', '.') : cell))
      expect(row.some((cell, c) => isNumber[c] && cell.includes('.'))).toBe(false)
      return Object.fromEntries(columns.map((column, c) => [column.name, typed(cells[c], column)]))
    })
  },
  xlsx: async (bytes, columns) => {
    const [header, ...rows] = await readWorksheet(bytes, 'xl/worksheets/sheet1.xml')
    expect(header).toEqual(columns.map(({ name }) => name))
    return rows.map((row) =>
      Object.fromEntries(columns.map(({ name, nested }, c) => [name, nested ? JSON.parse(String(row[c])) : row[c]])),
    )
  },
}

/** Lists and objects of a reader's own as those of JavaScript, and every number as a double. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value !== 'object') return value
  const own = 'toJSON' in value ? (value as { toJSON: () => unknown }).toJSON() : value
  if (Array.isArray(own)) return own.map(plain)
  return Object.fromEntries(Object.entries(own as Row).map(([name, inner]) => [name, plain(inner)]))
}

const FORMAT_NAMES = Object.keys(READERS) as Exclude<FormatName, 'csv'>[]

describe.each(EXPORTS.map(({ name }) => name))('%s', (name) => {
  const named = FORMAT_NAMES.filter((format) => format !== 'xlsx' || !isNested(name))
  const asCsv: { snapshot: Snapshot; columns: Column[]; rows: Row[]; progress: RunProgress }[] = []
  beforeAll(async () => {
    for (const snapshot of Object.values(snapshots)) {
      const columns = columnsOf(findExport(name)!, studyFacts(snapshot))
      const { bytes, progress } = await written(snapshot, name, 'csv')
      asCsv.push({ snapshot, columns, rows: await expectedRows(bytes, columns), progress })
    }
  })
  test.each(named)('holds the cells of the CSV in %s too, as another reader finds them', async (format) => {
    for (const { snapshot, columns, rows, progress: plain } of asCsv) {
      const { bytes, progress } = await written(snapshot, name, format)
      expect(await READERS[format](bytes, columns)).toEqual(rows)
      expect(rows.length).toBe(progress.rows)
      expect(progress).toEqual({ ...plain, bytes: bytes.length })
    }
  })
})

/** Exports with samples in their cells are none of XLSX. */
function isNested(name: ExportName): boolean {
  return findExport(name)!.columns.some(({ nested }) => Array.isArray(nested))
}

test.each(FORMAT_NAMES)(
  '%s has the epochs and further columns of the CSV, whose cells of events are missing or not',
  async (format) => {
    const given = { eventType: 'go', fromMs: -300, toMs: 900, extras: ['pupil' as const] }
    for (const name of ['fixations', 'samples', 'pupil-stats'] as const) {
      const plan = planFor(eventful, name, format, given)
      const columns = columnsOf(findExport(name)!, studyFacts(eventful), plan.parameters)
      const { bytes: csv } = await written(eventful, name, 'csv', pool, given)
      const { bytes } = await written(eventful, name, format, pool, given)
      const rows = await READERS[format](bytes, columns)
      expect(rows).toEqual(await expectedRows(csv, columns))
      expect(new Set(rows.map((row) => row.event_value))).toEqual(new Set(['a', null]))
    }
  },
)

test.each(FORMAT_NAMES)('%s of a header-only export is a file without rows', async (format) => {
  const { bytes, progress } = await written(empty, 'fixations', format)
  expect(progress.rows).toBe(0)
  expect(await READERS[format](bytes, columnsOf(findExport('fixations')!, studyFacts(empty)))).toEqual([])
})

describe.each(FORMAT_NAMES)('%s', (format) => {
  test('has the same bytes with one thread and three, and a gzip version that unzips to them, if it has one', async () => {
    for (const name of ['fixations', format === 'xlsx' ? 'gazes-split' : 'gazes-raw', 'aoi-overall-stats'] as const) {
      const one = await written(large, name, format, pool)
      const other = await written(large, name, format, three)
      expect(other.bytes.equals(one.bytes)).toBe(true)
      const { hasGzip } = FORMATS.find((each) => each.name === format)!
      if (hasGzip) expect(gunzipSync(other.gzip).equals(other.bytes)).toBe(true)
      else expect(other.gzip.length).toBe(0)
      expect((await estimatePlan(planFor(large, name, format), large)).bytes).toBeGreaterThanOrEqual(other.bytes.length)
    }
  })
  test('stops the work when the reader stops', async () => {
    const plan = planFor(large, format === 'xlsx' ? 'gazes-split' : 'gazes-raw', format)
    const signal = new AbortController().signal
    for await (const _block of runExport({ plan, snapshot: large, pool: three, signal, gzip: false })) break
    expect(three.load()).toEqual({ running: 0, waiting: 0 })
  })
  test('is another plan than CSV, and the same with and without the formula guard but for CSV', () => {
    const plan = planFor(snapshots.golden, 'fixations', format)
    const guarded = makePlan({
      snapshot: snapshots.golden,
      exportName: 'fixations',
      parameters: defaultParameters(),
      formulaGuard: true,
      format,
    })
    expect(guarded).toEqual({ ...plan, formulaGuard: hasFormulas(format) })
    expect(planId(plan)).not.toBe(planId(planFor(snapshots.golden, 'fixations', 'csv')))
    expect('format' in planFor(snapshots.golden, 'fixations', 'csv')).toBe(false)
  })
})

test('text that a spreadsheet would run stands as it is', async () => {
  const { bytes } = await written(snapshots.golden, 'fixations', 'ndjson')
  expect(bytes.toString()).toContain('"participant_external_id":"=cmd|x"')
})

test('Arrow and Parquet say what each column means, and in which unit', async () => {
  const arrow = tableFromIPC((await written(snapshots.golden, 'fixations', 'arrow')).bytes)
  const field = arrow.schema.fields.find(({ name }) => name === 'saccade_length_px')!
  expect(Object.fromEntries(field.metadata)).toMatchObject({
    unit: 'px',
    description: expect.stringMatching(/saccade that leads here/),
  })
  expect(arrow.schema.metadata.get('export')).toBe('fixations')
  const path = join(dataDir, 'described.parquet')
  await writeFile(path, (await written(snapshots.golden, 'fixations', 'parquet')).bytes)
  const duckDb = await openDuckDb({ directories: [dataDir], threads: 1, memoryMib: 128 })
  const sql = "SELECT decode(value) AS value FROM parquet_kv_metadata($1) WHERE decode(key) = 'columns'"
  const found = await duckDb.connection.runAndReadAll(sql, [path])
  duckDb.close()
  const columns: Record<string, string>[] = JSON.parse(String(found.getRowObjectsJS()[0].value))
  expect(columns.find(({ name }) => name === 'saccade_length_px')).toMatchObject({ unit: 'px' })
})

test('Arrow has record batches of some 65,536 rows, several to a shard, and the same rows as CSV', async () => {
  const { bytes, progress } = await written(large, 'gazes-split', 'arrow', three)
  const [header, ...csv] = (await written(large, 'gazes-split', 'csv', three)).bytes.toString().split('\n').slice(0, -1)
  const table = tableFromIPC(bytes)
  const sizes = table.batches.map(({ numRows }) => numRows)
  const shards = large.manifest.sampleFiles.length
  expect(sizes.length).toBeGreaterThan(shards)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(progress.rows)
  expect(csv.length).toBe(progress.rows)
  // The last batch of a shard has what is left; no other is smaller, and none is larger by more than a test.
  expect(sizes.filter((size) => size < 1 << 16).length).toBeLessThanOrEqual(shards)
  expect(Math.max(...sizes)).toBeLessThan((1 << 16) + 2 * 70 * 60)
  const ids = table.getChild('participant_id')!
  const times = table.getChild('gaze_timestamp_ms')!
  const [idAt, timeAt] = ['participant_id', 'gaze_timestamp_ms'].map((name) => header.split(',').indexOf(name))
  for (let row = 0; row < csv.length; row += 997) {
    const cells = csv[row].split(',')
    expect([ids.get(row), times.get(row)]).toEqual([cells[idAt], Number(cells[timeAt])])
  }
})

test('CSV through the same door is the golden file', async () => {
  const plan = { ...planFor(snapshots.golden, 'fixations', 'csv'), formulaGuard: true, version: '0.0.0' }
  const blocks: Uint8Array[] = []
  const options = { plan, snapshot: snapshots.golden, pool, signal: new AbortController().signal, gzip: false }
  for await (const { bytes } of runExport(options)) blocks.push(bytes.slice())
  const golden = await readFile(new URL('../../golden/fixations.csv', import.meta.url))
  expect(Buffer.concat(blocks).equals(golden)).toBe(true)
})
