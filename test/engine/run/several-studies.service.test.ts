import { tableFromIPC } from 'apache-arrow'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import type { FormatName } from '../../../engine/model/format-names.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { inlinePool } from '../../../engine/run/inline-pool.ts'
import { runExport } from '../../../engine/run/run-export.ts'
import { keptDirectory } from '../kept.ts'
import { importDemo } from '../studies.ts'

const pool = inlinePool()
const snapshots: Snapshot[] = []
const dataDir = await keptDirectory()
const size = { participants: 2, items: 2, seconds: 1, hz: 60 }
for (const seed of [4, 5, 6]) snapshots.push(await importDemo(dataDir, { ...size, seed }))

async function fileOf(exportName: ExportName, format: FormatName, of: Snapshot[]) {
  const [first, ...further] = of.map((snapshot) => ({
    snapshot,
    plan: makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true, format }),
  }))
  const pieces: Uint8Array[] = []
  const run = runExport({ ...first, further, pool, gzip: false, signal: new AbortController().signal })
  let step = await run.next()
  for (; !step.done; step = await run.next()) pieces.push(step.value.bytes.slice())
  return { bytes: Buffer.concat(pieces), progress: step.value }
}

const EXPORTS: ExportName[] = ['fixations', 'aoi-fixations-stats', 'quality-stats', 'gazes-raw']

describe.each(EXPORTS)('%s of several studies', (name) => {
  test.each(['csv', 'csv-semicolon', 'ndjson'] as const)(
    'as %s is the table of each, one after the other',
    async (format) => {
      const alone = []
      for (const each of snapshots) alone.push(await fileOf(name, format, [each]))
      const rows = alone.map(({ bytes }, i) =>
        i === 0 || format === 'ndjson' ? bytes : bytes.subarray(bytes.indexOf('\n') + 1),
      )
      const { bytes, progress } = await fileOf(name, format, snapshots)
      expect(bytes.equals(Buffer.concat(rows))).toBe(true)
      expect(progress.rows).toBe(alone.reduce((sum, each) => sum + each.progress.rows, 0))
      expect(progress.bytes).toBe(bytes.length)
    },
  )

  test('as Parquet and Arrow has the rows of each, with the texts of all', async () => {
    const parquet = async (of: Snapshot[]) => {
      const { bytes } = await fileOf(name, 'parquet', of)
      return parquetReadObjects({ file: new Uint8Array(bytes).buffer })
    }
    const arrow = async (of: Snapshot[]) =>
      tableFromIPC((await fileOf(name, 'arrow', of)).bytes)
        .toArray()
        .map(String)
    for (const read of [parquet, arrow]) {
      const alone: unknown[] = []
      for (const each of snapshots) alone.push(...(await read([each])))
      const all = await read(snapshots)
      expect(all.length).toBeGreaterThan(0)
      expect(all).toEqual(alone)
    }
  })
})
