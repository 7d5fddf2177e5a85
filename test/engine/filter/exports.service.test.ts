import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aoisAnswer } from '../../../engine/analysis/charts/answer-chart.ts'
import { previewExport } from '../../../engine/analysis/charts/preview.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { filterColumns } from '../../../engine/filter/columns.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { planId } from '../../../engine/model/plan.ts'
import { selectTests } from '../../../engine/snapshot/selection.ts'
import { readVectors } from '../compute/vectors.ts'
import { smallBundle, writeBundle } from '../import/bundles.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { exported, importGolden, importInto } from '../studies.ts'

const dataDir = await keptDirectory()
const pool = keptPool(2)
const golden = await importGolden(dataDir)

const all = defaultParameters()
const plan = (filter: string | null, exportName: ExportName = 'fixations') =>
  makePlan({ snapshot: golden, exportName, parameters: { ...all, filter }, formulaGuard: true })
const run = () => ({ pool, signal: new AbortController().signal })
const rowsOf = async (filter: string | null, exportName: ExportName) => {
  const { csv } = await exported(pool, golden, exportName, { filter })
  return csv.toString().trimEnd().split('\n')
}

test('every column can be asked for in a study without items, participants and tests', async () => {
  const { study, participants, tests, samples } = smallBundle()
  const bundle = { study: { ...study, steps: [], items: [], aois: [] }, participants, tests, samples }
  const directory = await writeBundle(join(dataDir, 'empty'), { ...bundle, participants: [], tests: [], samples: [] })
  const empty = await importInto(dataDir, directory)
  for (const name of filterColumns([]).keys()) {
    const { csv } = await exported(pool, empty, 'fixations', { filter: `${name} IS NOT NULL` })
    expect([name, csv.toString().trimEnd().split('\n').length]).toEqual([name, 1])
  }
})

type Case = {
  name: string
  export: ExportName
  parameters: { filter?: string }
  bundle: Record<string, string>
  columns: string[]
  rows: string[][]
  notes: string | null
}

describe('vectors/measures.json', () => {
  const cases = readVectors<{ exports: Case[] }>('measures').exports
  const ours = cases.filter(({ parameters, columns }) => parameters.filter || columns.includes('participant_tags'))
  for (const { name, export: exportName, parameters, bundle, columns, rows, notes } of ours)
    test(name, async () => {
      const directory = join(dataDir, 'bundle')
      await mkdir(directory, { recursive: true })
      for (const [file, text] of Object.entries(bundle)) await writeFile(join(directory, file), text)
      const snapshot = await importInto(dataDir, directory)
      const filter = parameters.filter?.trim() ?? null
      const made = makePlan({ snapshot, exportName, parameters: { ...all, filter }, formulaGuard: true })
      const preview = await previewExport(made, snapshot, 1e9, run())
      const at = columns.map((column) => preview.columns.indexOf(column))
      expect(preview.rows!.map((row) => at.map((c) => row[c]))).toEqual(rows)
      expect(preview.notes).toBe(notes?.replace('<version>', made.version))
      await rm(directory, { recursive: true })
    })
  test('has such cases', () => expect(ours.length).toBeGreaterThan(3))
})

test('a filter that is true of all keeps every byte but the notes, and the same plan without', async () => {
  for (const exportName of ['fixations', 'gazes-raw', 'aoi-overall-stats', 'keyboard-mouse-overall'] as const) {
    const [header, first, ...others] = await rowsOf(null, exportName)
    const [filteredHeader, filteredFirst, ...filtered] = await rowsOf('TRUE', exportName)
    expect([filteredHeader, ...filtered]).toEqual([header, ...others])
    expect(filteredFirst.replace('; filter = TRUE', '')).toBe(first)
  }
})

test('the text is in the plan, and so in its id; without one there is none', () => {
  expect(plan(null).parameters).not.toHaveProperty('filter')
  expect(plan('TRUE').parameters.filter).toBe('TRUE')
  const ids = [null, 'TRUE', 'true'].map((filter) => planId(plan(filter)))
  expect(new Set(ids).size).toBe(3)
})

test('a plan with a fault is not made', () => {
  const broken = () => plan("participant_age = '5'")
  expect(broken).toThrow(
    'filter must compare values of the same type; the left side is a number, this one is text (character 19)',
  )
})

test('a filter picks among the tests that are left by item and grade', async () => {
  const { itemIndexes } = await selectTests(golden, { itemId: null, gradeMin: 1 })
  const item = golden.study.items[itemIndexes[0]]
  const count = async (filter: string | null, gradeMin = 1) =>
    (await selectTests(golden, { itemId: item.id, gradeMin, filter })).n
  const byName = `item_filename = '${item.filename.replaceAll("'", "''")}'`
  expect(await count(byName)).toBe(await count(null))
  expect(await count(`NOT ${byName}`)).toBe(0)
  for (const grade of [2, 4, 6])
    expect(await count(`participant_quality_grade_item >= ${grade}`)).toBe(await count(null, grade))
})

test('a chart has the participants that the filter leaves', async () => {
  const item = golden.study.items.find(({ id }) => golden.study.aois.some(({ itemId }) => itemId === id))!
  const subject = { snapshot: golden, item, participantIndex: null, formulaGuard: true }
  const none = await aoisAnswer({ ...subject, parameters: { ...all, filter: 'FALSE' } }, run())
  const some = await aoisAnswer({ ...subject, parameters: all }, run())
  expect([none.kept.tests, none.kept.testsTotal]).toEqual([0, some.kept.tests])
  expect(none.notes).toContain('; filter = FALSE')
  expect(none.rows).toHaveLength(some.rows.length)
})
