import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { importBundle } from '../../../engine/import/import-bundle.ts'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { readArrival } from '../../../engine/live/arrivals/read-arrival.ts'
import { type LiveStudies, openLiveStudies } from '../../../engine/live/live-studies.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { Manifest } from '../../../engine/model/study.ts'
import { createPool, type EnginePool } from '../../../engine/run/pool/pool.ts'
import { runExport } from '../../../engine/run/run-export.ts'
import { checkSnapshots } from '../../../engine/snapshot/check-snapshots.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { studyDirectory } from '../../../engine/storage/files/layout.ts'
import { withStudyLock } from '../../../engine/storage/files/lock.ts'
import { changeStudy } from '../../../engine/study/change-study.ts'
import { creation } from '../../../engine/study/changes/creation.ts'
import { description } from '../../../engine/study/changes/description.ts'
import { chooseFiles, chooseScattered } from '../../../engine/study/compact/choose-files.ts'
import { compactStudy } from '../../../engine/study/compact/compact-study.ts'
import { mayBeMerged } from '../../../engine/study/merged-snapshot.ts'
import { sweepLocked } from '../../../engine/study/sweep-snapshots.ts'
import { bundleTables, idOf, participantOf, type Sent } from '../../server/participants.ts'
import { writeBundle } from '../import/bundles.ts'

let root: string
let pool: EnginePool
const opened: LiveStudies[] = []
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gazette-live-'))
  pool = createPool({ threads: 1 })
})
afterAll(async () => {
  for (const live of opened) await live.close()
  await pool.close()
  await rm(root, { recursive: true, force: true })
})

const ITEMS = [0, 1, 2].map((i) => ({
  id: idOf(`item of ${i}`),
  filename: `${i}.png`,
  cdnUrl: '',
  type: 'images',
  stimuliDurationMs: 2000,
  widthPx: 1000,
  heightPx: 800,
}))
const STUDY = {
  id: idOf('grown'),
  name: 'Grown',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  items: ITEMS,
  aois: [],
}
const MAKING = { threads: 1, memoryMib: 256 }
const people = (n: number) =>
  Array.from({ length: n }, (_, i) =>
    participantOf(
      i,
      ITEMS.map(({ id }) => id),
    ),
  )

async function newStudy(name: string): Promise<string> {
  const dataDir = join(root, name)
  await changeStudy({ dataDir, studyId: STUDY.id, ...MAKING }, null, creation(STUDY))
  return dataDir
}

function grow(dataDir: string): (sent: object) => ReturnType<LiveStudies['add']> {
  const live = openLiveStudies({ dataDir, jobs: openJobs(dataDir), memoryMib: 256 })
  opened.push(live)
  return (sent) =>
    live.add(STUDY.id, readArrival(Buffer.from(JSON.stringify(sent)), 'json'), { tokenId: 'someone', key: null })
}

const compact = (dataDir: string) =>
  compactStudy({ dataDir, studyId: STUDY.id, ...MAKING, now: new Date(), signal: new AbortController().signal })

const EXPORTS: ExportName[] = [
  'gazes-raw',
  'mouse',
  'fixations',
  'quality-stats',
  'keyboard-mouse-overall',
  'aoi-overall-stats',
]

/** The SHA-256 of exports of a study. */
async function hashes(dataDir: string): Promise<string[]> {
  const snapshot = (await openStudies(dataDir).current(STUDY.id))!
  const found: string[] = []
  for (const exportName of EXPORTS) {
    const hash = createHash('sha256')
    const plan = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true, format: 'csv' })
    const signal = new AbortController().signal
    for await (const { bytes } of runExport({ plan, snapshot, pool, signal, gzip: false })) hash.update(bytes)
    found.push(`${exportName} ${hash.digest('hex')}`)
  }
  return found
}

async function importAll(name: string, sent: Sent[], further: Record<string, Record<string, string>> = {}) {
  const dataDir = join(root, name)
  const tables = bundleTables(sent)
  const directory = await writeBundle(join(root, `${name}-bundle`), { study: STUDY, ...tables })
  const columns = Object.keys(Object.values(further)[0] ?? {})
  if (columns.length > 0) {
    const path = join(directory, 'participants.csv')
    const [header, ...rows] = (await readFile(path, 'utf8')).trimEnd().split('\n')
    const more = (row: string) => columns.map((column) => `,${further[row.split(',')[0]]?.[column] ?? ''}`).join('')
    await writeFile(path, [`${header},${columns}`, ...rows.map((row) => row + more(row))].join('\n'))
  }
  await importBundle({ dataDir, directory, append: false, dryRun: false, now: new Date(), ...MAKING })
  return dataDir
}

test('a study that came by requests gives the same exports as one import of all, merged or not', async () => {
  const dataDir = await newStudy('grown')
  const sent = people(24)
  const [tagged, grouped] = [sent[3], sent[5]].map(({ participant }) => String(participant.participant_id))
  const whole = await importAll('imported', sent, {
    [tagged]: { tags: 'a', external_data_group: '' },
    [grouped]: { tags: '', external_data_group: 'x' },
  })
  const add = grow(dataDir)
  const more = [{}, {}, {}, { tags: ['a'] }, {}, { external_data: { group: 'x' } }]
  const bodies = sent.map(({ participant, tests }, i) => ({ participant: { ...participant, ...more[i] }, tests }))
  for (let i = 0; i < bodies.length; i += 2) await Promise.all(bodies.slice(i, i + 2).map(add))
  const expected = await hashes(whole)
  expect(await hashes(dataDir)).toEqual(expected)
  const files = async () => (await openStudies(dataDir).current(STUDY.id))!.manifest.sampleFiles
  // Who comes at once comes in together: twelve times two.
  expect((await files()).length).toBe(12)
  const merging = compact(dataDir)
  const late = participantOf(
    99,
    ITEMS.map(({ id }) => id),
  )
  await add(late)
  expect(await merging).toEqual({ from: expect.any(Number), to: 1 })
  expect((await files()).map(({ rowCount }) => rowCount).sort((a, b) => a - b)).toEqual([120, 24 * 120])
  const grownByOne = await importAll('imported-more', [...sent, late], {
    [tagged]: { tags: 'a', external_data_group: '' },
    [grouped]: { tags: '', external_data_group: 'x' },
  })
  expect(await hashes(dataDir)).toEqual(await hashes(grownByOne))
  // What is added goes on from there, and an ordinary append does, too.
  await add(
    participantOf(
      100,
      ITEMS.map(({ id }) => id),
    ),
  )
  const damage: string[] = []
  await checkSnapshots(dataDir, (sentence) => damage.push(sentence))
  expect(damage).toEqual([])
})

test('participants who come while something else changes the study come in together', async () => {
  const dataDir = await newStudy('held')
  const add = grow(dataDir)
  const added = await withStudyLock(studyDirectory(dataDir, STUDY.id)!, async () => people(3).map(add))
  const entries = await Promise.all(added)
  expect(new Set(entries.map(({ entry }) => entry.snapshotId)).size).toBe(1)
})

const withoutSamples = ({ participant, tests }: Sent): Sent => ({
  participant,
  tests: tests.map((each) => ({ ...each, samples: { t_ms: [], gaze_x_px: [], gaze_y_px: [] } })),
})

test.each([
  ['no samples', (sent: Sent[]) => sent.map(withoutSamples)],
  ['no tests', (sent: Sent[]) => sent.map(({ participant }) => ({ participant, tests: [] }))],
  ['samples in one file alone', ([first, ...rest]: Sent[]) => [first, ...rest.map(withoutSamples)]],
])('the tables of a study with %s are put together when it is quiet', async (what, of) => {
  const dataDir = await newStudy(`quiet with ${what}`)
  const add = grow(dataDir)
  for (const sent of of(people(3))) await add(sent)
  const before = (await openStudies(dataDir).current(STUDY.id))!
  expect(before.manifest.layers).toHaveLength(4)
  const expected = await hashes(dataDir)
  const longAgo = new Date(Date.now() - 60_000)
  await utimes(join(dataDir, 'studies', STUDY.id, 'current'), longAgo, longAgo)
  await compact(dataDir)
  const { manifest } = (await openStudies(dataDir).current(STUDY.id))!
  expect(manifest.layers).toBeUndefined()
  expect({ ...manifest.counts }).toEqual(before.manifest.counts)
  expect(await hashes(dataDir)).toEqual(expected)
  // There is nothing more to do, and what comes later goes on from there.
  await add(participantOf(9, [ITEMS[0].id]))
  expect((await openStudies(dataDir).current(STUDY.id))!.manifest.counts.participants).toBe(4)
})

test('the tables of a study to which participants without samples come all the time are put together, too', async () => {
  const dataDir = await newStudy('busy')
  const add = grow(dataDir)
  const sent = people(130).map(({ participant }) => ({ participant, tests: [] }))
  for (const each of sent.slice(0, 126)) await add(each)
  const layers = async () => (await openStudies(dataDir).current(STUDY.id))!.manifest.layers?.length ?? 0
  expect(await layers()).toBe(127)
  expect(await compact(dataDir)).toBeNull()
  for (const each of sent.slice(126)) await add(each)
  expect(await layers()).toBe(131)
  expect(await compact(dataDir)).toEqual({ from: 0, to: 0 })
  expect(await layers()).toBe(0)
})

test('a study of one import, or with one sample file, has nothing to merge; whatever else may', () => {
  const may = (more: object) => mayBeMerged({ parentId: null, sampleFiles: ['a', 'b'], ...more } as unknown as Manifest)
  expect([may({}), may({ parentId: 'x', sampleFiles: ['a'] })]).toEqual([false, false])
  expect([may({ parentId: 'x' }), may({ layers: [] })]).toEqual([true, true])
})

test('two who add to a study at once both succeed, or one is told', async () => {
  const dataDir = await newStudy('two')
  const [one, other] = [grow(dataDir), grow(dataDir)]
  const sent = people(12)
  await Promise.all(sent.map((each, i) => (i % 2 ? one : other)(each)))
  const twice = participantOf(50, [ITEMS[0].id])
  const ends = await Promise.allSettled([one(twice), other(twice)])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await openStudies(dataDir).current(STUDY.id))!.manifest.counts.participants).toBe(13)
  expect(await hashes(dataDir)).toEqual(await hashes(await importAll('two-imported', [...sent, twice])))
})

test('unused old snapshots are deleted with their files', async () => {
  const dataDir = await newStudy('swept')
  const add = grow(dataDir)
  for (const sent of people(3)) await add(sent)
  const studyDir = join(dataDir, 'studies', STUDY.id)
  const ids = (await readdir(studyDir)).filter((name) => name.length === 64)
  const current = (await openStudies(dataDir).currentId(STUDY.id))!
  const kept = ids.find((id) => id !== current)!
  const date = async (at: Date) => {
    for (const path of ['current', ...ids.map((id) => join(id, 'manifest.json'))])
      await utimes(join(studyDir, path), at, at)
  }
  // They were replaced just now.
  await date(new Date())
  expect(await sweepLocked(studyDir, async () => new Set(), openJobs(dataDir))).toEqual([])
  await date(new Date(Date.now() - 60_000))
  expect((await sweepLocked(studyDir, async () => new Set([kept]), openJobs(dataDir))).sort()).toEqual(
    ids.filter((id) => id !== current && id !== kept).sort(),
  )
  expect(await sweepLocked(studyDir, async () => new Set(), openJobs(dataDir))).toEqual([kept])
  const { manifest } = (await openStudies(dataDir).current(STUDY.id))!
  const layers = manifest.layers!.flatMap((layer) => Object.values(layer))
  const used = [...manifest.sampleFiles.map(({ sha256 }) => sha256), ...layers, manifest.files['study.json']]
  expect((await readdir(join(studyDir, 'shared'))).sort()).toEqual(used.sort())
})

test('a study that has grown can be described anew, and its items put into another order', async () => {
  const dataDir = await newStudy('described')
  const add = grow(dataDir)
  const sent = people(4)
  await Promise.all(sent.slice(0, 3).map(add))
  const turned = { ...STUDY, items: [...ITEMS].reverse() }
  const change = description(
    () => turned,
    () => {},
  )
  await changeStudy({ dataDir, studyId: STUDY.id, ...MAKING, waitMs: 20_000 }, null, change)
  await add(sent[3])
  const directory = await writeBundle(join(root, 'turned-bundle'), { study: turned, ...bundleTables(sent) })
  const imported = join(root, 'turned')
  await importBundle({ dataDir: imported, directory, append: false, dryRun: false, now: new Date(), ...MAKING })
  expect(await hashes(dataDir)).toEqual(await hashes(imported))
})

test('small files are merged, each with such as are not much larger', () => {
  const files = (...rows: number[]) => rows.map((rowCount, index) => ({ index, rowCount, items: [0, 1] }))
  expect(chooseFiles(files(10, 10, 10), false)).toEqual([])
  expect(chooseFiles(files(10, 1000, 10, 10), true)).toEqual([0, 2, 3])
  expect(chooseFiles(files(10, 20, 50, 100, 300, 900, 2000, 3000), false)).toHaveLength(8)
  expect(chooseFiles(files(200_000, 200_000), true)).toEqual([])
  expect(chooseFiles(files(200_000, 10), true)).toEqual([])
  // As many items in as few files: merged, they would be as they are.
  const item = (index: number) => ({ index, rowCount: 20_000, items: [index] })
  expect(chooseFiles([item(0), item(1), item(2)], true)).toEqual([])
})

test('files whose tests alternate are merged, when that makes fewer to read', () => {
  const stretch = (file: number, start: number, end: number, runs: number) => ({ file, start, end, runs })
  const apart = [stretch(0, 0, 99, 1), stretch(1, 100, 199, 1)]
  expect(chooseScattered(apart)).toEqual([])
  expect(chooseScattered([...apart, stretch(2, 150, 260, 3)])).toEqual([])
  const alternating = [stretch(2, 150, 260, 40), stretch(3, 261, 300, 1), stretch(1, 400, 500, 1)]
  expect(chooseScattered([...apart, ...alternating])).toEqual([1, 2])
})
