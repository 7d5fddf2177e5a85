import { describe, expect, test } from 'vitest'
import { columnsOf } from '../../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../../engine/exports/columns/study-facts.ts'
import { exportOf } from '../../../engine/exports/registry.ts'
import { variableNames } from '../../../engine/exports/tables/variable-names.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import type { Parameters } from '../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { inlinePool } from '../../../engine/run/inline-pool.ts'
import { csvRows } from '../csv.ts'
import { keptDirectory } from '../kept.ts'
import { exported, importDemo, importGolden } from '../studies.ts'

const dataDir = await keptDirectory()
const demo = await importDemo(dataDir, { participants: 6, items: 3, seconds: 4, hz: 60, seed: 3 })
const golden = await importGolden(dataDir)

type Row = Record<string, string>

async function rowsOf(snapshot: Snapshot, name: ExportName, parameters: Partial<Parameters> = {}): Promise<Row[]> {
  return csvRows((await exported(inlinePool() as never, snapshot, name, parameters)).csv)
}

/** Fixations are in a window that they begin in. */
const isIn = ({ fromMs = 0, toMs = Number.POSITIVE_INFINITY }: Partial<Parameters>, at: string) =>
  Number(at) >= fromMs && Number(at) < toMs

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** The column of an AOI, or of an item, by what it means. */
function columnFor(snapshot: Snapshot, prefix: string, where: string): string {
  const columns = columnsOf(exportOf('participants-wide'), studyFacts(snapshot))
  const found = columns.filter(({ name, meaning }) => name.startsWith(`${prefix}__`) && meaning.endsWith(`: ${where}`))
  expect(found).toHaveLength(1)
  return found[0].name
}

/** Measures of an AOI, each with its mean over the rows of a participant, which have one test and AOI each. */
const OF_AOI: [prefix: string, (rows: Row[]) => number][] = [
  ['seen', (rows) => mean(rows.map((row) => (row.aoi_fixation_total_count === '0' ? 0 : 1)))],
  ['ttff_ms', (rows) => mean(given(rows, 'aoi_fixation_ttff_ms'))],
  ['dwell_ms', (rows) => mean(given(rows, 'aoi_fixation_average_total_time_spent_ms'))],
  ['fixations', (rows) => mean(given(rows, 'aoi_fixation_total_count'))],
  ['first_ms', (rows) => mean(given(rows, 'aoi_fixation_first_fixation_duration_ms'))],
  ['revisits', (rows) => mean(given(rows, 'aoi_revisits_count'))],
]
const given = (rows: Row[], name: string) => rows.flatMap((row) => (row[name] === '' ? [] : Number(row[name])))

describe.each([
  ['demo', () => demo, {}],
  ['golden', () => golden, {}],
  ['demo, a window', () => demo, { fromMs: 500, toMs: 2500 }],
  ['demo, one item', () => demo, { itemId: 'first' }],
] as const)('%s', (_name, snapshotOf, asked) => {
  test('cells are those of the tables with a row per test and AOI', async () => {
    const snapshot = snapshotOf()
    const parameters = 'itemId' in asked ? { itemId: snapshot.study.items[0].id } : asked
    const wide = await rowsOf(snapshot, 'participants-wide', parameters)
    const long = await rowsOf(snapshot, 'aoi-fixations-stats', parameters)
    const quality = await rowsOf(snapshot, 'quality-stats', parameters)
    expect(new Set(wide.map((row) => row.participant_id))).toEqual(new Set(quality.map((row) => row.participant_id)))
    expect(wide[0].notes).toBe(long.find((row) => row.notes !== '')?.notes)
    let compared = 0
    for (const row of wide)
      for (const { id, name, itemId } of snapshot.study.aois) {
        const item = snapshot.study.items.find((each) => each.id === itemId)!
        const own = long.filter((each) => each.participant_id === row.participant_id && each.aoi_id === id)
        for (const [prefix, of] of OF_AOI) {
          const cell = row[columnFor(snapshot, prefix, `AOI ${name}, item ${item.filename}`)]
          const value = own.length === 0 ? Number.NaN : of(own)
          if (Number.isNaN(value)) expect(cell).toBe('')
          else if (own.length === 1) expect(Number(cell)).toBe(value)
          // Times of a test are printed as whole ms.
          else expect(Math.abs(Number(cell) - value)).toBeLessThan(prefix.endsWith('ms') ? 1 : 1e-6)
          compared++
        }
      }
    expect(compared).toBeGreaterThan(50)
  })

  test('measures of items are those of its fixations', async () => {
    const snapshot = snapshotOf()
    const parameters = 'itemId' in asked ? { itemId: snapshot.study.items[0].id } : asked
    const fixations = await rowsOf(snapshot, 'fixations', parameters)
    const tests = await rowsOf(snapshot, 'quality-stats', parameters)
    for (const row of await rowsOf(snapshot, 'participants-wide', parameters))
      for (const { id, filename } of snapshot.study.items) {
        const isOwn = (each: Row) => each.participant_id === row.participant_id && each.item_id === id
        const counted = fixations.filter((each) => isOwn(each) && isIn(asked, each.fixation_starts_at_ms))
        const durations = given(counted, 'fixation_duration_ms')
        const testCount = tests.filter(isOwn).length
        const cell = (prefix: string) => row[columnFor(snapshot, prefix, `item ${filename}`)]
        expect(cell('item_tests')).toBe(String(testCount))
        if (testCount === 0) expect(cell('item_fixations')).toBe('')
        else expect(Number(cell('item_fixations'))).toBeCloseTo(durations.length / testCount, 6)
        if (durations.length === 0) expect(cell('item_fixation_ms')).toBe('')
        else expect(Math.abs(Number(cell('item_fixation_ms')) - mean(durations))).toBeLessThanOrEqual(1)
      }
  })
})

test('a participant has one row, with tags and external data, in the order of participants', async () => {
  const rows = await rowsOf(demo, 'participants-wide')
  expect(rows).toHaveLength(6)
  expect(new Set(rows.map((row) => row.participant_id)).size).toBe(6)
  const tagged = new Map((await rowsOf(demo, 'fixations')).map((row) => [row.participant_id, row]))
  for (const row of rows) {
    const other = tagged.get(row.participant_id)!
    expect(row.participant_tags).toBe(other.participant_tags)
    expect(row.external_data_condition).toBe(other.external_data_condition)
  }
  expect(rows.slice(1).every(({ notes }) => notes === '')).toBe(true)
})

test('names of variables are what statistics programs take, each once', () => {
  expect(
    variableNames(
      ['Ad 1', 'ad-1', '2nd', 'Café naïve', '中文', '', '___', 'a'.repeat(40), `${'A'.repeat(40)}b`, 'item5'],
      'item',
    ),
  ).toEqual([
    'Ad_1',
    'ad_1_2',
    'item_2nd',
    'Cafe_naive',
    'item5',
    'item6',
    'item7',
    'a'.repeat(24),
    `${'A'.repeat(22)}_2`,
    'item5_2',
  ])
})
