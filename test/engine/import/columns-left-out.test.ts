import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { exported, importInto } from '../studies.ts'

const STUDY = '1a000000-0000-4000-8000-000000000000'
const ITEM = '1b000000-0000-4000-8000-000000000000'
const PARTICIPANT = '1c000000-0000-4000-8000-000000000000'
const TEST = '1d000000-0000-4000-8000-000000000000'
const study = {
  id: STUDY,
  name: 'Gaze alone',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  items: [{ id: ITEM, filename: 'a.png', cdnUrl: 'https://cdn.example.org/a.png', type: 'images' }],
  aois: [],
}
const rows = Array.from({ length: 40 }, (_, i) => [TEST, i * 33, 500 + (i % 2), 400])
const directory = await keptDirectory()
const pool = keptPool()
await writeFile(join(directory, 'study.json'), JSON.stringify(study))
await writeFile(join(directory, 'participants.csv'), `participant_id\n${PARTICIPANT}\n`)
await writeFile(
  join(directory, 'tests.csv'),
  `test_id,participant_id,item_id,browser_width_px,browser_height_px\n${TEST},${PARTICIPANT},${ITEM},1000,800\n`,
)

async function allExports(snapshot: Snapshot): Promise<string[]> {
  const files: string[] = []
  for (const { name } of EXPORTS) files.push((await exported(pool, snapshot, name)).csv.toString())
  return files
}

describe('a bundle with gaze alone', () => {
  let withEmptyCells: string[]
  beforeAll(async () => {
    const header = 'test_id,t_ms,gaze_x_px,gaze_y_px,scroll_y_px,mouse_x_px,mouse_y_px,is_click'
    await writeFile(
      join(directory, 'samples.csv'),
      `${header}\n${rows.map((row) => `${row.join(',')},,,,\n`).join('')}`,
    )
    withEmptyCells = await allExports(await importInto(join(directory, 'full'), directory))
    await rm(join(directory, 'samples.csv'))
    expect(withEmptyCells[4].split('\n').length).toBeGreaterThan(3)
  })

  test('may leave its other columns out', async () => {
    await writeFile(
      join(directory, 'samples.csv'),
      `test_id,t_ms,gaze_x_px,gaze_y_px\n${rows.map((row) => `${row.join(',')}\n`).join('')}`,
    )
    try {
      expect(await allExports(await importInto(join(directory, 'csv'), directory))).toEqual(withEmptyCells)
    } finally {
      await rm(join(directory, 'samples.csv'))
    }
  })

  test('may leave them out of Parquet too', async () => {
    const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 128 })
    const values = rows.map(([id, t, x, y]) => `('${id}', ${t}, ${x}, ${y})`).join(', ')
    const columns = 'AS samples(test_id, t_ms, gaze_x_px, gaze_y_px)'
    await db.connection.run(
      `COPY (SELECT * FROM (VALUES ${values}) ${columns}) TO '${join(directory, 'samples.parquet')}' (FORMAT parquet)`,
    )
    db.close()
    expect(await allExports(await importInto(join(directory, 'parquet'), directory))).toEqual(withEmptyCells)
  })
})
