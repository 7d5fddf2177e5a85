import { array, assert, asyncProperty, integer, nat } from 'fast-check'
import { expect, test } from 'vitest'
import type { Sums } from '../../../engine/exports/columns/export-entry.ts'
import { NO_FACTS } from '../../../engine/exports/columns/study-facts.ts'
import { aoiTexts, createContext, type TestRun } from '../../../engine/exports/columns/test-context.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { aoiOverallStats } from '../../../engine/exports/tables/aoi-overall-stats.ts'
import { csvEncoder } from '../../../engine/formats/csv.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { bytesWritten } from '../../../engine/text/sink.ts'
import { samplesOf } from '../compute/vectors.ts'
import { csvCells } from '../csv.ts'
import { keptDirectory } from '../kept.ts'
import { importGolden, rowsOf as tablesOf } from '../studies.ts'

const dataDir = await keptDirectory()
const snapshot = await importGolden(dataDir)
const plan = makePlan({
  snapshot,
  exportName: 'aoi-overall-stats',
  parameters: defaultParameters(),
  formulaGuard: true,
})
const all = await tablesOf(snapshot)
const item = snapshot.study.items.find(({ id }) => snapshot.study.aois.some(({ itemId }) => itemId === id))!

type Row = Record<string, string>
type Look = { participantIndex: number; percent: number }

/** A test of somebody who looks and clicks at one place of the item for a second. */
function runOf({ participantIndex, percent }: Look): TestRun {
  const place = percent * 10
  const samples = samplesOf(Array.from({ length: 60 }, (_, i) => [i * 16, place, place, 0]))
  samples.isClick[30] = 1
  samples.mouseXPx.fill(place)
  samples.mouseYPx.fill(place)
  const display = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }
  const known = { ...all.tests[0], participantIndex, display }
  const identity = { studyId: plan.studyId, item, participant: all.participants[participantIndex], test: known }
  return { identity, samples }
}

/** The item's rows, from shards that end before these tests. */
async function rowsOf(looks: Look[], cuts: number[]): Promise<Row[]> {
  const bounds = [0, ...cuts.map((cut) => cut % (looks.length + 1)).sort((a, b) => a - b), looks.length]
  const parts = bounds.slice(1).map((end, k): Sums => {
    const sums: Sums = new Map()
    const context = createContext(plan, aoiTexts(snapshot.study.aois, [item]))
    for (const look of looks.slice(bounds[k], end)) {
      if (aoiOverallStats.kind === 'sums') aoiOverallStats.addTest(runOf(look), context, sums)
    }
    return sums
  })
  const csv = Buffer.from(
    bytesWritten((sink) => {
      const encoder = csvEncoder({ columns: aoiOverallStats.columns, formulaGuard: true, sink, dictionaries: {} })
      if (aoiOverallStats.kind === 'sums')
        for (const rows of aoiOverallStats.combine(snapshot.study, plan, parts, NO_FACTS)) encoder.write(rows)
      encoder.end()
    }),
  ).toString()
  const names = aoiOverallStats.columns.map(({ name }) => name)
  const rows = (await csvCells(csv)).map((cells): Row => Object.fromEntries(names.map((name, c) => [name, cells[c]])))
  return rows.filter(({ item_id }) => item_id === item.id)
}

test('a participant counts once, however many tests there are of the item, and wherever shards end', async () => {
  const looks = [0, 0, 0, 1, 1].map((participantIndex) => ({ participantIndex, percent: 30 }))
  for (let cut = 0; cut <= looks.length; cut++) {
    const rows = await rowsOf(looks, [cut, cut, 4])
    expect(rows.map(({ participant_count }) => participant_count)).toEqual(rows.map(() => '2'))
    expect(new Set(rows.map((row) => row.aoi_gaze_participant_ratio_percents))).toEqual(new Set(['0', '100']))
    expect(new Set(rows.map((row) => row.aoi_fixation_participant_ratio_percents))).toEqual(new Set(['0', '100']))
  }
})

test('shards change nothing, wherever they end', async () => {
  const tests = array(integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 4 })
  await assert(
    asyncProperty(array(tests, { minLength: 1, maxLength: 3 }), array(nat(12), { maxLength: 4 }), async (own, cuts) => {
      const looks = own.flatMap((percents, participantIndex) =>
        percents.map((percent) => ({ participantIndex, percent })),
      )
      expect(await rowsOf(looks, cuts)).toEqual(await rowsOf(looks, []))
    }),
  )
})

test('an item whose AOIs were not brought is an error, not an item without AOIs', () => {
  const context = createContext(plan, {})
  const said = 'aoi-overall-stats uses AOIs, and its entry lacks needsAois'
  expect(() => context.aoisOf(item)).toThrow(said)
  expect(() => context.tagGridOf(item)).toThrow(said)
  expect(() => context.aoiCellsOf(item)).toThrow(said)
})
