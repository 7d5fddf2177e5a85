import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makePlan } from '../../../../engine/exports/make-plan.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import { jobId } from '../../../../engine/model/plan.ts'
import type { Manifest } from '../../../../engine/model/study.ts'
import { manifestSubject } from '../../../../engine/snapshot/snapshots.ts'
import { seal } from '../../../../engine/storage/files/sealed-json.ts'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import { type FileCache, openFileCache } from '../../../../engine/storage/objects/file-cache.ts'
import { receiveJobs } from '../../../../engine/study/bucket/copy-jobs.ts'
import { openRemote } from '../../../../engine/study/bucket/open-remote.ts'
import { receiveStudy } from '../../../../engine/study/bucket/receive-study.ts'
import { sendStudy } from '../../../../engine/study/bucket/send-study.ts'
import { fileKey, snapshotKey, type Version } from '../../../../engine/study/bucket/versions.ts'
import { keptDirectory } from '../../kept.ts'
import { GOLDEN_STUDY, importGolden } from '../../studies.ts'

/** Writes that somebody who can only write to the bucket might make this machine do. */
const EVIL = JSON.stringify({ tokens: [] })
const EVIL_SHA256 = createHash('sha256').update(EVIL).digest('hex')
const NOW = new Date('2026-01-01T00:00:00Z')
/** A data directory that is only read. */
const sent = await keptDirectory()
const golden = await importGolden(sent)

let root: string
let cache: FileCache
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gazette-bucket-'))
  cache = await openFileCache(join(root, 'deep', 'cache'), 2 ** 30)
})
afterEach(async () => {
  await cache.close()
  await rm(root, { recursive: true, force: true })
})

const bucket = () => openDirectory(join(root, 'bucket'))
const versionKey = (number: number) => `versions/${GOLDEN_STUDY}/${String(number).padStart(12, '0')}.json`

async function send() {
  const store = bucket()
  await sendStudy({ dataDir: sent, store, replace: false, now: NOW }, GOLDEN_STUDY, newSum())
  await store.put(fileKey(GOLDEN_STUDY, EVIL_SHA256), EVIL)
  return store
}
const newSum = () => ({ files: 0, bytes: 0, known: 0 })

/** Lists all files there are, but those of the bucket and the cache's lock. */
async function filesThere(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return files.filter((path) => !path.startsWith(join(root, 'bucket'))).sort()
}

async function expectRefused(): Promise<void> {
  const store = bucket()
  await writeFile(join(root, 'tokens.json'), 'ours')
  const before = await filesThere()
  const dataDir = join(root, 'deep', 'data')
  await expect(receiveStudy({ dataDir, store, replace: false }, GOLDEN_STUDY, newSum())).rejects.toMatchObject({
    code: 'corrupt',
  })
  await expect(openRemote(store, cache).current(GOLDEN_STUDY)).rejects.toMatchObject({ code: 'corrupt' })
  const aside = [join(dataDir, '.copying'), join(cache.directory, 'studies')]
  const added = (await filesThere()).filter((path) => !before.includes(path))
  expect(added.filter((path) => !aside.some((directory) => path.startsWith(`${directory}/`)))).toEqual([])
}

const NAMES = [
  '../../tokens.json',
  '../../../../../tokens.json',
  '/tmp/x',
  'images/../../x',
  'a\\..\\..\\x',
  'manifest.json',
]

describe('a manifest in a bucket is refused', () => {
  async function sendManifest(change: (manifest: Manifest) => object) {
    const store = await send()
    const manifest = { ...golden.manifest, ...change(golden.manifest) }
    await store.put(snapshotKey(GOLDEN_STUDY, golden.id), seal(manifest, manifestSubject(golden.id)))
  }

  test.each(NAMES)('whose files have one named %j', async (name) => {
    await sendManifest(({ files }) => ({ files: { ...files, [name]: EVIL_SHA256 } }))
    await expectRefused()
  })

  test.each(NAMES.slice(0, -1))('whose samples are in %j', async (name) => {
    await sendManifest(({ sampleFiles }) => ({ sampleFiles: [{ ...sampleFiles[0], name, sha256: EVIL_SHA256 }] }))
    await expectRefused()
  })

  test('whose SHA-256 are names', async () => {
    await sendManifest(({ files }) => ({ files: { ...files, 'images/x.png': '../../../tokens.json' } }))
    await expectRefused()
    await sendManifest(() => ({ layers: [{ participants: '../../../../tokens.json' }] }))
    await expectRefused()
  })
})

describe('a version in a bucket is refused', () => {
  const putVersion = (version: Version) => bucket().put(versionKey(2), seal(version, versionKey(2)))

  test.each([...NAMES, 'past-aois/..', 'study.json', `${'a'.repeat(64)}/manifest.json`])(
    'whose files have one named %j',
    async (name) => {
      await send()
      await putVersion({ snapshotId: golden.id, studyFiles: { [name]: EVIL_SHA256 } })
      await expectRefused()
    },
  )

  test.each(['../../x/current.json', 'mine/../../tokens.json', 'mine/current.json/x', 'default'])(
    'whose analyses have a file named %j',
    async (name) => {
      await send()
      await putVersion({ snapshotId: golden.id, studyFiles: {}, analyses: { [name]: EVIL_SHA256 } })
      await expectRefused()
    },
  )

  test('whose analyses are not whole, where they are copied', async () => {
    await send()
    const analyses = { 'mine/0123456789ab.json': EVIL_SHA256 }
    await putVersion({ snapshotId: golden.id, studyFiles: {}, analyses })
    const receiving = { dataDir: join(root, 'deep', 'data'), store: bucket(), replace: false }
    await expect(receiveStudy(receiving, GOLDEN_STUDY, newSum())).rejects.toMatchObject({ code: 'corrupt' })
  })

  test('whose snapshot or SHA-256 is a name', async () => {
    await send()
    await putVersion({ snapshotId: '../../../..', studyFiles: {} })
    await expectRefused()
    await putVersion({ snapshotId: golden.id, studyFiles: { 'history.ndjson': '../../../tokens.json' } })
    await expectRefused()
  })
})

test('a job in a bucket whose attempt or SHA-256 is a name is refused', async () => {
  const store = bucket()
  const dataDir = join(root, 'data')
  const plan = makePlan({
    snapshot: golden,
    exportName: 'saccades',
    parameters: defaultParameters(),
    formulaGuard: true,
  })
  const id = jobId(plan)
  const put = async (attempt: unknown, sha256: string) => {
    const facts = { plan, attempt, createdAt: NOW.toISOString(), createdBefore: null, parameters: {} }
    await store.put(`exports/${id}/1.plan.json`, seal(facts, `plan of ${id}`))
    const file = { rows: 1, samples: 1, plain: { bytes: EVIL.length, sha256, sums: '' }, gzip: null }
    const end = {
      state: 'succeeded',
      startedAt: null,
      finishedAt: NOW.toISOString(),
      expiresAt: null,
      file,
      error: null,
    }
    await store.put(`exports/${id}/1.end.json`, seal(end, `end of ${id} 1`))
  }
  await put('../../../../evil', EVIL_SHA256)
  const receive = async () => {
    const told: string[] = []
    expect(await receiveJobs(dataDir, store, newSum(), (sentence) => told.push(sentence))).toBe(0)
    return told
  }
  expect(await receive()).toEqual([`job ${id} is damaged, and not copied: plan.json names no attempt`])
  await put(1, '../../../../evil')
  expect(await receive()).toEqual([
    `job ${id} is damaged, and not copied: the end of the job lists "plain" without its SHA-256`,
  ])
  expect((await filesThere()).filter((path) => path.includes('evil'))).toEqual([])
})
