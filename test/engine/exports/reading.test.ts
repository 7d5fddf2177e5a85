import { expect, test } from 'vitest'
import type { ExportName } from '../../../engine/model/export-names.ts'
import type { Parameters } from '../../../engine/model/parameters.ts'
import { csvRows } from '../csv.ts'
import { type Row, STUDY_ID, trackerBundle, uuid } from '../import/bundles.ts'
import { currentSnapshot } from '../import/contents.ts'
import { keptFixture, keptPool } from '../kept.ts'
import { exported } from '../studies.ts'

/** Places that gaze rests at, in px: it reads, goes back, reads on, and is once beside the text. */
const RESTS = [50, 150, 350, 150, 250, 350, 450, 700, 550]
const WORDS = ['1.1 The', '1.2 quick', '1.3 brown', '2.1 fox', '2.2 jumps', '2.3 over', '10.1 the']
const fixture = await keptFixture()
const pool = keptPool()
const bundle = trackerBundle(3)
const samples = bundle.samples.map((row, i) => ({
  ...row,
  gaze_x_px: String(RESTS[Math.min(RESTS.length - 1, Math.floor((i % 900) / 100))]),
  gaze_y_px: '250',
}))
// Not in reading order; a picture is no word.
const strip = (name: string, place: number) => ({
  id: uuid('a', place + 1),
  itemId: uuid('1', 1),
  name,
  parts: [{ areaPoints: { topLeft: { xPx: place * 100, yPx: 0 }, bottomRight: { xPx: place * 100 + 99, yPx: 500 } } }],
})
const aois = [...WORDS.map(strip)].reverse().concat(strip('picture', 7))
await fixture.importing({ ...bundle, study: { ...bundle.study, aois }, samples })
const study = await currentSnapshot(fixture.dataDir, STUDY_ID)

async function rowsOf(name: ExportName, given: Partial<Parameters> = {}): Promise<Row[]> {
  return csvRows((await exported(pool, study, name, { movingMedianRangeMs: 20, ...given })).csv)
}

test('words have the measures of their fixations, in reading order', async () => {
  const rows = (await rowsOf('reading')).slice(0, WORDS.length)
  expect(rows.map((row) => [row.aoi_name, row.word_index, row.line_index])).toEqual(
    WORDS.map((name, w) => [name, String(w + 1), name.split('.')[0]]),
  )
  const of = (name: string) => rows.map((row) => row[name])
  expect(of('word_fixation_count')).toEqual(['1', '2', '1', '2', '1', '1', '0'])
  expect(of('word_skipped')).toEqual(['false', 'false', 'true', 'false', 'false', 'false', ''])
  expect(of('regression_in_count')).toEqual(['0', '1', '0', '0', '0', '0', '0'])
  expect(of('regression_out_count')).toEqual(['0', '0', '0', '1', '0', '0', '0'])
  expect(of('first_pass_regression')).toEqual(['false', 'false', '', 'true', 'false', 'false', ''])
  // Durations add up as those of the fixations do.
  const fixations = (await rowsOf('fixations')).slice(0, RESTS.length)
  const ms = fixations.map((row) => Number(row.fixation_duration_ms))
  expect(ms).toHaveLength(RESTS.length)
  const near = (name: string, expected: (number | null)[]) => {
    for (const [w, value] of expected.entries()) {
      if (value === null) expect(rows[w][name], `${name} of ${w}`).toBe('')
      else expect(Math.abs(Number(rows[w][name]) - value), `${name} of ${w}`).toBeLessThanOrEqual(3)
    }
  }
  near('first_pass_duration_ms', [ms[0], ms[1], null, ms[2], ms[6], ms[8], null])
  near('single_fixation_duration_ms', [ms[0], ms[1], null, ms[2], ms[6], ms[8], null])
  near('go_past_duration_ms', [ms[0], ms[1], null, ms[2] + ms[3] + ms[4] + ms[5], ms[6], ms[8], null])
  near('right_bounded_duration_ms', [ms[0], ms[1], null, ms[2] + ms[5], ms[6], ms[8], null])
  near('rereading_duration_ms', [0, ms[3], ms[4], ms[5], 0, 0, 0])
  near('total_duration_ms', [ms[0], ms[1] + ms[3], ms[4], ms[2] + ms[5], ms[6], ms[8], 0])
})

test('runs are told on request, with where gaze landed and whence it came', async () => {
  const rows = (await rowsOf('reading', { extras: ['runs'] })).slice(0, WORDS.length)
  const of = (name: string) => rows.map((row) => row[name])
  expect(of('first_pass_fixation_count')).toEqual(['1', '1', '', '1', '1', '1', ''])
  expect(of('first_pass_refixation')).toEqual(['false', 'false', '', 'false', 'false', 'false', ''])
  expect(of('word_run_count')).toEqual(['1', '2', '1', '2', '1', '1', '0'])
  expect(of('first_run_fixation_count')).toEqual(['1', '1', '1', '1', '1', '1', ''])
  // Gaze rests 50 px behind the left edge of words that are 99 px wide; `quick` has five letters.
  expect(of('landing_position_percent').map((cell) => cell && Number(cell).toFixed(1))).toEqual([
    ...['50.5', '50.5', '50.5', '50.5', '50.5', '50.5'],
    '',
  ])
  expect(Number(of('landing_position_letters')[1])).toBeCloseTo((50 / 99) * 5, 2)
  // From 50 px before `quick`; `fox` came from another line, and `over` from beside the text.
  expect(of('launch_distance_letters').map((cell) => cell && Number(cell).toFixed(2))).toEqual([
    ...['', '2.53', '2.53', '', '2.53', ''],
    '',
  ])
  const [header] = (await exported(pool, study, 'reading', { extras: ['runs'] })).csv.toString().split('\n')
  expect(header).toMatch(/,launch_distance_letters,notes$/)
  const lines = (await rowsOf('reading-lines', { extras: ['runs'] })).slice(0, 3)
  expect(lines.map((row) => [row.line_run_count, row.first_run_fixation_count])).toEqual([
    ['2', '2'],
    ['2', '1'],
    ['0', ''],
  ])
})

test('what comes before reading begins counts for nothing, and the notes say so', async () => {
  const [first, ...rest] = (await rowsOf('reading', { readingFrom: 450 })).slice(0, WORDS.length)
  expect([first, ...rest].map((row) => row.word_fixation_count)).toEqual(['0', '1', '1', '2', '1', '1', '0'])
  expect(first.word_skipped).toBe('true')
  expect(first.notes).toMatch(/; readingFrom = 450$/)
})

test('only fixations that begin in the window count', async () => {
  const rows = (await rowsOf('reading', { fromMs: 600 })).slice(0, WORDS.length)
  expect(rows.map((row) => row.word_fixation_count)).toEqual(['0', '1', '1', '2', '1', '1', '0'])
  expect(rows[0].notes).toContain('fromMs = 600')
})

test('lines have the measures of their words together', async () => {
  const rows = (await rowsOf('reading-lines')).slice(0, 3)
  const of = (name: string) => rows.map((row) => row[name])
  expect(of('line_index')).toEqual(['1', '2', '10'])
  expect(of('word_count')).toEqual(['3', '3', '1'])
  expect(of('fixated_word_count')).toEqual(['3', '3', '0'])
  expect(of('skipped_word_count')).toEqual(['1', '0', '0'])
  expect(of('line_fixation_count')).toEqual(['4', '4', '0'])
  expect(of('line_skipped')).toEqual(['false', 'false', ''])
  expect(of('regression_in_count')).toEqual(['1', '0', '0'])
  expect(of('regression_out_count')).toEqual(['0', '1', '0'])
  expect(of('regression_within_count')).toEqual(['0', '0', '0'])
  const words = (await rowsOf('reading')).slice(0, WORDS.length)
  const total = (line: string) =>
    words.filter((row) => row.line_index === line).reduce((sum, row) => sum + Number(row.total_duration_ms), 0)
  // Sums of rounded ms may differ by half of one per word.
  for (const row of rows) expect(Math.abs(Number(row.total_duration_ms) - total(row.line_index))).toBeLessThanOrEqual(2)
})
