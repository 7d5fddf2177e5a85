import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { makePlan } from '../../../../../engine/exports/make-plan.ts'
import type { ExportName } from '../../../../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../../../../engine/model/parameters.ts'
import type { Participant, Snapshot, Study } from '../../../../../engine/model/study.ts'
import { subjectLabels, taskLabels } from '../../../../../engine/products/package/bids/labels.ts'
import type { BidsScreen } from '../../../../../engine/products/package/bids/sidecars.ts'
import { type BidsWritten, writeBids } from '../../../../../engine/products/package/bids/write-dataset.ts'
import { convertFiles } from '../../../../../engine/recordings/convert/convert-recordings.ts'
import { csvRows } from '../../../csv.ts'
import { keptDirectory, keptPool } from '../../../kept.ts'
import { exported, importDemo, importGolden, importInto, newDataDir, rowsOf as tablesOf } from '../../../studies.ts'
import { brokenRules } from './rules.ts'

const root = await keptDirectory()
const pool = keptPool()
const golden = await importGolden(root)
const demo = await importDemo(root, { participants: 9, items: 5, seconds: 6, hz: 60, seed: 4 })

const UNKNOWN: BidsScreen = { distanceM: null, sizeM: null }

async function dataset(
  snapshot: Snapshot,
  parameters: Partial<Parameters> = {},
  screen = UNKNOWN,
): Promise<{ directory: string; written: BidsWritten }> {
  const directory = await mkdtemp(join(root, 'bids-'))
  const settings = { ...defaultParameters(), ...parameters }
  const plan = makePlan({ snapshot, exportName: 'fixations', parameters: settings, formulaGuard: false })
  const signal = new AbortController().signal
  return { directory, written: await writeBids({ directory, snapshot, plan, screen, signal }) }
}

const filesIn = async (directory: string, ending: string) =>
  (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(ending)).sort()

async function rowsOf(path: string): Promise<string[][]> {
  const bytes = await readFile(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'))
}

const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'))

async function tableOf(snapshot: Snapshot, name: ExportName): Promise<Record<string, string>[]> {
  return csvRows((await exported(pool, snapshot, name)).csv)
}

describe.each([
  ['golden', () => golden],
  ['demo', () => demo],
])('the dataset of the %s study', (_name, study) => {
  test('breaks none of the published rules', async () => {
    const { directory, written } = await dataset(study())
    expect(await brokenRules(directory)).toEqual([])
    expect(written.tests).toBe(study().manifest.counts.tests)
    expect(await filesIn(directory, '_events.tsv')).toHaveLength(written.tests)
    expect(await filesIn(directory, '_physio.tsv.gz')).toHaveLength(written.recordings)
  })

  test('has the samples and the fixations of the other exports, to the last digit', async () => {
    const { directory } = await dataset(study())
    const raw = await tableOf(study(), 'gazes-raw')
    const found = await tableOf(study(), 'fixations')
    const people = await rowsOf(join(directory, 'participants.tsv'))
    const subjectOf = new Map(people.slice(1).map((row) => [row[4], row[0]]))
    const tasks = taskLabels(study().study)
    const times = new Map<string, number>()
    let recordings = 0
    for (const row of raw) {
      const subject = subjectOf.get(row.participant_id)!
      const seen = raw.filter((other) => other.participant_id === row.participant_id && other.item_id === row.item_id)
      const key = `${subject} ${row.item_id}`
      times.set(key, (times.get(key) ?? 0) + 1)
      const run = seen.length > 1 ? `_run-${times.get(key)}` : ''
      const stem = join(directory, subject, 'beh', `${subject}_task-${tasks.get(row.item_id)}${run}`)
      const samples: (number | null)[][] = JSON.parse(row.test_raw_data)
      samples.sort((a, b) => a[2]! - b[2]!)
      const physio = `${stem}_recording-eye1_physio.tsv.gz`
      if (!existsSync(physio)) {
        expect(new Set(samples.map(([, , t]) => t)).size).toBeLessThan(2)
        continue
      }
      recordings++
      const rows = await rowsOf(physio)
      const cell = (value: number | null) => (value === null ? 'n/a' : value)
      expect(
        rows.map(([t, x, y, scroll]) => [x, y, Number(t), scroll].map((one) => (one === 'n/a' ? one : Number(one)))),
      ).toEqual(samples.map(([x, y, t, scroll]) => [cell(x), cell(y), Math.round(t! * 1000) / 1e6, scroll]))
      const sidecar = await json(physio.replace('.tsv.gz', '.json'))
      expect(sidecar.StartTime).toBe(Number(rows[0][0]))
      expect(sidecar.SamplingFrequency).toBeCloseTo(
        (rows.length - 1) / (Number(rows.at(-1)![0]) - sidecar.StartTime),
        3,
      )
      if (seen.length > 1) continue
      const own = found.filter((one) => one.participant_id === row.participant_id && one.item_id === row.item_id)
      const events = `${stem}_recording-eye1_physioevents.tsv.gz`
      const detected = existsSync(events) ? (await rowsOf(events)).filter(([, , type]) => type === 'fixation') : []
      expect(detected.map(([onset, , , x, y]) => [Math.floor(Number(onset) * 1000 + 0.5), x, y])).toEqual(
        own.map((one) => [Number(one.fixation_starts_at_ms), one.fixation_point_x, one.fixation_point_y]),
      )
    }
    expect(recordings).toBeGreaterThan(5)
  })

  test('is the same, byte for byte, when it is written again', async () => {
    const [first, second] = [await dataset(study()), await dataset(study())]
    const names = await filesIn(first.directory, '')
    expect(await filesIn(second.directory, '')).toEqual(names)
    for (const name of names.filter((each) => /\.\w+$|CHANGES/.test(each))) {
      const [one, other] = await Promise.all(
        [first, second].map(({ directory }) => readFile(join(directory, name)).catch(() => null)),
      )
      expect(one === null ? other === null : one.equals(other!), name).toBe(true)
    }
  })
})

test('what is read back by the reader of BIDS is the same recording', async () => {
  const { directory } = await dataset(demo)
  const bundle = await mkdtemp(join(tmpdir(), 'gazette-read-back-'))
  const data = await newDataDir()
  try {
    const conversion = await convertFiles({ paths: [directory], directory: bundle, memoryMib: 256 })
    expect(conversion.format).toBe('bids')
    const back = await importInto(data, bundle)
    const people = await rowsOf(join(directory, 'participants.tsv'))
    const labels = new Map(people.slice(1).map((row) => [row[4], row[0]]))
    type Row = Record<string, string>
    const byTest = (rows: Row[], subject: (row: Row) => string) =>
      new Map(
        rows.map((row) => {
          const samples: (number | null)[][] = JSON.parse(row.test_raw_data)
          const shown = samples.filter(([, , t]) => t! >= 0 && t! < Number(row.test_duration_ms))
          return [`${subject(row)} ${row.item_filename}`, shown.map(([x, y, t]) => [x, y, Math.round(t! * 1000)])]
        }),
      )
    const before = byTest(await tableOf(demo, 'gazes-raw'), (row) => labels.get(row.participant_id)!)
    const after = byTest(await tableOf(back, 'gazes-raw'), (row) => row.participant_external_id)
    expect(after.size).toBeGreaterThan(20)
    for (const [key, samples] of after) expect(samples, key).toEqual(before.get(key))
  } finally {
    await rm(bundle, { recursive: true, force: true })
    await rm(data, { recursive: true, force: true })
  }
})

test('the item and the grade choose the tests, and only their participants are in it', async () => {
  const itemId = demo.study.items[1].id
  const { directory, written } = await dataset(demo, { itemId, participantQualityGradeItemMin: 3 })
  const meant = (await tablesOf(demo)).tests.filter((one) => one.itemIndex === 1 && one.qualityGradeItem >= 3)
  expect(written.tests).toBe(meant.length)
  expect(await brokenRules(directory)).toEqual([])
  expect(await rowsOf(join(directory, 'participants.tsv'))).toHaveLength(meant.length + 1)
})

test("the screen is what was given, else the study's, or nominal and said to be", async () => {
  const given = await dataset(demo, {}, { distanceM: 0.6, sizeM: [0.53, 0.3] })
  const [name] = await filesIn(given.directory, '_events.json')
  expect((await json(join(given.directory, name))).StimulusPresentation).toMatchObject({
    ScreenDistance: 0.6,
    ScreenSize: [0.53, 0.3],
  })
  const recording = (await filesIn(given.directory, '_physio.json'))[0]
  expect(await json(join(given.directory, recording))).not.toHaveProperty('ScreenGeometry')
  const own = await dataset(demo)
  const { StimulusPresentation: ownScreen } = await json(join(own.directory, name))
  expect(ownScreen).toMatchObject({ ScreenDistance: 0.6, ScreenSize: [0.503, 0.283] })
  const tracker = { Manufacturer: 'Gazette', ManufacturersModelName: 'synthetic webcam' }
  const sidecar = await json(join(own.directory, recording))
  expect(sidecar).toMatchObject(tracker)
  expect(sidecar).not.toHaveProperty('ScreenGeometry')
  const { directory } = await dataset(golden)
  const [unknown] = await filesIn(directory, '_events.json')
  const [unknownRecording] = await filesIn(directory, '_physio.json')
  const { StimulusPresentation: shown } = await json(join(directory, unknown))
  expect(shown.ScreenDistance).toBe(0.7112)
  expect(shown.ScreenSize[0] / shown.ScreenResolution[0]).toBeCloseTo(0.0254 / 96, 7)
  expect((await json(join(directory, unknownRecording))).ScreenGeometry).toMatch(
    /ScreenSize and ScreenDistance.*not recorded/,
  )
  expect(await readFile(join(directory, 'README.md'), 'utf8')).toContain('was not recorded')
})

test('the quality of each test is among the derivatives, as quality-stats has it', async () => {
  const { directory, written } = await dataset(demo)
  const names = await filesIn(directory, '_desc-quality_beh.tsv')
  expect(names).toHaveLength(written.tests)
  const described = await json(join(directory, 'derivatives/gazette/desc-quality_beh.json'))
  const exported = (await tableOf(demo, 'quality-stats')).map((row) =>
    Object.keys(described)
      .slice(1)
      .map((name) => row[name] || 'n/a')
      .join(),
  )
  const tables = await Promise.all(names.map((name) => rowsOf(join(directory, name))))
  for (const [header] of tables) expect(header).toEqual(Object.keys(described).slice(1))
  expect(tables.map(([, row]) => row.join()).sort()).toEqual(exported.sort())
  expect(exported.join()).toMatch(/\d\.\d+/)
})

test('clicks are events of the item that was clicked', async () => {
  const { directory } = await dataset(golden)
  const rows = (
    await Promise.all((await filesIn(directory, '_events.tsv')).map((name) => rowsOf(join(directory, name))))
  ).flat()
  const raw = await tableOf(golden, 'mouse')
  expect(rows.filter((row) => row.includes('click'))).toHaveLength(raw.filter((row) => row.is_click === 'true').length)
})

describe('labels', () => {
  const people = (...ids: string[]) => ids.map((externalId, i) => ({ id: String(i), externalId }) as Participant)
  test('are the external ids where all of them can be', () => {
    expect([...subjectLabels(people('P1', 'sub-b', '07')).values()]).toEqual(['P1', 'b', '07'])
  })
  test.each([
    ['has no id', ['P1', '']],
    ['has the id of another', ['P1', 'p1']],
    ['has one with other letters', ['P1', 'a@b.c']],
    ['has an id in another script', ['P1', '研究']],
  ])('are numbers for all when one %s', (_why, ids) => {
    expect([...subjectLabels(people(...ids)).values()]).toEqual(['001', '002'])
  })
  test('of items are their names without what a label may not have, and distinct', () => {
    const names = ['Ad 01.png', 'ad-01.jpg', '研究.png', 'Größe_é.svg', 'AD01', '.png']
    const items = names.map((filename, i) => ({ id: String(i), filename }))
    const labels = taskLabels({ steps: [], items } as unknown as Study)
    expect([...labels.values()]).toEqual(['Ad01', 'ad01x2', 'item', 'Groee', 'AD01x3', 'itemx2'])
  })
})

test('the rules of these tests find what is wrong', async () => {
  const { directory } = await dataset(demo)
  const [recording] = await filesIn(directory, '_physio.json')
  const sidecar = await json(join(directory, recording))
  await writeFile(
    join(directory, recording),
    JSON.stringify({ ...sidecar, RecordedEye: 'both', Columns: ['timestamp'] }),
  )
  await mkdir(join(directory, 'sub-X', 'beh'), { recursive: true })
  await writeFile(join(directory, 'sub-X', 'beh', 'sub-X_gaze.tsv'), 'a\n')
  const broken = (await brokenRules(directory)).join('\n')
  expect(broken).toMatch(/RecordedEye is required/)
  expect(broken).toMatch(/begins with other columns/)
  expect(broken).toMatch(/sub-X_gaze.tsv has no BIDS name/)
  expect(broken).toMatch(/other participants than there are folders/)
})

test('an abort ends the work', async () => {
  const directory = await mkdtemp(join(root, 'stopped-'))
  const plan = makePlan({
    snapshot: demo,
    exportName: 'fixations',
    parameters: defaultParameters(),
    formulaGuard: false,
  })
  const stop = new AbortController()
  stop.abort()
  const run = writeBids({ directory, snapshot: demo, plan, screen: UNKNOWN, signal: stop.signal })
  await expect(run).rejects.toThrow()
})

describe('what a dataset says of the set-up', () => {
  test('is what the study says of tracker and screen, and nothing of a browser or of both eyes', async () => {
    const recording = {
      ...{ manufacturer: 'SR Research', model: 'EyeLink 1000', environment: 'lab' },
      ...{ viewingDistanceCm: 57, screenWidthCm: 53.1, screenHeightCm: 29.9 },
    }
    const { directory } = await dataset({ ...golden, study: { ...golden.study, recording } })
    expect(await brokenRules(directory)).toEqual([])
    const readme = await readFile(join(directory, 'README.md'), 'utf8')
    expect(readme).toMatch(/^Eye tracking with SR Research EyeLink 1000 \(lab\), written by Gazette/m)
    expect(readme).not.toMatch(/nominal/)
    const [events] = await filesIn(directory, '_events.json')
    expect((await json(join(directory, events))).StimulusPresentation).toMatchObject({
      ScreenDistance: 0.57,
      ScreenSize: [0.531, 0.299],
    })
    const [physio] = await filesIn(directory, '_physio.json')
    expect(await json(join(directory, physio))).toMatchObject({
      Manufacturer: 'SR Research',
      ManufacturersModelName: 'EyeLink 1000',
      RecordedEyeDescription: expect.stringMatching(/the study does not say/),
    })
    for (const name of await filesIn(directory, '.json'))
      expect(await readFile(join(directory, name), 'utf8')).not.toMatch(/browser|both eyes/i)
  })

  test('is overruled by what is said on the command line', async () => {
    const recording = { viewingDistanceCm: 57 }
    const screen = { distanceM: 0.6, sizeM: null }
    const { directory } = await dataset({ ...golden, study: { ...golden.study, recording } }, {}, screen)
    const [events] = await filesIn(directory, '_events.json')
    expect((await json(join(directory, events))).StimulusPresentation.ScreenDistance).toBe(0.6)
  })
})

test('an EyeLink file of the left eye is of the left eye, and nothing says browser', async () => {
  const files = await mkdtemp(join(root, 'eyelink-'))
  const bundle = await mkdtemp(join(root, 'bundle-'))
  const samples = Array.from({ length: 20 }, (_, i) => `${1000 + i}\t 500.0\t 400.0\t 900.0\t...`)
  const head = ['** CONVERTED FROM kim.edf', 'MSG\t1 DISPLAY_COORDS 0 0 1919 1079']
  const lines = [
    'START\t1000 \tLEFT\tSAMPLES',
    'SAMPLES\tGAZE\tLEFT\tRATE\t1000.00',
    ...samples,
    'END\t1020 \tSAMPLES',
    '',
  ]
  await writeFile(join(files, 'kim.asc'), [...head, ...lines].join('\n'))
  await convertFiles({ paths: [files], directory: bundle, memoryMib: 256 })
  const { directory } = await dataset(await importInto(root, bundle))
  const [physio] = await filesIn(directory, '_physio.json')
  expect(await json(join(directory, physio))).toMatchObject({ RecordedEye: 'left' })
  for (const name of [...(await filesIn(directory, '.json')), 'README.md'])
    expect(await readFile(join(directory, name), 'utf8')).not.toMatch(/browser|cyclopean/i)
  expect(await brokenRules(directory)).toEqual([])
})
