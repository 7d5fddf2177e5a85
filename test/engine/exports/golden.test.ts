import { describe, expect, test } from 'vitest'
import { columnsOf } from '../../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../../engine/exports/columns/study-facts.ts'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { csvCells } from '../csv.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { importGolden, ran } from '../studies.ts'

/**
 * The golden study has every special case of docs/export-formats.md: quotes, commas, line breaks, formula-like names,
 * an unknown age, no mouse, lost samples, gaze off the item, an item without AOIs, a participant without a valid
 * sample. Its files were worked out by hand where that is possible, and agree with a second implementation written
 * from docs/signal.md, metrics.md and export-formats.md alone.
 */
const dataDir = await keptDirectory()
const golden = await importGolden(dataDir)
const pool = keptPool()

async function csvOf(name: ExportName, { formulaGuard = true } = {}): Promise<string> {
  const plan = makePlan({ snapshot: golden, exportName: name, parameters: defaultParameters(), formulaGuard })
  // Not the version of today, so that a release changes no golden file.
  const run = { plan: { ...plan, version: '0.0.0' }, snapshot: golden, pool, signal: new AbortController().signal }
  return (await ran({ ...run, gzip: false })).csv.toString()
}

describe.each(EXPORTS)('$name', (entry) => {
  const { name } = entry
  test('is the golden file, byte for byte', async () => {
    // With -u it is written: look at the difference before you commit it.
    await expect(await csvOf(name)).toMatchFileSnapshot(`../../golden/${name}.csv`)
  })
  test('has a row as wide as its header, and a line end behind the last', async () => {
    const csv = await csvOf(name)
    const rows = await csvCells(csv)
    const columns = columnsOf(entry, studyFacts(golden))
    expect(rows[0]).toEqual(columns.map((column) => column.name))
    for (const row of rows) expect(row).toHaveLength(columns.length)
    expect(csv.endsWith('\n')).toBe(true)
  })
})

test('without the formula guard, nothing is put before a name', async () => {
  expect(await csvOf('fixations')).toContain(",'=cmd|x,")
  const bare = await csvOf('fixations', { formulaGuard: false })
  expect(bare).toContain(',=cmd|x,')
  expect(bare).not.toMatch(/(^|,)"?'[=+@-]/m)
})
