import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import type { JobRequest } from '../../engine/jobs/request-job.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import type { Plan } from '../../engine/model/plan.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'

export const STUDY = '0c000000-0000-4000-8000-000000000001'
const ITEM = '1c000000-0000-4000-8000-000000000001'

const PARTICIPANT =
  'participant_id external_id created_at display_name age gender display_gender quality_grade is_completed notes'.split(
    ' ',
  )
const TEST = [
  'test_id participant_id item_id created_at display_order duration_ms finished_on_key has_finished_on_click click_count',
  'quality_grade_item browser_width_px browser_height_px item_display_left_px item_display_top_px',
  'item_display_width_px item_display_height_px notes',
].flatMap((names) => names.split(' '))
const SAMPLE = 'test_id t_ms gaze_x_px gaze_y_px scroll_y_px mouse_x_px mouse_y_px is_click'.split(' ')

/** Makes and imports a study: one item, and so many tests of so many samples at 60 Hz. */
export async function importStudy(dataDir: string, tests: number, samples: number, studyId = STUDY): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-bundle-'))
  const item = { id: ITEM, filename: 'a.png', cdnUrl: 'https://example.org/a.png', type: 'images' }
  const study = {
    id: studyId,
    name: 'Worker',
    isServiceBasicSurveyEnabled: false,
    steps: [],
    items: [{ ...item, stimuliDurationMs: 5000, widthPx: 800, heightPx: 600 }],
    aois: [],
  }
  const participant = (i: number) => `2c000000-0000-4000-8000-${String(i).padStart(12, '0')}`
  const test = (i: number) => `3c000000-0000-4000-8000-${String(i).padStart(12, '0')}`
  const all = Array.from({ length: tests }, (_, i) => i)
  const line = (columns: string[], cells: Record<string, string>) => columns.map((name) => cells[name] ?? '').join()
  const participants = all.map((i) => line(PARTICIPANT, { participant_id: participant(i), is_completed: 'true' }))
  const size = { browser_width_px: '800', browser_height_px: '600', has_finished_on_click: 'false' }
  const rows = all.map((i) => line(TEST, { test_id: test(i), participant_id: participant(i), item_id: ITEM, ...size }))
  await writeFile(join(directory, 'study.json'), JSON.stringify(study))
  await writeFile(join(directory, 'participants.csv'), `${PARTICIPANT.join()}\n${participants.join('\n')}\n`)
  await writeFile(join(directory, 'tests.csv'), `${TEST.join()}\n${rows.join('\n')}\n`)
  const recorded = all.map((i) =>
    Array.from(
      { length: samples },
      (_, j) => `${test(i)},${(j * 50) / 3},${(i * j) % 800},${(j * 7) % 600},,,,\n`,
    ).join(''),
  )
  await writeFile(join(directory, 'samples.csv'), [`${SAMPLE.join()}\n`, ...recorded])
  const options = { append: false, dryRun: false, now: new Date(), threads: 1, memoryMib: 256 }
  await importBundle({ dataDir, directory, ...options })
  await rm(directory, { recursive: true, force: true })
}

export async function planOf(dataDir: string, exportName: ExportName): Promise<Plan> {
  const snapshot = await openStudies(dataDir).current(STUDY)
  if (snapshot === null) throw new Error('no study')
  return makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true })
}

export const asked = (tokenId = 'anna'): JobRequest => ({
  tokenId,
  parameters: defaultParameters(),
  samplesTotal: 0,
  fileName: 'a.csv',
  now: new Date(),
})
