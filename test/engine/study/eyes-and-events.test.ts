import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { readArrival } from '../../../engine/live/arrivals/read-arrival.ts'
import { openLiveStudies } from '../../../engine/live/live-studies.ts'
import { EYE_COLUMN_NAMES, EYE_NAMES } from '../../../engine/model/eye-columns.ts'
import { checkSnapshots } from '../../../engine/snapshot/check-snapshots.ts'
import { readSamples } from '../../../engine/snapshot/read-samples.ts'
import { loadEvents } from '../../../engine/snapshot/rows/read-events.ts'
import { readGivenRows } from '../../../engine/snapshot/rows/read-given.ts'
import { FORMAT_WITH_EYES } from '../../../engine/storage/files/data-format.ts'
import { changeStudy } from '../../../engine/study/change-study.ts'
import { removal } from '../../../engine/study/changes/removal.ts'
import { compactStudy } from '../../../engine/study/compact/compact-study.ts'
import {
  type Bundle,
  makeStudyFixture,
  participant,
  type Row,
  STUDY_ID,
  type StudyFixture,
  samplesOf,
  smallBundle,
  test as testRow,
  uuid,
} from '../import/bundles.ts'
import { currentSnapshot } from '../import/contents.ts'

/** A study in which some participants have eyes and events, however they came into it. */

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

const making = () => ({ dataDir: fixture.dataDir, studyId: STUDY_ID, threads: 1, memoryMib: 256 })
const [LX, LY] = EYE_NAMES

/** A participant with a test of each of both items; an even one has eyes and events. */
function person(n: number): Pick<Bundle, 'participants' | 'tests' | 'samples'> & { events: Row[] } {
  const tests = [testRow(10 * n, n, 1), testRow(10 * n + 1, n, 2)]
  const eyes = (i: number): Row => (n % 2 === 0 ? { [LX]: String(i + n), [LY]: '7', right_pupil: String(n + 0.5) } : {})
  const events = tests.flatMap(({ test_id }) => [
    { test_id, t_ms: '30', name: 'response', value: 'left' },
    { test_id, t_ms: '10.5', name: 'stimulus', value: '' },
  ])
  return {
    participants: [participant(n, { created_at: `2024-01-01T10:00:${59 - n}+00:00` })],
    tests,
    samples: tests.flatMap(({ test_id }) => samplesOf(test_id, 5, eyes)),
    events: n % 2 === 0 ? events : [],
  }
}

/** The same as a request sends it: columns for the first test, rows for the second. */
function bodyOf(n: number): Buffer {
  const { participants, tests, samples, events } = person(n)
  const plain = (row: Row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== ''))
  const value = (cell: string | undefined) => (cell === '' || cell === undefined ? null : Number(cell))
  const rowsOf = (id: string) =>
    samples
      .filter(({ test_id }) => test_id === id)
      .map(({ test_id: _, ...row }) =>
        Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, value(cell)])),
      )
  const columnsOf = (rows: Record<string, number | null>[]) =>
    Object.fromEntries(Object.keys(rows[0]).map((name) => [name, rows.map((row) => row[name])]))
  const sent = tests.map(({ participant_id: _, ...own }, i) => ({
    ...plain(own),
    samples: i === 0 ? columnsOf(rowsOf(own.test_id)) : rowsOf(own.test_id),
    events: events
      .filter(({ test_id }) => test_id === own.test_id)
      .map(({ test_id: __, t_ms, name, value: what }) => ({ t_ms: Number(t_ms), name, value: what || null })),
  }))
  return Buffer.from(JSON.stringify({ participant: plain(participants[0]), tests: sent }))
}

async function arrive(...people: number[]): Promise<void> {
  const live = openLiveStudies({ dataDir: fixture.dataDir, jobs: openJobs(fixture.dataDir), memoryMib: 256 })
  for (const n of people) await live.add(STUDY_ID, readArrival(bodyOf(n), 'json'), { tokenId: 'someone', key: null })
  await live.close()
}

async function importAll(people: number[], append = false): Promise<void> {
  const all = people.map(person)
  const of = (name: 'participants' | 'tests' | 'samples' | 'events') => all.flatMap((one) => one[name])
  const tables = { participants: of('participants'), tests: of('tests'), samples: of('samples'), events: of('events') }
  await fixture.importing(append ? tables : { study: smallBundle().study, ...tables }, { append })
}

/** Returns the content of the study, by test in the order of output: samples of eyes and events. */
async function contents(): Promise<unknown[]> {
  const snapshot = await currentSnapshot(fixture.dataDir, STUDY_ID)
  const { directory, manifest } = snapshot
  // Earlier versions would drop them when they rewrite the study.
  expect(manifest.formatVersion).toBe(FORMAT_WITH_EYES)
  const { tests, places, measured } = await readGivenRows(snapshot)
  const events = await loadEvents(
    snapshot,
    Int32Array.from(tests, (_, i) => i),
  )
  return Promise.all(
    tests.map(async ({ id }, i) => {
      const { file, ordinal, firstSample } = places[i]
      const place = { directory, file: manifest.sampleFiles[file], firstOrdinal: ordinal, lastOrdinal: ordinal }
      const rows = { fromRow: firstSample, rowCount: measured[i].sampleCount }
      const { eyes, gazeXPx } = await readSamples({ ...place, ...rows }, ['gazeXPx', ...EYE_COLUMN_NAMES])
      return { id, gazeXPx, eyes, events: events.get(id) }
    }),
  )
}

async function compact(): Promise<void> {
  const longAgo = new Date(Date.now() - 60_000)
  await utimes(join(fixture.dataDir, 'studies', STUDY_ID, 'current'), longAgo, longAgo)
  const merged = await compactStudy({ ...making(), now: new Date(), signal: new AbortController().signal })
  expect(merged).not.toBeNull()
}

test('eyes and events are the same by one import, by several, by requests, and after files were merged', async () => {
  await importAll([1, 2, 3, 4])
  const atOnce = await contents()
  expect(atOnce).toHaveLength(8)
  await importAll([1, 4])
  await importAll([3, 2], true)
  expect(await contents()).toEqual(atOnce)
  await importAll([3])
  await arrive(2, 1, 4)
  expect(await contents()).toEqual(atOnce)
  await compact()
  expect(await contents()).toEqual(atOnce)
  const { manifest } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(manifest.layers).toBeUndefined()
  const faults: string[] = []
  await checkSnapshots(fixture.dataDir, (fault) => faults.push(fault))
  expect(faults).toEqual([])
})

test('a participant who is removed takes their eyes and events along', async () => {
  await importAll([1, 2, 3, 4])
  await changeStudy(making(), null, removal(uuid('b', 4)))
  const removed = await contents()
  await importAll([1, 2, 3])
  expect(removed).toEqual(await contents())
  await changeStudy(making(), null, removal(uuid('b', 2)))
  const { manifest } = await currentSnapshot(fixture.dataDir, STUDY_ID)
  expect(Object.keys(manifest.files)).not.toContain('events.parquet')
  expect(manifest.sampleFiles.flatMap(({ eyes }) => eyes ?? [])).toEqual([])
})

test('a request with faults in eyes and events gets all of them', () => {
  const body = {
    participant: {},
    tests: [
      {
        item_id: uuid('1', 1),
        samples: { t_ms: [0, 10], left_pupil: [0, 3], [LX]: [1e8, null], right_eye_distance_mm: [600, '9'] },
        events: [{ t_ms: 'now', name: 'go' }, { t_ms: 1, name: '' }, { t_ms: 1, name: 'go', test_id: 'x' }, 'go'],
      },
    ],
  }
  const read = () => readArrival(Buffer.from(JSON.stringify(body)), 'json')
  const places = () => {
    try {
      return read().sampleCount
    } catch (error) {
      return (error as { problems: { column: string; rule: string }[] }).problems.map(({ column }) => column)
    }
  }
  expect(places()).toEqual([
    'tests[0].samples.left_gaze_x_px[0]',
    'tests[0].samples.left_pupil[0]',
    'tests[0].samples.right_eye_distance_mm[1]',
    'tests[0].events[0].t_ms',
    'tests[0].events[1].name',
    'tests[0].events[2].test_id',
    'tests[0].events[3]',
  ])
})

test('a request as lines gives events one by one, and gaze from the eyes where it gives none', () => {
  const lines = [
    { participant: {} },
    { test: { item_id: uuid('1', 1), browser_width_px: 10, browser_height_px: 10 } },
    { sample: { t_ms: 0, [LX]: 1, [LY]: 2, right_gaze_x_px: 2, right_gaze_y_px: 6 } },
    { event: { t_ms: 1, name: 'go', value: 3 } },
    { sample: { t_ms: 10, [LX]: 5 } },
    { event: { t_ms: 2, name: 'stop' } },
  ]
  const body = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))
  const [{ samples, events, given }] = readArrival(body, 'ndjson').tests
  expect([...samples.gazeXPx, ...samples.gazeYPx]).toEqual([1.5, Number.NaN, 4, Number.NaN])
  expect(events).toEqual([
    { testId: given.id, tUs: 1000, name: 'go', value: '3' },
    { testId: given.id, tUs: 2000, name: 'stop', value: '' },
  ])
})
