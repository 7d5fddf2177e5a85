import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDuckDb, readParquet } from '../../../engine/duckdb/duckdb.ts'
import type { ServiceError } from '../../../engine/model/errors.ts'
import { EYE_COLUMN_NAMES, EYE_NAMES } from '../../../engine/model/eye-columns.ts'
import { readSamples } from '../../../engine/snapshot/read-samples.ts'
import { loadEvents } from '../../../engine/snapshot/rows/read-events.ts'
import {
  type Bundle,
  makeStudyFixture,
  type Row,
  STUDY_ID,
  type StudyFixture,
  smallBundle,
  toCsv,
  uuid,
  writeBundle,
} from './bundles.ts'
import { currentSnapshot } from './contents.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

const [LX, LY, RX, RY] = EYE_NAMES

/** The small study whose first test has eyes: the right one is lost in each third sample, half of the left one once. */
function eyesBundle(): Bundle {
  const bundle = smallBundle()
  const eyes = (i: number): Row => ({
    [LX]: String(10 + i),
    [LY]: i === 4 ? '' : '20',
    [RX]: i % 3 === 0 ? '' : String(14 + i),
    [RY]: i % 3 === 0 ? 'NA' : '22',
    left_pupil: i === 5 ? '' : '3.25',
    right_pupil: '4',
    left_eye_distance_mm: '600',
    right_eye_distance_mm: '',
  })
  const samples = bundle.samples.map((row, i) => (i < 10 ? { ...row, ...eyes(i) } : row))
  return { ...bundle, samples }
}

async function readAll(): Promise<Record<string, number[]>> {
  const { directory, manifest } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  const [file] = manifest.sampleFiles
  const place = { directory, file, firstOrdinal: 0, lastOrdinal: 99, fromRow: 0, rowCount: file.rowCount }
  const { eyes, gazeXPx, gazeYPx } = await readSamples(place, ['gazeXPx', 'gazeYPx', ...EYE_COLUMN_NAMES])
  return Object.fromEntries(
    Object.entries({ gazeXPx, gazeYPx, ...eyes }).map(([name, values]) => [name, [...values.slice(0, 7)]]),
  )
}

async function columnsStored(): Promise<string[]> {
  const { directory, manifest } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 128 })
  try {
    const path = join(directory, manifest.sampleFiles[0].name)
    const reader = await db.connection.runAndReadAll(`DESCRIBE SELECT * FROM ${readParquet()}`, { path })
    return reader.getRows().map(([name]) => String(name))
  } finally {
    db.close()
  }
}

const PLAIN = 'test_ordinal,t_us,gaze_x_px,gaze_y_px,scroll_y_px,mouse_x_px,mouse_y_px,is_click'.split(',')
const N = Number.NaN

test('what was recorded of the eyes is kept as it came, a position with one coordinate as none', async () => {
  await fixture.importing(eyesBundle())
  expect(await readAll()).toEqual({
    gazeXPx: [0, 1, 2, 3, 4, 5, 6],
    gazeYPx: [1, 1, 1, 1, 1, 1, 1],
    leftGazeXPx: [10, 11, 12, 13, N, 15, 16],
    leftGazeYPx: [20, 20, 20, 20, N, 20, 20],
    rightGazeXPx: [N, 15, 16, N, 18, 19, N],
    rightGazeYPx: [N, 22, 22, N, 22, 22, N],
    leftPupil: [3.25, 3.25, 3.25, 3.25, 3.25, N, 3.25],
    rightPupil: [4, 4, 4, 4, 4, 4, 4],
    leftEyeDistanceMm: [600, 600, 600, 600, 600, 600, 600],
    rightEyeDistanceMm: [N, N, N, N, N, N, N],
  })
})

test('a sample file has the columns of eyes that have a value, and no others', async () => {
  await fixture.importing(eyesBundle())
  const { manifest } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(manifest.sampleFiles[0].eyes).toEqual(EYE_COLUMN_NAMES.filter((name) => name !== 'rightEyeDistanceMm'))
  expect(await columnsStored()).toEqual([...PLAIN, ...EYE_NAMES.filter((name) => name !== 'right_eye_distance_mm')])
})

test('a study without eyes is stored as before, also where its columns are empty', async () => {
  const bundle = smallBundle()
  await fixture.importing(bundle)
  const plain = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(Object.keys(plain.manifest.sampleFiles[0])).not.toContain('eyes')
  expect(await columnsStored()).toEqual(PLAIN)
  await fixture.importing({ ...bundle, samples: bundle.samples.map((row) => ({ ...row, left_pupil: '', [LX]: '5' })) })
  const empty = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(empty.id).not.toBe(plain.id)
  expect(empty.manifest.sampleFiles).toEqual(plain.manifest.sampleFiles)
})

test('in a file without gaze, it is the mean of the eyes that are there', async () => {
  const { samples, ...bundle } = eyesBundle()
  const directory = await writeBundle(fixture.bundleDir(), bundle)
  await writeFile(join(directory, 'samples.csv'), toCsv(samples, ['test_id', 't_ms', ...EYE_NAMES]))
  await fixture.importDir(directory)
  const { gazeXPx, gazeYPx } = await readAll()
  expect(gazeXPx).toEqual([10, 13, 14, 13, 18, 17, 16])
  expect(gazeYPx).toEqual([20, 21, 21, 20, 22, 21, 20])
  await writeFile(join(directory, 'samples.csv'), toCsv(samples, ['test_id', 't_ms', RX, RY]))
  await fixture.importDir(directory)
  expect((await readAll()).gazeXPx).toEqual([N, 15, 16, N, 18, 19, N])
})

test('a Parquet file of the same samples gives the same file', async () => {
  const { samples, ...bundle } = eyesBundle()
  await fixture.importing({ ...bundle, samples })
  const { manifest: fromCsv } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  const directory = await writeBundle(fixture.bundleDir(), bundle)
  await writeFile(join(fixture.root, 'samples.csv'), toCsv(samples, [...PLAIN_IN, ...EYE_NAMES]))
  const db = await openDuckDb({ directories: [fixture.root], threads: 1, memoryMib: 256 })
  const typed = EYE_NAMES.map((name) => `${name}::FLOAT AS ${name}`).join(', ')
  await db.connection.run(
    `COPY (SELECT test_id, t_ms::DOUBLE AS t_ms, gaze_x_px::DOUBLE AS gaze_x_px, gaze_y_px::INTEGER AS gaze_y_px, ${typed}
      FROM read_csv('${join(fixture.root, 'samples.csv')}', all_varchar = true, nullstr = ['', 'NA']))
      TO '${join(directory, 'samples.parquet')}'`,
  )
  db.close()
  await fixture.importDir(directory)
  const { manifest } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(manifest.bundle).not.toEqual(fromCsv.bundle)
  expect(manifest.sampleFiles).toEqual(fromCsv.sampleFiles)
  await expect(faultsOf(fixture.importDir(await brokenParquet(directory)))).resolves.toEqual([
    ['left_pupil', '-1.0', 'must be a number above 0, up to 10000000, or empty'],
    ['right_gaze_x_px', '20000000.0', 'must be a number from -10000000 to 10000000, or empty'],
  ])
})
const PLAIN_IN = ['test_id', 't_ms', 'gaze_x_px', 'gaze_y_px']

async function brokenParquet(directory: string): Promise<string> {
  const db = await openDuckDb({ directories: [fixture.root], threads: 1, memoryMib: 256 })
  const path = join(directory, 'samples.parquet')
  await db.connection.run(`CREATE TABLE t AS SELECT * REPLACE (if(t_ms = 0, -1, left_pupil) AS left_pupil,
    if(gaze_x_px = 3, 2e7, right_gaze_x_px) AS right_gaze_x_px) FROM '${path}' LIMIT 5`)
  await db.connection.run(`COPY t TO '${path}'`)
  db.close()
  return directory
}

async function faultsOf(importing: Promise<unknown>): Promise<unknown[]> {
  const { problems } = (await importing.catch((error) => error)) as ServiceError
  return problems.map(({ column, value, rule }) => [column, value, rule]).sort()
}

test('values of eyes and events that break a rule are refused, all at once', async () => {
  const { samples, ...bundle } = eyesBundle()
  Object.assign(samples[0], { left_pupil: '0', [RX]: 'far' })
  Object.assign(samples[1], { right_pupil: '1e8', left_eye_distance_mm: '-1' })
  const events = [
    event(1, '10', ''),
    event(7, '10', 'go'),
    event(1, '', 'go'),
    event(1, '10', 'go', 'x'.repeat(10_001)),
  ]
  const size = 'must be a number above 0, up to'
  expect(await faultsOf(fixture.importing({ ...bundle, samples, events }))).toEqual(
    [
      ['left_pupil', '0', `${size} 10000000, or empty`],
      ['right_gaze_x_px', 'far', 'must be a number from -10000000 to 10000000, or empty'],
      ['left_eye_distance_mm', '-1', `${size} 100000, or empty`],
      ['right_pupil', '1e8', `${size} 10000000, or empty`],
      ['name', '', 'must be text of 1 to 1,000 characters, without U+0000'],
      ['test_id', uuid('c', 7), 'must be the id of a test'],
      ['t_ms', '', 'must be a number from -86400000 to 86400000'],
      ['value', `${'x'.repeat(200)}…`, 'must be text of at most 10,000 characters, without U+0000'],
    ].sort(),
  )
})

function event(testN: number, ms: string, name: string, value = ''): Row {
  return { test_id: uuid('c', testN), t_ms: ms, name, value }
}

async function eventsNow() {
  const snapshot = await currentSnapshot(fixture.dataDir, STUDY_ID)
  const found = await loadEvents(
    snapshot,
    Int32Array.from({ length: snapshot.manifest.counts.tests }, (_, i) => i),
  )
  return Object.fromEntries(
    [...found].map(([id, { tUs, name, value }]) => [
      id,
      [...tUs].map((t, i) => `${t} ${name[i]}${value[i] && ` ${value[i]}`}`),
    ]),
  )
}

test('events of a test come in the order of time, equal times in that of the file', async () => {
  const events = [
    event(3, '5', 'late'),
    event(1, '7.0004', 'b', '1'),
    event(1, '-2', 'a'),
    event(1, '7', 'c, "d"', 'NA'),
  ]
  await fixture.importing({ ...smallBundle(), events })
  expect(await eventsNow()).toEqual({
    [uuid('c', 1)]: ['-2000 a', '7000 b 1', '7000 c, "d" NA'],
    [uuid('c', 3)]: ['5000 late'],
  })
})

test('events may be Parquet, under the same rules', async () => {
  const bundle = smallBundle()
  const id = bundle.samples[0].test_id
  const write = async (rows: string) => {
    const directory = await writeBundle(fixture.bundleDir(), bundle)
    const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 128 })
    await db.connection.run(`COPY (${rows}) TO '${join(directory, 'events.parquet')}' (FORMAT parquet)`)
    db.close()
    return directory
  }
  const row = `'${id}'::UUID AS test_id`
  const rows = `SELECT ${row}, 2.5 AS t_ms, 7 AS name, NULL::VARCHAR AS value UNION ALL SELECT '${id}', 1, 8, 'é'`
  await fixture.importDir(await write(rows))
  expect(await eventsNow()).toEqual({ [id]: ['1000 8 é', '2500 7'] })
  const faults = (sql: string) => write(sql).then((directory) => faultsOf(fixture.importDir(directory)))
  const further = `SELECT ${row}, 'soon' AS t_ms, '' AS name, 3 AS what`
  expect((await faults(further)).join()).toMatch(/what.*is no column/)
  // Rows count from 1, so names of columns are in none.
  await expect(fixture.importDir(await write(further))).rejects.toMatchObject({ problems: [{ line: 0 }] })
  expect((await faults(`SELECT ${row}, 'soon' AS t_ms, '' AS name`)).join()).toMatch(/name.*t_ms/)
  expect((await faults(`SELECT ${row}, [1] AS t_ms, 'a' AS name`)).join()).toMatch(
    /must be a column of text or numbers/,
  )
  const broken = await writeBundle(fixture.bundleDir(), bundle)
  await writeFile(join(broken, 'events.parquet'), 'PAR1 and nothing else')
  expect((await faultsOf(fixture.importDir(broken))).join()).toMatch(/must be a whole Parquet file/)
})

test('events can be appended to tests that are there, and a study.json alone keeps them', async () => {
  const bundle = smallBundle()
  await fixture.importing(bundle)
  await fixture.importing({ events: [event(2, '1', 'trigger', '7')] }, { append: true })
  await fixture.importing({ study: { ...bundle.study, name: 'Anew', recording: { pupilUnit: 'mm' } } })
  expect(await eventsNow()).toEqual({ [uuid('c', 2)]: ['1000 trigger 7'] })
  const { study } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(study.recording).toEqual({ pupilUnit: 'mm' })
})

test('a unit of pupils that is none is refused', async () => {
  const { study, ...bundle } = smallBundle()
  const importing = fixture.importing({ ...bundle, study: { ...study, recording: { pupilUnit: 'inch' } } })
  expect(await faultsOf(importing)).toEqual([['recording.pupilUnit', 'inch', 'must be mm, px, diameter_au or area_au']])
})
