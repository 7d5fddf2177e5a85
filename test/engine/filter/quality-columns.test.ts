import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Snapshot } from '../../../engine/model/study.ts'
import { selectTests } from '../../../engine/snapshot/selection.ts'
import { csvRows } from '../csv.ts'
import { type Row, samplesOf, smallBundle, test as testRow, uuid, writeBundle } from '../import/bundles.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { exported, importGolden, importInto } from '../studies.ts'

const COLUMNS = [
  'sample_count',
  'valid_sample_count',
  'data_loss_percents',
  'sampling_rate_hz',
  'data_integrity_percents',
  'gaze_on_screen_percents',
]
const dataDir = await keptDirectory()
const pool = keptPool()

/** Samples before onset, lost ones, and a test that has none, one none with gaze, and one all of it before onset. */
async function importUneven(): Promise<Snapshot> {
  const lost = { gaze_x_px: '', gaze_y_px: '' }
  const unevenly = (i: number): Row => ({
    ...(i % 7 === 3 ? lost : {}),
    ...(i < 5 ? { t_ms: String(i * 3 - 20) } : {}),
  })
  const { study, participants } = smallBundle()
  const samples = [
    ...samplesOf(uuid('c', 1), 61, unevenly),
    ...samplesOf(uuid('c', 2), 30, () => lost),
    ...samplesOf(uuid('c', 3), 4, (i) => ({ t_ms: String(i - 9) })),
    ...samplesOf(uuid('c', 4), 1),
  ]
  const tests = [1, 2, 3, 4, 5].map((n) => testRow(n, ((n - 1) % participants.length) + 1, n === 5 ? 2 : 1))
  const directory = await mkdtemp(join(tmpdir(), 'gazette-uneven-'))
  await writeBundle(directory, { study, participants, tests, samples })
  return importInto(dataDir, directory).finally(() => rm(directory, { recursive: true }))
}

test.each([
  ['the golden study', () => importGolden(dataDir)],
  ['one with samples before onset', importUneven],
])('columns of quality are those of quality-stats, in %s', async (_name, open) => {
  const snapshot = await open()
  const rows = await csvRows((await exported(pool, snapshot, 'quality-stats')).csv)
  expect(rows.length).toBeGreaterThan(2)
  for (const row of rows) {
    for (const name of COLUMNS) {
      const is = row[name] === '' ? `test_${name} IS NULL` : `test_${name} = ${row[name]}`
      const filter = `test_id = '${row.test_id}' AND ${is}`
      const { n } = await selectTests(snapshot, { itemId: null, gradeMin: 1, filter })
      expect([filter, n]).toEqual([filter, 1])
    }
  }
})

test('a test without samples passes no threshold of loss, and none of its opposite', async () => {
  const snapshot = await importUneven()
  const ids = async (filter: string) => (await selectTests(snapshot, { itemId: null, gradeMin: 1, filter })).n
  const [kept, left, unknown] = [
    await ids('test_data_loss_percents <= 50'),
    await ids('NOT test_data_loss_percents <= 50'),
    await ids('test_data_loss_percents IS NULL'),
  ]
  // The last has no sample, and one before it none from onset on.
  expect([kept, left, unknown]).toEqual([2, 1, 2])
})
