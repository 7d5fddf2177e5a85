import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makePlan } from '../../../../../engine/exports/make-plan.ts'
import { EYE_NAMES } from '../../../../../engine/model/eye-columns.ts'
import { defaultParameters, type Parameters } from '../../../../../engine/model/parameters.ts'
import { writeBids } from '../../../../../engine/products/package/bids/write-dataset.ts'
import {
  type Bundle,
  makeStudyFixture,
  type Row,
  STUDY_ID,
  type StudyFixture,
  smallBundle,
} from '../../../import/bundles.ts'
import { currentSnapshot } from '../../../import/contents.ts'
import { convertAndRead, readEyes } from '../../../recordings/converted.ts'
import { brokenRules } from './rules.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

async function datasetOf(bundle: Bundle, more: Partial<Parameters> = {}): Promise<string> {
  await fixture.importing(bundle)
  const snapshot = await currentSnapshot(fixture.dataDir, STUDY_ID)
  const directory = await mkdtemp(join(fixture.dataDir, 'bids-'))
  const plan = makePlan({
    snapshot,
    exportName: 'fixations',
    parameters: { ...defaultParameters(), ...more },
    formulaGuard: false,
  })
  const screen = { distanceM: null, sizeM: null }
  await writeBids({ directory, snapshot, plan, screen, signal: new AbortController().signal })
  return directory
}

/** The small study with columns of eyes in the samples of its first test, and events in it. */
function bundleOf(columns: readonly string[], pupilUnit: string): Bundle {
  const bundle = smallBundle()
  const cells = (i: number): Row => ({
    ...{ left_gaze_x_px: String(10 + i), left_gaze_y_px: '20', left_pupil: i === 3 ? '' : '3.25' },
    ...{ right_gaze_x_px: i % 3 === 0 ? '' : String(14 + i), right_gaze_y_px: i % 3 === 0 ? '' : '22' },
    ...{ right_pupil: '4', left_eye_distance_mm: '600', right_eye_distance_mm: '610' },
  })
  const kept = (i: number) => Object.fromEntries(columns.map((name) => [name, cells(i)[name]]))
  const samples = bundle.samples.map((row, i) => (i < 10 ? { ...row, ...kept(i) } : row))
  const events = [
    { test_id: bundle.samples[0].test_id, t_ms: '1.5', name: 'TRIG', value: '7' },
    { test_id: bundle.samples[0].test_id, t_ms: '3', name: 'a\tb', value: '' },
  ]
  const study = { ...bundle.study, recording: { pupilUnit } }
  return { ...bundle, study, samples, events } as Bundle
}

const filesOf = async (directory: string, ending: string) =>
  (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(ending)).sort()
const labels = (names: string[]) => [...new Set(names.map((name) => /recording-(\w+?)_/.exec(name)?.[1]))]

test('two eyes are recordings of their own beside the recorded gaze, and come back as they were', async () => {
  const directory = await datasetOf(bundleOf(EYE_NAMES, 'mm'))
  expect(await brokenRules(directory)).toEqual([])
  expect(labels(await filesOf(directory, '_physio.tsv.gz'))).toEqual(['eye1', 'eye2', 'eye3'])
  const [first] = await filesOf(directory, 'eye1_physio.json')
  const sidecar = JSON.parse(await readFile(join(directory, first), 'utf8'))
  expect(sidecar.RecordedEye).toBe('left')
  expect(sidecar.Columns).toEqual([
    'timestamp',
    'x_coordinate',
    'y_coordinate',
    'pupil_size',
    'eye_distance',
    'scroll_y',
  ])
  expect(sidecar.pupil_size).toEqual({ Description: 'Pupil diameter of the left eye, as recorded', Units: 'mm' })
  const [events] = await filesOf(directory, '_physioevents.tsv.gz')
  const rows = gunzipSync(await readFile(join(directory, events))).toString()
  expect(rows.split('\n').filter((row) => /TRIG|a b/.test(row))).toEqual([
    '0.0015\t0\tn/a\tn/a\tn/a\tn/a\tTRIG\t7',
    '0.003\t0\tn/a\tn/a\tn/a\tn/a\ta b\tn/a',
  ])
  const back = await readEyes(directory, { events: /./ })
  expect(back.pupilUnit).toBe('mm')
  expect(back.events).toEqual(['1.5,TRIG,7', '3,a b,'])
  expect(Object.keys(back.eyes)).toEqual(EYE_NAMES)
  expect(back.eyes.left_gaze_x_px.slice(0, 5)).toEqual([10, 11, 12, 13, 14])
  expect(back.eyes.right_gaze_x_px.slice(0, 5)).toEqual([null, 15, 16, null, 18])
  expect(back.eyes.left_pupil.slice(0, 5)).toEqual([3.25, 3.25, 3.25, null, 3.25])
  expect(back.gaze[0]).toEqual([0, 1])
})

test('pupils without gaze of their eyes are columns of the recorded gaze', async () => {
  const directory = await datasetOf(bundleOf(['left_pupil', 'right_pupil'], 'area_au'))
  expect(await brokenRules(directory)).toEqual([])
  expect(labels(await filesOf(directory, '_physio.tsv.gz'))).toEqual(['eye1'])
  const back = await readEyes(directory)
  expect(back.pupilUnit).toBe('area_au')
  expect(Object.keys(back.eyes)).toEqual(['left_pupil', 'right_pupil'])
  const one = await datasetOf({ ...bundleOf(['right_pupil'], 'diameter_au') })
  expect(Object.keys((await readEyes(one)).eyes)).toEqual(['right_pupil'])
})

test('gaze is written as recorded, also with an analysis that moves it', async () => {
  const bundle = bundleOf(EYE_NAMES, 'mm')
  const plain = await datasetOf(bundle)
  const participantId = String(bundle.participants[0].participant_id)
  const offsets = [{ participantId, dxPx: 50, dyPx: -20, source: 'hand' as const }]
  const moved = await datasetOf(bundle, { offsets })
  const names = await filesOf(plain, '.tsv.gz')
  expect(names.length).toBeGreaterThan(0)
  for (const name of [...names, ...(await filesOf(plain, '.tsv'))])
    expect((await readFile(join(moved, name))).equals(await readFile(join(plain, name))), name).toBe(true)
})

test('the order in which items were shown comes back', async () => {
  const bundle = smallBundle()
  const orders = new Map(bundle.tests.map((row, i) => [row.test_id, String(bundle.tests.length - i)]))
  const directory = await datasetOf({
    ...bundle,
    tests: bundle.tests.map((row) => ({ ...row, display_order: orders.get(row.test_id)! })),
  } as Bundle)
  expect(await brokenRules(directory)).toEqual([])
  const [scans] = await filesOf(directory, '_scans.tsv')
  const lines = (await readFile(join(directory, scans), 'utf8')).trim().split('\n')
  const listed = lines.slice(1).map((line) => Number(line.split('\t')[1]))
  expect(listed.length).toBeGreaterThan(1)
  expect(listed).toEqual([...listed].sort((a, b) => a - b))
  const { tests, study, participants } = await convertAndRead([directory])
  const subject = scans.split('/')[0]
  const [who] = participants.filter(({ external_id }) => external_id === subject)
  const own = tests.filter(({ participant_id }) => participant_id === who.participant_id)
  const shown = own.sort((a, b) => Number(a.display_order) - Number(b.display_order))
  const items = new Map(
    study.items.map(({ id, filename }) => [id, filename.replace(/\.[^.]*$/, '').replace(/\W/g, '')]),
  )
  expect(shown.map(({ item_id }) => items.get(item_id))).toEqual(
    lines.slice(1).map((line) => /_task-([0-9A-Za-z]+)/.exec(line)?.[1]),
  )
})
