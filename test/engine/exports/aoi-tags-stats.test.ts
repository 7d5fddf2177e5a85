import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tagsTable } from '../../../engine/analysis/charts/analysis-tables.ts'
import { tagsAnswer } from '../../../engine/analysis/charts/tags-answer.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import type { Aoi, Snapshot } from '../../../engine/model/study.ts'
import { makePackagePlan } from '../../../engine/products/package/make-package-plan.ts'
import { estimatePlan } from '../../../engine/run/estimate.ts'
import { inlinePool } from '../../../engine/run/inline-pool.ts'
import { createPool } from '../../../engine/run/pool/pool.ts'
import { csvRows } from '../csv.ts'
import { exported, importDemo, newDataDir } from '../studies.ts'

/**
 * The AOIs of a study with tags, and another study that has an AOI for each tag of an item, with the parts of all of
 * its AOIs: the union. What `aoi-fixations-stats` measures there for each test is what a tag adds up.
 */
let dataDir: string
let demo: Snapshot
let tagged: Snapshot
let united: Snapshot

const withAois = (snapshot: Snapshot, aois: Aoi[]): Snapshot => ({ ...snapshot, study: { ...snapshot.study, aois } })
const TAGS = ['all', 'even', 'only on the first']

beforeAll(async () => {
  dataDir = await newDataDir()
  demo = await importDemo(dataDir, { participants: 6, items: 3, seconds: 4, hz: 60, seed: 3 })
  const { items, aois } = demo.study
  const tagsOf = (aoi: Aoi, i: number) => [
    'all',
    ...(i % 2 === 0 ? ['even'] : []),
    ...(aoi.itemId === items[0].id ? ['only on the first'] : []),
  ]
  tagged = withAois(
    demo,
    aois.map((aoi, i) => ({ ...aoi, tags: tagsOf(aoi, i) })),
  )
  united = withAois(
    demo,
    items.flatMap(({ id }, i) =>
      TAGS.flatMap((tag, t) => {
        const own = tagged.study.aois.filter(({ itemId, tags = [] }) => itemId === id && tags.includes(tag))
        const union = {
          id: `${id.slice(0, -2)}${i}${t}`,
          itemId: id,
          name: tag,
          parts: own.flatMap(({ parts }) => parts),
        }
        return own.length === 0 ? [] : [union]
      }),
    ),
  )
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

type Row = Record<string, string>

async function rowsOf(snapshot: Snapshot, name: ExportName, parameters: Partial<Parameters> = {}): Promise<Row[]> {
  return csvRows((await exported(inlinePool() as never, snapshot, name, parameters)).csv)
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const meanOf = (values: number[]) => (values.length === 0 ? '' : sum(values) / values.length)

describe.each([
  ['everything', () => ({})],
  ['a window', () => ({ fromMs: 500, toMs: 2500 })],
  ['one item', () => ({ itemId: demo.study.items[0].id })],
  ['moved gaze', () => ({ offsets: [offsetOfFirst()] })],
] as const)('%s', (_name, asked) => {
  test('a tag adds up the tests of the union of its AOIs, over all items', async () => {
    const rows = await rowsOf(tagged, 'aoi-tags-stats', asked())
    const ofTests = await rowsOf(united, 'aoi-fixations-stats', asked())
    const subjects = new Set(ofTests.map((row) => `${row.participant_id} ${row.aoi_name}`))
    expect(new Set(rows.map((row) => `${row.participant_id} ${row.aoi_tag}`))).toEqual(subjects)
    expect(rows).toHaveLength(subjects.size)
    for (const row of rows) {
      const own = ofTests.filter((each) => each.participant_id === row.participant_id && each.aoi_name === row.aoi_tag)
      const hits = own.filter((each) => each.aoi_fixation_total_count !== '0')
      const numbers = (some: Row[], name: string) => some.map((each) => Number(each[name]))
      const close = (cell: string, value: number | '') =>
        value === '' ? expect(cell).toBe('') : expect(Math.abs(Number(cell) - value)).toBeLessThanOrEqual(1)
      expect(Number(row.tag_item_count)).toBe(new Set(own.map((each) => each.item_id)).size)
      expect(Number(row.tag_test_count)).toBe(own.length)
      expect(Number(row.tag_hit_count)).toBe(hits.length)
      expect(Number(row.tag_hit_percents)).toBeCloseTo((100 * hits.length) / own.length, 5)
      const counts = numbers(own, 'aoi_fixation_total_count')
      expect(Number(row.tag_fixation_count)).toBe(sum(counts))
      expect(Number(row.tag_fixations_per_test)).toBeCloseTo(sum(counts) / own.length, 5)
      const dwell = numbers(own, 'aoi_fixation_average_total_time_spent_ms')
      // Times of tests are rounded to ms, each by itself.
      expect(Math.abs(Number(row.tag_dwell_ms) - sum(dwell))).toBeLessThanOrEqual(own.length)
      close(row.tag_dwell_per_test_ms, meanOf(dwell))
      close(row.tag_ttff_ms, meanOf(numbers(hits, 'aoi_fixation_ttff_ms')))
      close(row.tag_first_fixation_duration_ms, meanOf(numbers(hits, 'aoi_fixation_first_fixation_duration_ms')))
      const revisits = meanOf(numbers(hits, 'aoi_revisits_count'))
      if (revisits === '') expect(row.tag_revisits).toBe('')
      else expect(Number(row.tag_revisits)).toBeCloseTo(revisits, 5)
    }
  })
})

const offsetOfFirst = () => ({
  participantId: firstParticipant,
  dxPx: 120,
  dyPx: -40,
  source: 'hand' as const,
})
let firstParticipant: string
beforeAll(async () => {
  firstParticipant = (await rowsOf(demo, 'quality-stats'))[0].participant_id
})

test('rows are in the order of participants, then of tags by their first AOI', async () => {
  const rows = await rowsOf(tagged, 'aoi-tags-stats')
  expect([...new Set(rows.map((row) => row.aoi_tag))]).toEqual(['all', 'even', 'only on the first'])
  const people = (await rowsOf(demo, 'participants-wide')).map((row) => row.participant_id)
  expect([...new Set(rows.map((row) => row.participant_id))]).toEqual(people)
})

test('AOIs of one tag that overlap count once', async () => {
  const [first] = demo.study.aois
  const twice = withAois(demo, [
    { ...first, tags: ['t'] },
    { ...first, id: first.id.replace(/.$/, 'e'), tags: ['t'] },
  ])
  const once = withAois(demo, [{ ...first, tags: ['t'] }])
  expect(await rowsOf(twice, 'aoi-tags-stats')).toEqual(await rowsOf(once, 'aoi-tags-stats'))
})

test('a study without tags has no rows, and its package is as it was', async () => {
  expect(await rowsOf(demo, 'aoi-tags-stats')).toEqual([])
  const tablesOf = (snapshot: Snapshot) =>
    makePackagePlan({ snapshot, exports: null, parameters: defaultParameters(), formulaGuard: true, format: 'csv' })
      .tables.map((table) => table.export)
      .filter((name) => name === 'aoi-tags-stats')
  expect([tablesOf(demo), tablesOf(tagged)]).toEqual([[], ['aoi-tags-stats']])
})

test('the estimate is not below the bytes', async () => {
  const plan = makePlan({
    snapshot: tagged,
    exportName: 'aoi-tags-stats',
    parameters: defaultParameters(),
    formulaGuard: true,
  })
  const { csv } = await exported(inlinePool() as never, tagged, 'aoi-tags-stats')
  expect((await estimatePlan(plan, tagged)).bytes).toBeGreaterThanOrEqual(csv.length)
})

test('the analysis describes each tag over participants', async () => {
  const parameters = defaultParameters()
  const plan = makePlan({ snapshot: tagged, exportName: 'aoi-tags-stats', parameters, formulaGuard: true })
  const pool = createPool({ threads: 1 })
  const { signal } = new AbortController()
  const answer = await tagsAnswer(plan, tagged, 1e9, { pool, signal })
  await pool.close()
  const rows = await rowsOf(tagged, 'aoi-tags-stats')
  expect(answer.tags.map(({ tag }) => tag)).toEqual(TAGS)
  for (const { tag, participantIds, values, described, ...counts } of answer.tags) {
    const own = rows.filter((row) => row.aoi_tag === tag)
    const aois = tagged.study.aois.filter(({ tags = [] }) => tags.includes(tag))
    expect(participantIds).toEqual(own.map((row) => row.participant_id))
    expect(counts).toEqual({
      aoiCount: aois.length,
      itemCount: new Set(aois.map(({ itemId }) => itemId)).size,
      participantCount: own.length,
      testCount: sum(own.map((row) => Number(row.tag_test_count))),
    })
    const dwell = own.map((row) => Number(row.tag_dwell_per_test_ms))
    expect(values[0]).toEqual(dwell)
    expect(described[0]).toMatchObject({ n: dwell.length, mean: meanOf(dwell) })
  }
  expect(tagsTable(answer).rows.n).toBe(TAGS.length * answer.measures.length)
})
