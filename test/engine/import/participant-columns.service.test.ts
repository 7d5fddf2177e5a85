import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { queryRows } from '../../../engine/duckdb/query.ts'
import { furtherColumns, tagList } from '../../../engine/import/bundle/participant-columns.ts'
import { readStudy } from '../../../engine/import/bundle/study-json.ts'
import { noProblems } from '../../../engine/model/bundle-problems.ts'
import type { BundleProblem, ServiceError } from '../../../engine/model/errors.ts'
import { loadValidations } from '../../../engine/snapshot/rows/read-validations.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { NO_COLUMNS } from '../../../engine/snapshot/table-columns.ts'
import { changeStudy } from '../../../engine/study/change-study.ts'
import { removal } from '../../../engine/study/changes/removal.ts'
import { readVectors } from '../compute/vectors.ts'
import { keptFixture, keptPool } from '../kept.ts'
import { exported, GOLDEN_STUDY, importGolden } from '../studies.ts'
import { type Bundle, STUDY_ID, smallBundle, uuid, writeBundle } from './bundles.ts'

const fixture = await keptFixture()
const pool = keptPool()

type Case = { name: string; what: string; value: never; valid: boolean; gives?: unknown }

describe('vectors/measures.json', () => {
  for (const { name, what, value, valid, gives } of readVectors<{ bundle: Case[] }>('measures').bundle)
    test(name, () => {
      const problems = noProblems()
      if (what === 'tags') {
        expect(tagList.parse(value)).toEqual(valid ? (gives ?? expect.anything()) : undefined)
      } else if (what === 'recording') {
        const read = readStudy(Buffer.from(JSON.stringify({ ...smallBundle().study, recording: value })), problems)
        const known = Object.entries(value).filter(([, fact]) => fact !== null)
        expect(problems.count).toBe(valid ? 0 : 1)
        if (valid) expect(read.study?.recording).toEqual(Object.fromEntries(known))
      } else {
        const { known } = furtherColumns({ line: 1, cells: value }, 'participants.csv', NO_COLUMNS, problems)
        expect(problems.count).toBe(valid ? 0 : 1)
        if (valid) expect(known.externalData.map((column) => `external_data_${column}`)).toEqual(gives)
      }
    })
})

/** Writes a bundle with participants.csv and validations.csv as they are given. */
async function write(bundle: Partial<Bundle>, participants: string, validations?: string): Promise<string> {
  const directory = await writeBundle(fixture.bundleDir(), { ...bundle, participants: undefined })
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'participants.csv'), participants)
  if (validations !== undefined) await writeFile(join(directory, 'validations.csv'), validations)
  return directory
}

const current = async () => (await openStudies(fixture.dataDir).current(STUDY_ID))!
const tableOf = async () => {
  const { csv } = await exported(pool, await current(), 'keyboard-mouse-overall')
  const lines = csv.toString().trimEnd().split('\n')
  const at = lines[0].split(',').indexOf('test_click_count') + 1
  return lines.map((line) => line.split(',').slice(at, -1).join(','))
}
const problemsOf = async (directory: string, append = false): Promise<BundleProblem[]> => {
  const error = await fixture.importDir(directory, { append, dryRun: true }).catch((thrown: ServiceError) => thrown)
  return 'problems' in error ? error.problems : []
}

const [first, second, third] = [1, 2, 3].map((n) => uuid('b', n))
const HEADER = 'participant_id,created_at'
const VALIDATIONS = 'gaze_y_px,gaze_x_px,target_y_px,target_x_px,participant_id,created_at'

describe('tags, external data and validations', () => {
  test('stand before the notes, a column for each, and are kept in the order of the file', async () => {
    const participants = `${HEADER},external_data_b,tags,external_data_constructor,external_data_B2\n${first},2024-01-01T00:00:00Z,=1,"old, new,,old",NA,\n${second},2024-01-02T00:00:00Z,,=t,,x\n`
    const validations = `${VALIDATIONS}\n2,1,4,3,${second},2024-01-01T00:00:00Z\n,9,6,5,${first.toUpperCase()},\n-8.5,7,4,3,${second},\n`
    const { snapshotId } = await fixture.importDir(await write(smallBundle(), participants, validations))
    expect(await tableOf()).toEqual([
      'participant_tags,external_data_B2,external_data_b,external_data_constructor',
      `"old,new",,'=1,NA`,
      "'=t,x,,",
      `"old,new",,'=1,NA`,
    ])
    const snapshot = await current()
    expect(snapshot.manifest.participantColumns).toEqual({ hasTags: true, externalData: ['B2', 'b', 'constructor'] })
    expect(Object.keys(snapshot.manifest.bundle)).toContain('validations.csv')
    expect(snapshot.id).toBe(snapshotId)
    const found = await loadValidations(snapshot, Int32Array.of(1, 0, 1))
    expect([...found.keys()].sort()).toEqual([first, second])
    expect(found.get(first)).toEqual({
      targetX: Float64Array.of(5),
      targetY: Float64Array.of(6),
      gazeX: Float64Array.of(Number.NaN),
      gazeY: Float64Array.of(Number.NaN),
    })
    expect(found.get(second)).toEqual({
      targetX: Float64Array.of(3, 3),
      targetY: Float64Array.of(4, 4),
      gazeX: Float64Array.of(1, 7),
      gazeY: Float64Array.of(2, -8.5),
    })
    expect([...(await loadValidations(snapshot, Int32Array.of(0))).keys()]).toEqual([first])
  })

  test('are added to by an appended bundle', async () => {
    const participants = `${HEADER},external_data_a\n${third},2023-01-01T00:00:00Z,"""q"""\n`
    const validations = `${VALIDATIONS}\n0,0,0,0,${first},\n1,1,1,1,${third},\n`
    const tests = [{ ...smallBundle().tests[0], test_id: uuid('c', 9), participant_id: third }]
    await fixture.importDir(await write({ tests }, participants, validations), { append: true })
    expect(await tableOf()).toEqual([
      'participant_tags,external_data_B2,external_data_a,external_data_b,external_data_constructor',
      ',,"""q""",,',
      `"old,new",,,'=1,NA`,
      "'=t,x,,,",
      `"old,new",,,'=1,NA`,
    ])
    const found = await loadValidations(await current(), Int32Array.of(0, 1, 2))
    expect(found.get(first)?.targetX).toEqual(Float64Array.of(5, 0))
    expect(found.get(second)?.gazeX).toEqual(Float64Array.of(1, 7))
    expect(found.get(third)?.gazeX).toEqual(Float64Array.of(1))
  })

  test('an appended bundle may have validations alone', async () => {
    const directory = fixture.bundleDir()
    await mkdir(directory)
    await writeFile(join(directory, 'validations.csv'), `${VALIDATIONS}\n5,5,5,5,${third},\n`)
    await fixture.importDir(directory, { append: true })
    expect((await loadValidations(await current(), Int32Array.of(0))).get(third)?.targetX).toEqual(
      Float64Array.of(1, 5),
    )
  })

  test('stay with study.json alone, which may bring facts of the recording', async () => {
    const directory = fixture.bundleDir()
    await mkdir(directory)
    const study = { ...smallBundle().study, recording: { model: 'X', screenWidthPx: null } }
    await writeFile(join(directory, 'study.json'), JSON.stringify(study))
    const before = await tableOf()
    await fixture.importDir(directory)
    expect(await tableOf()).toEqual(before)
    const snapshot = await current()
    expect(snapshot.study.recording).toEqual({ model: 'X' })
    expect((await loadValidations(snapshot, Int32Array.of(0))).size).toBe(1)
  })

  test('go with a participant who is removed', async () => {
    const options = { dataDir: fixture.dataDir, studyId: STUDY_ID, now: new Date(), threads: 1, memoryMib: 256 }
    await changeStudy(options, null, removal(first))
    expect((await tableOf())[0]).toBe(
      'participant_tags,external_data_B2,external_data_a,external_data_b,external_data_constructor',
    )
    const { directory } = await current()
    const rows = await queryRows(
      join(fixture.dataDir, 'studies'),
      'SELECT participant_row, participant_id, target_x_px FROM read_parquet($path) ORDER BY validation_row',
      { path: join(directory, 'validations.parquet') },
    )
    expect(rows).toEqual([
      [1, second, 3],
      [1, second, 3],
      [0, third, 1],
      [0, third, 5],
    ])
  })

  test('their problems are reported along with all others', async () => {
    const participants = `${HEADER},external_data_,external_data_a,external_data_A,tags\n${first},,,,,${'x'.repeat(65)}\n${second},x,,,,\n`
    const validations = `${VALIDATIONS}\n0,0,,10000001,${first},yesterday\n0,0,1,1,${third},\n`
    const found = await problemsOf(await write(smallBundle(), participants, validations))
    expect(found.map(({ file, line, column }) => [file, line, column])).toEqual([
      ['participants.csv', 1, 'external_data_'],
      ['participants.csv', 1, 'external_data_A'],
      ['participants.csv', 2, 'tags'],
      ['participants.csv', 3, 'created_at'],
      ['validations.csv', 2, 'target_y_px'],
      ['validations.csv', 2, 'target_x_px'],
      ['validations.csv', 2, 'created_at'],
      ['validations.csv', 3, 'participant_id'],
    ])
  })

  test('an appended column must not differ in case alone from one that is there', async () => {
    const [{ line, column }] = await problemsOf(await write({}, `${HEADER},external_data_B\n${uuid('b', 7)},,\n`), true)
    expect([line, column]).toEqual([1, 'external_data_B'])
  })

  test('there are at most 100 columns', async () => {
    const names = Array.from({ length: 101 }, (_, i) => `external_data_${i}`)
    const rows = (n: number) =>
      [first, second]
        .map(
          (id) =>
            `${id},,${names
              .slice(0, n)
              .map(() => '')
              .join(',')}\n`,
        )
        .join('')
    const csv = (n: number) => `${HEADER},${names.slice(0, n).join(',')}\n${rows(n)}`
    expect(await problemsOf(await write(smallBundle(), csv(100)))).toEqual([])
    expect(await problemsOf(await write(smallBundle(), csv(101)))).toHaveLength(1)
  })
})

test('a bundle without them has the id and the files that it always had', async () => {
  const { id, manifest, directory } = await importGolden(fixture.dataDir)
  expect(id).toBe('7f73fbf0c120df834e6c8f5e339190c83e02149949f89ac280025ab3fe933c13')
  expect(manifest.files['study.json']).toBe('a6315c61b4d9cd84c6304323df3ec7afa516dc6b7394dcfc37017dc396f587a6')
  expect((await readFile(join(directory, 'participants.parquet'))).includes('tags')).toBe(false)
  expect(Object.keys(JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')))).toEqual([
    'formatVersion',
    'snapshotId',
    'studyId',
    'parentId',
    'createdAt',
    'counts',
    'sampleFiles',
    'files',
    'bundle',
    'sha256',
  ])
  expect(manifest.studyId).toBe(GOLDEN_STUDY)
})
