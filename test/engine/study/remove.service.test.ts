import { cp, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { publishFile } from '../../../engine/jobs/end-job.ts'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { newPartFiles } from '../../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { leaseSnapshot } from '../../../engine/snapshot/leases.ts'
import { openStudies, snapshotIds } from '../../../engine/snapshot/snapshots.ts'
import { CHANGE_LOG } from '../../../engine/storage/files/change-log.ts'
import { type Change, changeStudy } from '../../../engine/study/change-study.ts'
import { description } from '../../../engine/study/changes/description.ts'
import { removal, removeStudy } from '../../../engine/study/changes/removal.ts'
import { sweepSnapshots } from '../../../engine/study/sweep-snapshots.ts'
import {
  makeStudyFixture,
  participant,
  STUDY_ID,
  type StudyFixture,
  samplesOf,
  smallBundle,
  test as testRow,
  uuid,
} from '../import/bundles.ts'
import { contentsOf } from '../import/contents.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

const OTHER_STUDY = uuid('5', 2)

/** A finished job whose file holds a participant's id. */
async function makeExport(studyId: string, snapshotId: string): Promise<string> {
  const jobs = openJobs(fixture.dataDir)
  const plan = { export: 'mouse', studyId, snapshotId, parameters: {}, version: '1', formulaGuard: true } as const
  const { id } = await requestJob(jobs, plan, {
    tokenId: 'anna',
    parameters: defaultParameters(),
    samplesTotal: 1,
    fileName: 'a.csv',
    now: NOW,
  })
  const parts = newPartFiles(id, 1)
  await Promise.all(
    [parts.plain, parts.gzip].map((name) => writeFile(join(fixture.dataDir, name), `${uuid('b', 1)}\n`)),
  )
  const stored = { bytes: 1, sha256: '0'.repeat(64), sums: '' }
  const file = { rows: 1, samples: 1, plain: stored, gzip: stored }
  const times = { startedAt: NOW.toISOString(), finishedAt: NOW.toISOString(), expiresAt: NOW.toISOString() }
  await publishFile(jobs, { id, attempt: 1 }, parts, { state: 'succeeded', ...times, file, error: null })
  return id
}

const stateOf = async (id: string) => (await openJobs(fixture.dataDir).read(id))?.end?.state
const NOW = new Date('2024-06-01T00:00:00Z')

function changing(change: Change): Promise<unknown> {
  return changeStudy(
    { dataDir: fixture.dataDir, studyId: STUDY_ID, now: NOW, threads: 1, memoryMib: 256 },
    null,
    change,
  )
}

const called = (name: string) =>
  description(
    (study) => ({ ...study, name }),
    () => {},
  )

/** Sweeps the study, whose snapshots were all made some minutes ago, one after the other. */
async function sweepOnce(): Promise<string[]> {
  const studyDir = join(fixture.dataDir, 'studies', STUDY_ID)
  const manifests = (await snapshotIds(studyDir)).map((id) => join(studyDir, id, 'manifest.json'))
  for (const path of [...manifests, join(studyDir, 'current')]) {
    const time = new Date((await stat(path)).mtimeMs - 600_000)
    await utimes(path, time, time)
  }
  return sweepSnapshots(fixture.dataDir, STUDY_ID, async () => new Set(), new Date())
}

function removing(participantId: string, studyId = STUDY_ID): Promise<unknown> {
  const changing = { dataDir: fixture.dataDir, studyId, now: NOW, threads: 1, memoryMib: 256 }
  return changeStudy(changing, null, removal(participantId))
}

async function filesWith(text: string): Promise<string[]> {
  const entries = await readdir(fixture.dataDir, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const found = await Promise.all(paths.map(async (path) => (await readFile(path)).includes(text)))
  return paths.filter((_, i) => found[i])
}

describe('a removed participant', () => {
  test('is in no file any more, and the rest is as if they had never been there', async () => {
    const bundle = smallBundle()
    const first = await fixture.importing(bundle)
    bundle.study.name = 'Newer'
    const second = await fixture.importing({ study: bundle.study })
    const exports = [await makeExport(STUDY_ID, first.snapshotId), await makeExport(STUDY_ID, second.snapshotId)]
    const other = await makeExport(OTHER_STUDY, first.snapshotId)
    await removing(uuid('B', 1))

    const othersFiles = ['1.csv', '1.csv.gz'].map((name) => join(fixture.dataDir, 'exports', other, name))
    expect((await filesWith(uuid('b', 1))).sort()).toEqual(othersFiles)
    // Whoever was promised them can still read what became of them.
    expect([await stateOf(exports[0]), await stateOf(exports[1]), await stateOf(other)]).toEqual([
      'expired',
      'expired',
      'succeeded',
    ])
    const studies = openStudies(fixture.dataDir)
    await expect(studies.load(STUDY_ID, first.snapshotId)).rejects.toMatchObject({ code: 'not_found' })
    const left = await contentsOf(fixture.dataDir, STUDY_ID)

    bundle.participants.shift()
    bundle.tests = bundle.tests.slice(2)
    bundle.samples = bundle.samples.slice(20)
    await fixture.importing(bundle, { dataDir: join(fixture.root, 'other') })
    expect(left).toEqual(await contentsOf(join(fixture.root, 'other'), STUDY_ID))
  })

  test('is gone at once for those who had loaded the study', async () => {
    const { snapshotId } = await fixture.importing(smallBundle())
    const studies = openStudies(fixture.dataDir)
    expect((await studies.current(STUDY_ID))?.manifest.counts.participants).toBe(2)
    await removing(uuid('b', 1))
    await expect(studies.load(STUDY_ID, snapshotId)).rejects.toMatchObject({ code: 'not_found' })
    expect((await studies.current(STUDY_ID))?.manifest.counts.participants).toBe(1)
  })

  test('must be known', async () => {
    await fixture.importing(smallBundle())
    await expect(removing(uuid('b', 9))).rejects.toMatchObject({ code: 'not_found' })
    await expect(removing('no id')).rejects.toMatchObject({ code: 'not_found' })
    await expect(removing(uuid('b', 1), OTHER_STUDY)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('whose removal was killed before the old data went is removed by trying again', async () => {
    const { snapshotId } = await fixture.importing(smallBundle())
    const old = join(fixture.dataDir, 'studies', STUDY_ID, snapshotId)
    await cp(old, join(fixture.root, 'copy'), { recursive: true })
    await removing(uuid('b', 1))
    await cp(join(fixture.root, 'copy'), old, { recursive: true })
    await removing(uuid('b', 1))
    expect(await filesWith(uuid('b', 1))).toEqual([])
  })
})

describe('a removal that was killed once it had published', () => {
  test.each([
    ['of a minute ago', (_: string) => sweepOnce()],
    [
      'that was followed by a change',
      async () => {
        await changing(called('Another'))
        return sweepOnce()
      },
    ],
  ])('and %s is finished by the sweep, with the files of jobs', async (_when, sweep) => {
    const { snapshotId } = await fixture.importing(smallBundle())
    const own = await makeExport(STUDY_ID, snapshotId)
    await changing({ ...removal(uuid('b', 1)), after: undefined })
    expect(await stateOf(own)).toBe('succeeded')
    expect(await sweep(snapshotId)).toContain(snapshotId)
    expect(await stateOf(own)).toBe('expired')
    expect(await filesWith(uuid('b', 1))).toEqual([])
  })

  test('is no reason to end jobs on a snapshot from after it', async () => {
    await fixture.importing(smallBundle())
    await removing(uuid('b', 1))
    const { snapshotId } = (await openStudies(fixture.dataDir).current(STUDY_ID))!.manifest
    const own = await makeExport(STUDY_ID, snapshotId)
    await changing(called('Another'))
    await changing(called('A third'))
    // The clock was set back: by its time, the snapshot of the removal is the newest.
    const late = new Date(Date.now() + 300_000)
    await utimes(join(fixture.dataDir, 'studies', STUDY_ID, snapshotId, 'manifest.json'), late, late)
    await sweepOnce()
    expect(await stateOf(own)).toBe('succeeded')
  })
})

describe('a removed study', () => {
  test('is gone with its exports, and the others stay', async () => {
    const { snapshotId } = await fixture.importing(smallBundle())
    const other = smallBundle()
    other.study.id = OTHER_STUDY
    await fixture.importing(other)
    const own = await makeExport(STUDY_ID, snapshotId)
    await removeStudy({ dataDir: fixture.dataDir, studyId: STUDY_ID.toUpperCase(), now: NOW })
    expect(await openStudies(fixture.dataDir).studyIds()).toEqual([OTHER_STUDY])
    expect(await stateOf(own)).toBe('expired')
    expect((await filesWith(uuid('b', 1))).every((path) => path.includes(OTHER_STUDY))).toBe(true)
    expect((await readdir(join(fixture.dataDir, 'studies'))).sort()).toEqual([OTHER_STUDY, CHANGE_LOG].sort())
  })

  test('must be known, and its id cannot lead anywhere else', async () => {
    await fixture.importing(smallBundle())
    for (const studyId of [OTHER_STUDY, '..', `../studies/${STUDY_ID}`, ''])
      await expect(removeStudy({ dataDir: fixture.dataDir, studyId, now: NOW })).rejects.toMatchObject({
        code: 'not_found',
      })
    expect(await openStudies(fixture.dataDir).studyIds()).toEqual([STUDY_ID])
  })
})

describe('sweeping', () => {
  test('deletes snapshots that are neither current nor kept', async () => {
    const bundle = smallBundle()
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) {
      bundle.study.name = name
      ids.push((await fixture.importing(bundle)).snapshotId)
    }
    const sweep = (keep: string[]) => sweepSnapshots(fixture.dataDir, STUDY_ID, async () => new Set(keep), new Date())
    const studyDir = join(fixture.dataDir, 'studies', STUDY_ID)
    const touch = async (time: Date) => {
      for (const path of ['current', ...ids.map((id) => join(id, 'manifest.json'))])
        await utimes(join(studyDir, path), time, time)
    }
    // If they were replaced just now, whoever has just looked may be about to read them.
    await touch(new Date())
    expect(await sweep([])).toEqual([])
    await touch(new Date(Date.now() - 60_000))
    expect(await sweep([ids[1]])).toEqual([ids[0]])
    const release = await leaseSnapshot(join(studyDir, ids[1]))
    expect(await sweep([])).toEqual([])
    release()
    await expect.poll(() => sweep([])).toEqual([ids[1]])
    expect(await sweep([])).toEqual([])
    expect(await openStudies(fixture.dataDir).currentId(STUDY_ID)).toBe(ids[2])
    expect(await sweepSnapshots(fixture.dataDir, '..', async () => new Set(), new Date())).toEqual([])
  })
})

test('what stays is taken from files with times of 32 bits and of 64', async () => {
  const count = 60_000
  const bundle = smallBundle()
  const ids = [1, 2, 3].map((n) => uuid('b', n))
  bundle.participants = ids.map((_, i) => participant(i + 1))
  bundle.tests = ids.map((_, i) => testRow(i + 1, i + 1, 1))
  // The second lasts longer than 35 minutes, so that the first file has times of 64 bits, and the file of the third of
  // 32.
  bundle.samples = bundle.tests.flatMap(({ test_id }, i) =>
    samplesOf(test_id, count, (row) => ({ t_ms: String(row * (i === 1 ? 50 : 10)) })),
  )
  await fixture.importing(bundle)
  const before = await contentsOf(fixture.dataDir, STUDY_ID)
  await removing(ids[0])
  const after = await contentsOf(fixture.dataDir, STUDY_ID)
  expect(after.tests.map(({ sampleCount }) => sampleCount)).toEqual([count, count])
  expect(after.tests.map(({ samples }) => samples)).toEqual(before.tests.slice(1).map(({ samples }) => samples))
})
