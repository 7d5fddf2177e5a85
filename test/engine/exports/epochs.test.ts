import { expect, test } from 'vitest'
import { previewExport } from '../../../engine/analysis/charts/preview.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import { makePackagePlan } from '../../../engine/products/package/make-package-plan.ts'
import { participant, type Row, smallBundle, test as testRow, uuid } from '../import/bundles.ts'
import { importedStudy } from '../kept.ts'
import { exported } from '../studies.ts'

/**
 * Gaze at 100 Hz for 900 ms: on the left (AOI A), from 300 ms on the right (AOI B), from 600 ms on the left again. With
 * a median over 20 ms, the fixations are from 0, 310 and 610 ms, since a saccade ends at its first point.
 */
const STEP_MS = 10
const SIDES = [100, 300, 100]
/** Of the first test, two epochs that overlap and one at its end; the second test has another event, the third none. */
const EVENTS: [test: number, ms: string, name: string, value: string][] = [
  [1, '200', 'go', 'first'],
  [1, '250.4', 'stop', ''],
  [1, '300', 'go', ''],
  [1, '800', 'go', '=3'],
  [2, '100', 'stop', ''],
]

const bundle = smallBundle()
const box = (n: number, name: string, leftPx: number) => ({
  id: uuid('a', n),
  itemId: uuid('1', 1),
  name,
  parts: [{ areaPoints: { topLeft: { xPx: leftPx, yPx: 0 }, bottomRight: { xPx: leftPx + 200, yPx: 500 } } }],
})
const tests = [1, 2, 3].map((n) => testRow(n, n, 1))
const { pool, snapshot } = await importedStudy({
  ...bundle,
  study: { ...bundle.study, aois: [box(1, '1.1 A', 0), box(2, '1.2 B', 200)] },
  participants: [1, 2, 3].map((n) => participant(n, { external_data_group: 'one' })),
  tests,
  samples: tests.flatMap(({ test_id }) =>
    // Two samples near the end are recorded in the wrong order.
    Array.from({ length: 90 }, (_, k) => (k === 85 || k === 86 ? 171 - k : k)).map((i) => ({
      test_id,
      t_ms: String(i * STEP_MS),
      gaze_x_px: String(SIDES[Math.floor(i / 30)]),
      gaze_y_px: '400',
      left_pupil: String(3 + i / 100),
    })),
  ),
  events: EVENTS.map(([n, t_ms, name, value]) => ({ test_id: uuid('c', n), t_ms, name, value })),
})

const SETTINGS = { movingMedianRangeMs: 20 }
const GO = { eventType: 'go', fromMs: -50, toMs: 120 }

async function tableOf(name: ExportName, given: Partial<Parameters>): Promise<Row[]> {
  const { csv } = await exported(pool, snapshot, name, { ...SETTINGS, ...given })
  const cells = (line: string) =>
    [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))(?=,|$)/g)].map(([, quoted, plain]) => quoted ?? plain)
  const [header, ...lines] = csv.toString().trimEnd().split('\n').map(cells)
  return lines.map((line) => Object.fromEntries(header.map((column, c) => [column, line[c]])))
}

/** Returns cells of an export, by columns. */
async function cellsOf(name: ExportName, columns: string[], given: Partial<Parameters> = GO): Promise<string[]> {
  return (await tableOf(name, given)).map((row) => columns.map((column) => row[column]).join(' '))
}

const EVENT = ['event_index', 'event_name', 'event_at_ms', 'event_value']

test('a row is in each epoch in which it begins, as in the whole table, beside its event', async () => {
  const starts = await cellsOf('fixations', ['participant_id', 'fixation_starts_at_ms', 'fixation_index'], {})
  expect(starts.slice(0, 3).map((cells) => cells.split(' ')[1])).toEqual(['0', '310', '610'])
  // From 150 to 320, 250 to 420 and 750 to 920 ms.
  expect(await cellsOf('fixations', [...EVENT, 'fixation_starts_at_ms', 'fixation_index'])).toEqual([
    '1 go 200 first 310 2',
    '2 go 300  310 2',
  ])
  const [row] = await tableOf('fixations', GO)
  const [, whole] = await tableOf('fixations', {})
  for (const [name, cell] of Object.entries(whole)) if (name !== 'notes') expect(row[name]).toBe(cell)
  expect(row.notes).toContain('; fromMs = -50; toMs = 120; eventType = go')
  expect(Object.keys(row).slice(-6)).toEqual([...EVENT, 'external_data_group', 'notes'])
  expect(await cellsOf('saccades', ['event_index', 'saccade_starts_at_ms'])).toEqual(['1 290', '2 290'])
})

test('an epoch begins at its start and ends before its end, in whole microseconds', async () => {
  const times = (given: Partial<Parameters>) =>
    cellsOf('samples', ['event_index', 't_ms'], { ...given, eventType: 'go' })
  expect(await times({ fromMs: 0, toMs: 20 })).toEqual(['1 200', '1 210', '2 300', '2 310', '3 800', '3 810'])
  // From the event, and to the end of the test.
  expect((await times({})).filter((cells) => cells.startsWith('3'))).toHaveLength(10)
  // 250.4 − 0.4 would be a sample, were times rounded.
  expect(await cellsOf('samples', ['t_ms'], { eventType: 'stop', fromMs: 0, toMs: 10 })).toEqual(['260', '100'])
})

test('tables of points have their points, and lists of points one row for each epoch', async () => {
  const given = { eventType: 'go', fromMs: 0, toMs: 20 }
  for (const [name, column] of [
    ['gazes-split', 'gaze_timestamp_ms'],
    ['gazes-aois', 'gaze_timestamp_ms'],
    ['mouse', 'mouse_timestamp_ms'],
    ['pupils', 'pupil_timestamp_ms'],
  ] as const)
    expect(await cellsOf(name, [column], given)).toEqual(['200', '210', '300', '310', '800', '810'])
  const lists = await cellsOf('gazes-raw', ['event_value', 'test_raw_data'], given)
  expect(lists).toEqual([
    'first [[100,400,200,0,null,null],[100,400,210,0,null,null]]',
    ' [[300,400,300,0,null,null],[300,400,310,0,null,null]]',
    "'=3 [[100,400,800,0,null,null],[100,400,810,0,null,null]]",
  ])
  expect(await tableOf('gazes-normalized', given)).toHaveLength(3)
})

test('measures are of the fixations and gazes of each epoch, also where epochs overlap', async () => {
  const columns = ['event_index', 'aoi_name', 'aoi_fixation_total_count', 'aoi_gaze_total_count']
  expect(await cellsOf('aoi-fixations-stats', columns)).toEqual([
    // Gaze from 150 to 320 ms: 15 points on the left, 2 on the right.
    '1 1.1 A 0 15',
    '1 1.2 B 1 2',
    '2 1.1 A 0 5',
    '2 1.2 B 1 12',
    '3 1.1 A 0 15',
    '3 1.2 B 0 0',
  ])
  const early = { eventType: 'go', fromMs: -300, toMs: 500 }
  expect(await cellsOf('aoi-visits', ['event_index', 'aoi_name', 'visit_first_fixation_index'], early)).toEqual([
    '1 1.1 A 1',
    '1 1.1 A 3',
    '1 1.2 B 2',
    '2 1.1 A 1',
    '2 1.1 A 3',
    '2 1.2 B 2',
    '3 1.1 A 3',
  ])
  expect(await cellsOf('pupil-stats', ['event_index', 'aoi_name', 'pupil_point_count'])).toEqual([
    ...['1  17', '1 1.1 A 15', '1 1.2 B 2'],
    ...['2  17', '2 1.1 A 5', '2 1.2 B 12'],
    ...['3  15', '3 1.1 A 15', '3 1.2 B 0'],
  ])
  expect(await cellsOf('reading', ['event_index', 'word_index', 'word_fixation_count'])).toHaveLength(6)
})

test('an event that no test has is refused, and so is a table that knows item onset only', async () => {
  await expect(tableOf('fixations', { eventType: 'gone' })).rejects.toThrow(
    'eventType must be the name of events of the study, got gone',
  )
  const planned =
    (exportName: ExportName, hasEpochs = true) =>
    () =>
      makePlan({ snapshot, exportName, parameters: { ...defaultParameters(), ...GO }, formulaGuard: false, hasEpochs })
  expect(planned('aoi-overall-stats')).toThrow(
    'eventType must be left out: aoi-overall-stats is measured from item onset only, got go',
  )
  expect(planned('fixations', false)).toThrow(
    'eventType must be left out: this is measured from item onset only, got go',
  )
  // Those without times heed neither, as without a window.
  expect(planned('quality-stats')().parameters).not.toHaveProperty('eventType')
  expect(planned('quality-stats')().parameters).not.toHaveProperty('fromMs')
})

test('without an event, a plan is what it was, and a package leaves out tables of item onset with one', () => {
  const { eventType: _, ...window } = { ...GO, fromMs: 0 }
  for (const { name, takesWindow, timeColumn } of EXPORTS) {
    const parameters = { ...defaultParameters(), ...window }
    const plan = makePlan({ snapshot, exportName: name, parameters, formulaGuard: false })
    if (timeColumn !== undefined) expect('fromMs' in plan.parameters).toBe(takesWindow === true)
  }
  const options = { snapshot, exports: null, formulaGuard: false, format: 'csv' as const }
  const { tables } = makePackagePlan({ ...options, parameters: { ...defaultParameters(), ...GO } })
  const names = tables.map((table) => table.export)
  expect(names).toEqual(expect.arrayContaining(['fixations', 'looks-binned', 'quality-stats']))
  expect(names).not.toContain('aoi-overall-stats')
})

test('a preview has the columns and rows of the file, with further columns and epochs', async () => {
  const parameters = { ...defaultParameters(), ...SETTINGS, ...GO, extras: ['microseconds' as const] }
  const plan = makePlan({ snapshot, exportName: 'fixations', parameters, formulaGuard: true })
  const { columns, rows } = await previewExport(plan, snapshot, 1e6, { pool, signal: new AbortController().signal })
  const file = await tableOf('fixations', { ...GO, extras: ['microseconds'] })
  const found = rows!.map((row) => Object.fromEntries(row.map((cell, c) => [columns[c], cell])))
  expect(found.map(({ notes: _, ...row }) => row)).toEqual(file.map(({ notes: _, ...row }) => row))
  expect(found[0].notes).toMatch(/^Gazette/)
})
