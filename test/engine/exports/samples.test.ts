import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDuckDb, readParquet } from '../../../engine/duckdb/duckdb.ts'
import { columnsOf } from '../../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../../engine/exports/columns/study-facts.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { exportOf } from '../../../engine/exports/registry.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { EYE_NAMES } from '../../../engine/model/eye-columns.ts'
import type { FormatName } from '../../../engine/model/format-names.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { makePackagePlan } from '../../../engine/products/package/make-package-plan.ts'
import { csvRows } from '../csv.ts'
import { makeStudyFixture, type Row, STUDY_ID, smallBundle, uuid } from '../import/bundles.ts'
import { currentSnapshot } from '../import/contents.ts'
import { keptFixture, keptPool } from '../kept.ts'
import { exported, ran } from '../studies.ts'

const [LX, LY] = EYE_NAMES
/** The small study: an item of 1000 × 500 px in the middle of a window of 1000 × 1000, scrolled in its first test. */
const fixture = await keptFixture()
const pool = keptPool()
const bundle = smallBundle()
const more: Row[] = [
  {
    [LX]: '500.1234567',
    [LY]: '490',
    left_pupil: '3.000000001',
    scroll_y_px: '10',
    mouse_x_px: '-5',
    mouse_y_px: '250',
  },
  { [LX]: '12', left_pupil: '2.5', is_click: 'true', t_ms: '-16.6667' },
  { gaze_x_px: '', [LX]: '0', [LY]: '250' },
]
const samples = bundle.samples.map((row, i) => ({ ...row, ...(more[i] ?? {}) }))
const events = [
  { test_id: uuid('c', 1), t_ms: '30.5', name: '=trigger', value: '7' },
  { test_id: uuid('c', 1), t_ms: '-0.0004', name: 'go, "now"', value: '' },
  { test_id: uuid('c', 3), t_ms: '1', name: 'answer', value: '-ä\n2' },
]
await fixture.importing({ ...bundle, study: { ...bundle.study, recording: { pupilUnit: 'mm' } }, samples, events })
const snapshot = await currentSnapshot(fixture.dataDir, STUDY_ID)

async function rowsOf(name: ExportName): Promise<Row[]> {
  return csvRows((await exported(pool, snapshot, name)).csv)
}
const pick = (row: Row, names: string[]) => names.map((name) => row[name])

test('samples has all that was recorded, with all digits, and positions in percent of the item', async () => {
  const rows = await rowsOf('samples')
  expect(rows).toHaveLength(30)
  const recorded = ['t_ms', 'gaze_x_px', 'gaze_y_px', 'scroll_y_px', 'mouse_x_px', 'mouse_y_px', 'is_click']
  expect(rows.slice(0, 3).map((row) => pick(row, recorded))).toEqual([
    ['0', '0', '1', '10', '-5', '250', 'false'],
    ['-16.667', '1', '1', '0', '', '', 'true'],
    ['33.333', '', '', '0', '', '', 'false'],
  ])
  expect(rows.slice(0, 3).map((row) => pick(row, [LX, LY, 'left_pupil']))).toEqual([
    ['500.1234567', '490', '3.000000001'],
    ['', '', '2.5'],
    ['0', '250', ''],
  ])
  const percents = ['gaze', 'mouse', 'left_gaze'].flatMap((name) => [`${name}_x_percents`, `${name}_y_percents`])
  expect(rows.slice(0, 3).map((row) => pick(row, percents))).toEqual([
    ['0', '-47.8', '-0.5', '2', '50.012346', '50'],
    ['0.1', '-49.8', '', '', '', ''],
    ['', '', '', '', '0', '0'],
  ])
  expect(Object.keys(rows[0]).filter((name) => /right|distance/.test(name))).toEqual([])
})

test('quality-stats has the loss of the eye and the pupil that were recorded', async () => {
  const [first, second] = await rowsOf('quality-stats')
  const columns = ['left_data_loss_percents', 'left_pupil_loss_percents']
  // Of nine samples from onset on: two have the gaze of the left eye, one its pupil.
  expect(pick(first, columns).map(Number)).toEqual([(100 * 7) / 9, (100 * 8) / 9].map((n) => Number(n.toFixed(6))))
  expect(pick(second, columns)).toEqual(['100', '100'])
  expect(Object.keys(first).filter((name) => /^right_|^eye_/.test(name))).toEqual([])
})

test('its schema gives pupils the unit of the study', () => {
  const columns = columnsOf(exportOf('samples'), studyFacts(snapshot))
  expect(columns.filter(({ name }) => /^left/.test(name)).map(({ name, unit }) => [name, unit])).toEqual([
    [LX, 'px'],
    [LY, 'px'],
    ['left_pupil', 'mm'],
    ['left_gaze_x_percents', '% of the displayed item'],
    ['left_gaze_y_percents', '% of the displayed item'],
  ])
})

test('events are rows in the order of time, their names and values as they came', async () => {
  const columns = ['test_id', 'event_index', 't_ms', 'event_name', 'event_value']
  expect((await rowsOf('events')).map((row) => pick(row, columns))).toEqual([
    [uuid('c', 1), '1', '0', 'go, "now"', ''],
    [uuid('c', 1), '2', '30.5', "'=trigger", '7'],
    [uuid('c', 3), '1', '1', 'answer', "'-ä\n2"],
  ])
})

test.each(['samples', 'events'] as const)('%s are the same in NDJSON and Parquet', async (exportName) => {
  const parameters = defaultParameters()
  const fileOf = async (format: FormatName) => {
    const plan = makePlan({ snapshot, exportName, parameters, formulaGuard: false, format })
    return (await ran({ plan, snapshot, pool, signal: new AbortController().signal, gzip: false })).csv
  }
  const lines = (await fileOf('ndjson')).toString().trimEnd().split('\n')
  const path = join(fixture.root, `${exportName}.parquet`)
  await writeFile(path, await fileOf('parquet'))
  const db = await openDuckDb({ directories: [fixture.root], threads: 1, memoryMib: 128 })
  const found = await db.connection.runAndReadAll(`SELECT * FROM ${readParquet()}`, { path })
  const names = found.columnNames()
  const plain = (value: unknown) => (value === null || typeof value === 'boolean' ? value : String(value))
  const compared = names.filter((name) => !/uuid|_id$|created_at/.test(name))
  const rows = found.getRowObjects().map((row) => compared.map((name) => plain(row[name])))
  db.close()
  const told = lines.map((line) => JSON.parse(line)).map((row) => compared.map((name) => plain(row[name] ?? null)))
  expect(told.length).toBe(exportName === 'events' ? 3 : 30)
  expect(rows).toEqual(told)
})

test('a package has samples only where eyes were recorded, or it is asked for them', async () => {
  const namesOf = (of: Snapshot, exports: ExportName[] | null) =>
    makePackagePlan({ snapshot: of, exports, parameters: defaultParameters(), formulaGuard: true, format: 'csv' })
      .tables.map((plan) => plan.export)
      .filter((name) => name === 'samples' || name === 'events')
  expect(namesOf(snapshot, null)).toEqual(['samples', 'events'])
  const other = await makeStudyFixture()
  await other.importing(smallBundle())
  const plain = await currentSnapshot(other.dataDir, STUDY_ID)
  expect(namesOf(plain, null)).toEqual(['events'])
  expect(namesOf(plain, ['samples'])).toEqual(['samples'])
  await other.remove()
})
