import { describe, expect, test } from 'vitest'
import type { ExportName } from '../../../engine/model/export-names.ts'
import type { Aoi, AoiPart, Rectangle } from '../../../engine/model/study.ts'
import { csvRows } from '../csv.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { exported, importDemo } from '../studies.ts'

const dataDir = await keptDirectory()
const snapshot = await importDemo(dataDir, { participants: 24, items: 6, seconds: 8, hz: 30, seed: 11 })
const pool = keptPool(2)

type Row = Record<string, string>

async function rowsOf(
  name: ExportName,
  { aois = snapshot.study.aois, gradeMin = 1 }: { aois?: Aoi[]; gradeMin?: number } = {},
): Promise<Row[]> {
  const changed = { ...snapshot, study: { ...snapshot.study, aois } }
  return csvRows((await exported(pool, changed, name, { participantQualityGradeItemMin: gradeMin })).csv)
}

/** All rows as text but the first, which has the notes. */
async function linesOf(name: ExportName, gradeMin: number): Promise<string[]> {
  const { csv } = await exported(pool, snapshot, name, { participantQualityGradeItemMin: gradeMin })
  return csv.toString().trimEnd().split('\n').slice(2)
}

/** Rows without what an AOI says of itself, and without the notes. */
function metricsOf(rows: Row[]): Row[] {
  const own = ['aoi_item_parts', 'aoi_size_overall_percents', 'aoi_time_range_from_ms', 'aoi_time_range_to_ms', 'notes']
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !own.includes(name))))
}

const sum = (rows: Row[], column: string) => rows.reduce((total, row) => total + Number(row[column]), 0)
const mapParts = (change: (part: AoiPart) => AoiPart[]) =>
  snapshot.study.aois.map((aoi) => ({ ...aoi, parts: aoi.parts.flatMap(change) }))
const isRectangle = (part: AoiPart): part is AoiPart & { areaPoints: Rectangle } => 'topLeft' in part.areaPoints

test('gazes-aois is what make_eyetrackingr_data of eyetrackingR takes: one row a time, logical trackloss and AOIs', async () => {
  const rows = await rowsOf('gazes-aois')
  const column = (name: string) => rows.map((row) => row[name])
  const [participants, trials, times] = ['participant_id', 'test_id', 'gaze_timestamp_ms'].map(column)
  expect(times.every((time) => /^\d+$/.test(time))).toBe(true)
  expect(new Set(trials.map((trial, i) => `${trial} ${times[i]}`)).size).toBe(rows.length)
  expect(new Set(trials.map((trial, i) => `${participants[i]} ${trial}`)).size).toBe(new Set(trials).size)
  const lost = column('trackloss')
  expect([...new Set(lost)].sort()).toEqual(['false', 'true'])
  const aois = Object.keys(rows[0]).filter((name) => name.startsWith('aoi_'))
  expect(aois.length).toBeGreaterThan(20)
  // Where gaze is lost or the item has no such AOI, a cell is missing, which R reads as NA.
  for (const name of aois) {
    const cells = column(name)
    expect(
      [...new Set(cells)].every((cell) => ['true', 'false', ''].includes(cell)),
      name,
    ).toBe(true)
    expect(cells.every((cell, i) => lost[i] === 'false' || cell === '')).toBe(true)
  }
})

test('the study of these tests has rectangles, polygons, several parts, time ranges, fixations and clicks', async () => {
  const parts = snapshot.study.aois.flatMap((aoi) => aoi.parts)
  expect(parts.some(isRectangle)).toBe(true)
  expect(parts.every(isRectangle)).toBe(false)
  expect(parts.some(({ timeRange }) => timeRange)).toBe(true)
  expect(snapshot.study.aois.some((aoi) => aoi.parts.length > 1)).toBe(true)
  const rows = await rowsOf('aoi-overall-stats')
  expect(sum(rows, 'aoi_fixation_total_count')).toBeGreaterThan(500)
  expect(sum(rows, 'aoi_click_total_count')).toBeGreaterThan(5)
})

describe.each([1, 4])('with a grade filter of %i', (gradeMin) => {
  test('totals per participant add up to the overall file', async () => {
    const overall = await rowsOf('aoi-overall-stats', { gradeMin })
    const perTest = await rowsOf('aoi-fixations-stats', { gradeMin })
    const clicks = await rowsOf('aoi-clicks-stats', { gradeMin })
    for (const row of overall) {
      const mine = perTest.filter(({ aoi_id }) => aoi_id === row.aoi_id)
      const withFixation = mine.filter(({ aoi_fixation_total_count }) => aoi_fixation_total_count !== '0')
      const people = (rows: Row[]) => new Set(rows.map(({ participant_id }) => participant_id)).size
      expect(sum(mine, 'aoi_fixation_total_count')).toBe(Number(row.aoi_fixation_total_count))
      expect(sum(mine, 'aoi_gaze_total_count')).toBe(Number(row.aoi_gaze_total_count))
      expect(
        sum(
          clicks.filter(({ aoi_id }) => aoi_id === row.aoi_id),
          'aoi_click_total_count',
        ),
      ).toBe(Number(row.aoi_click_total_count))
      const ratio =
        Number(row.participant_count) === 0 ? Number.NaN : (100 * people(withFixation)) / Number(row.participant_count)
      if (Number.isNaN(ratio)) expect(row.aoi_fixation_participant_ratio_percents).toBe('')
      else expect(Number(row.aoi_fixation_participant_ratio_percents)).toBeCloseTo(ratio, 5)
      if (withFixation.length === 0) {
        expect(row.aoi_fixation_average_ttff_ms).toBe('')
        continue
      }
      // Each test's cell is rounded to a ms by itself, the mean once.
      const meanTtffMs = sum(withFixation, 'aoi_fixation_ttff_ms') / withFixation.length
      expect(Math.abs(Number(row.aoi_fixation_average_ttff_ms) - meanTtffMs)).toBeLessThanOrEqual(1)
      const meanRevisits = sum(withFixation, 'aoi_revisits_count') / withFixation.length
      expect(Number(row.aoi_average_revisits_count)).toBeCloseTo(meanRevisits, 5)
    }
  })
  test('the fixations file has every fixation that an AOI over the whole plane counts', async () => {
    const plane = {
      points: [
        { x: -1e3, y: -1e3 },
        { x: 1e3, y: -1e3 },
        { x: 1e3, y: 1e3 },
        { x: -1e3, y: 1e3 },
      ],
    }
    const aois = snapshot.study.items.map(({ id }, i) => ({
      id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      itemId: id,
      name: 'all',
      parts: [{ areaPoints: plane }],
    }))
    const fixations = await rowsOf('fixations', { gradeMin })
    expect(sum(await rowsOf('aoi-overall-stats', { gradeMin, aois }), 'aoi_fixation_total_count')).toBe(
      fixations.length,
    )
  })
})

const METRICS: ExportName[] = ['aoi-overall-stats', 'aoi-fixations-stats', 'aoi-fixations-order']

test('a time range that covers everything changes nothing', async () => {
  const covered = mapParts((part) => [{ ...part, timeRange: part.timeRange ?? { fromMs: 0, toMs: 86_400_000 } }])
  for (const name of METRICS)
    expect(metricsOf(await rowsOf(name, { aois: covered }))).toEqual(metricsOf(await rowsOf(name)))
})

test('cutting an AOI into two parts changes nothing but its parts', async () => {
  const cut = mapParts((part) => {
    if (!isRectangle(part)) return [part]
    const { topLeft, bottomRight } = part.areaPoints
    const middlePx = topLeft.xPx + Math.floor((bottomRight.xPx - topLeft.xPx) / 3)
    return [
      { ...part, areaPoints: { topLeft, bottomRight: { xPx: middlePx, yPx: bottomRight.yPx } } },
      { ...part, areaPoints: { topLeft: { xPx: middlePx, yPx: topLeft.yPx }, bottomRight } },
    ]
  })
  for (const name of METRICS)
    expect(metricsOf(await rowsOf(name, { aois: cut }))).toEqual(metricsOf(await rowsOf(name)))
})

test('a rectangle and the same polygon are the same where nothing lies on their border', async () => {
  const polygons = snapshot.study.aois.map((aoi) => {
    const { widthPx, heightPx } = snapshot.study.items.find(({ id }) => id === aoi.itemId)!
    const parts = aoi.parts.map((part) => {
      if (!isRectangle(part)) return part
      const { topLeft, bottomRight } = part.areaPoints
      const corner = (xPx: number, yPx: number) => ({ x: xPx / widthPx!, y: yPx / heightPx! })
      const points = [
        corner(topLeft.xPx, topLeft.yPx),
        corner(bottomRight.xPx, topLeft.yPx),
        corner(bottomRight.xPx, bottomRight.yPx),
        corner(topLeft.xPx, bottomRight.yPx),
      ]
      return { ...part, areaPoints: { points } }
    })
    return { ...aoi, parts }
  })
  for (const name of METRICS)
    expect(metricsOf(await rowsOf(name, { aois: polygons }))).toEqual(metricsOf(await rowsOf(name)))
})

test('raising the grade filter only removes rows', async () => {
  for (const name of ['fixations', 'gazes-split', 'keyboard-mouse-overall', 'aoi-fixations-stats'] as const) {
    let before = await linesOf(name, 1)
    for (const gradeMin of [2, 3, 4, 5, 6]) {
      const after = await linesOf(name, gradeMin)
      expect(after.length).toBeLessThan(before.length)
      // In order: each row is found behind the one before it.
      let at = 0
      const strange = after.find((row) => {
        while (at < before.length && before[at] !== row) at++
        return at++ >= before.length
      })
      expect(strange).toBe(undefined)
      before = after
    }
  }
})
