import { expect, test } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { checkParameters } from '../../../engine/model/check-parameters.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import { planId } from '../../../engine/model/plan.ts'
import { csvRows } from '../csv.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { exported, importDemo } from '../studies.ts'

const dataDir = await keptDirectory()
const snapshot = await importDemo(dataDir, { participants: 4, items: 2, seconds: 4, hz: 60, seed: 3 })
const pool = keptPool()

type Row = Record<string, string>
type Window = Pick<Parameters, 'fromMs' | 'toMs'>
async function rowsOf(name: ExportName, window: Window = {}): Promise<Row[]> {
  return csvRows((await exported(pool, snapshot, name, window)).csv)
}
const isIn = ({ fromMs = 0, toMs = Number.POSITIVE_INFINITY }: Window, at: string) =>
  Number(at) >= fromMs && Number(at) < toMs
const ofTest = (row: Row) => `${row.participant_id} ${row.item_id}`

/** Starts of fixations of the study, so that limits are met exactly, too. */
async function windows(): Promise<Window[]> {
  const starts = (await rowsOf('fixations')).map((row) => Number(row.fixation_starts_at_ms)).sort((a, b) => a - b)
  const [early, middle, late] = [0.2, 0.5, 0.8].map((share) => starts[Math.floor(share * starts.length)])
  return [{ fromMs: early, toMs: late }, { toMs: middle }, { fromMs: middle }, { fromMs: late, toMs: late + 1 }]
}

test('measures of AOIs are of the fixations that begin in the window, and of gazes and clicks in it', async () => {
  const fixations = await rowsOf('fixations-aois')
  const gazes = await rowsOf('gazes-aois')
  for (const window of await windows()) {
    const rows = await rowsOf('aoi-fixations-stats', window)
    expect(rows.length).toBeGreaterThan(20)
    for (const row of rows) {
      const own = fixations.filter(
        (each) =>
          ofTest(each) === ofTest(row) &&
          (JSON.parse(each.aoi_ids) as string[]).includes(row.aoi_id) &&
          isIn(window, each.fixation_starts_at_ms),
      )
      expect(row.aoi_fixation_total_count).toBe(String(own.length))
      expect(row.aoi_fixation_ttff_ms).toBe(own[0]?.fixation_starts_at_ms ?? '')
      const looked = gazes.filter(
        (each) =>
          ofTest(each) === ofTest(row) &&
          each[`aoi_${row.aoi_name}`] === 'true' &&
          isIn(window, each.gaze_timestamp_ms),
      )
      expect(row.aoi_gaze_total_count).toBe(String(looked.length))
    }
    expect(rows[0].notes).toContain(
      Object.entries(window)
        .map(([name, value]) => `; ${name} = ${value}`)
        .join(''),
    )
  }
})

test('visits in a window begin in it, and name fixations by their number in the test', async () => {
  const all = await rowsOf('fixations')
  for (const window of await windows())
    for (const visit of await rowsOf('aoi-visits', window)) {
      expect(isIn(window, visit.visit_starts_at_ms)).toBe(true)
      const first = all.find(
        (row) => ofTest(row) === ofTest(visit) && row.fixation_index === visit.visit_first_fixation_index,
      )
      expect(first?.fixation_starts_at_ms).toBe(visit.visit_starts_at_ms)
    }
})

test('two windows that meet share nothing, and leave nothing out', async () => {
  const total = (rows: Row[]) => rows.reduce((sum, row) => sum + Number(row.aoi_fixation_total_count), 0)
  const clicks = (rows: Row[]) => rows.reduce((sum, row) => sum + Number(row.aoi_click_total_count), 0)
  const [, before, after] = await windows()
  const [all, first, second] = await Promise.all(
    [{}, before, after].map((window) => rowsOf('aoi-overall-stats', window)),
  )
  expect(total(first) + total(second)).toBe(total(all))
  expect(clicks(first) + clicks(second)).toBe(clicks(all))
  expect(first.map((row) => row.participant_count)).toEqual(all.map((row) => row.participant_count))
})

test('exports that take no window are the same with it, and their plans', () => {
  const planOf = (exportName: ExportName, window: Window) =>
    planId(makePlan({ snapshot, exportName, parameters: { ...defaultParameters(), ...window }, formulaGuard: true }))
  for (const name of ['fixations', 'gazes-split', 'quality-stats'] as const)
    expect(planOf(name, { fromMs: 5 })).toBe(planOf(name, {}))
  expect(planOf('aoi-overall-stats', { fromMs: 5 })).not.toBe(planOf('aoi-overall-stats', {}))
})

test('an invalid window is refused', () => {
  const faultsOf = (given: Record<string, string>) =>
    checkParameters(new Map(Object.entries(given).map(([name, value]) => [name, [value]]))).faults
  expect(faultsOf({ fromMs: '100', toMs: '100' })).toEqual([
    { parameter: 'fromMs', rule: 'must be less than toMs, which is 100', value: '100' },
  ])
  expect(faultsOf({ toMs: '0' })).toEqual([
    { parameter: 'toMs', rule: 'must be more than fromMs, which is 0 by default', value: '0' },
  ])
  expect(faultsOf({ fromMs: '-1' })[0].rule).toBe('must be a whole number from 0 to 999999999, or less with eventType')
})
