import { cp, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test, vi } from 'vitest'
import { openRemoteJobs } from '../../../../engine/jobs/bucket/remote-jobs.ts'
import { putAnalysis } from '../../../../engine/snapshot/analyses/stored-analyses.ts'
import { currentIdIn, readManifest, snapshotIds } from '../../../../engine/snapshot/snapshots.ts'
import { isThere } from '../../../../engine/storage/files/optional-files.ts'
import { openScratch } from '../../../../engine/storage/files/scratch.ts'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import { openFileCache } from '../../../../engine/storage/objects/file-cache.ts'
import type { ObjectStore } from '../../../../engine/storage/objects/object-store.ts'
import { bucketPlace } from '../../../../engine/study/bucket/bucket-place.ts'
import { openRemote } from '../../../../engine/study/bucket/open-remote.ts'
import { RECEIVING } from '../../../../engine/study/bucket/receive-files.ts'
import { receiveStudy } from '../../../../engine/study/bucket/receive-study.ts'
import { sendStudy } from '../../../../engine/study/bucket/send-study.ts'
import { allOf } from '../../../../engine/study/bucket/snapshot-files.ts'
import { fetchContent, publishContent } from '../../../../engine/study/bucket/study-content.ts'
import { dropOthers } from '../../../../engine/study/bucket/sweep-bucket.ts'
import { fileKey, newestState, snapshotKey } from '../../../../engine/study/bucket/versions.ts'
import { changeStudy } from '../../../../engine/study/change-study.ts'
import { attributes } from '../../../../engine/study/changes/attributes.ts'
import { description } from '../../../../engine/study/changes/description.ts'
import { picture } from '../../../../engine/study/changes/picture.ts'
import { undo } from '../../../../engine/study/changes/undo.ts'
import { HISTORY_FILE } from '../../../../engine/study/history.ts'
import { PAST_AOIS } from '../../../../engine/study/past-aois.ts'
import { STUDY_ID, uuid } from '../../import/bundles.ts'
import { keptDirectory } from '../../kept.ts'

const FIXTURE = fileURLToPath(new URL('../../../data-formats/format-5-grown', import.meta.url))
let dataDir: string
let store: ObjectStore
let n = 0
const root = await keptDirectory()
beforeEach(async () => {
  dataDir = join(root, `data-${++n}`)
  await cp(FIXTURE, dataDir, { recursive: true, verbatimSymlinks: true })
  store = openDirectory(join(root, `objects-${n}`))
})

const newSum = () => ({ files: 0, bytes: 0, known: 0 })
const studyOf = (data: string) => join(data, 'studies', STUDY_ID)
const back = () => join(root, `back-${n}`)
const now = new Date()
async function send(replace = false) {
  const copied = newSum()
  return { did: await sendStudy({ dataDir, store, replace, now }, STUDY_ID, copied), ...copied }
}
async function receive(data = back(), replace = false) {
  const copied = newSum()
  return { did: await receiveStudy({ dataDir: data, store, replace }, STUDY_ID, copied), ...copied }
}
const historyOf = (data: string) => readFile(join(studyOf(data), HISTORY_FILE), 'utf8')
const state = async () => (await newestState(store, STUDY_ID))!
const filesOfSnapshot = async (data: string) => {
  const id = (await currentIdIn(studyOf(data)))!
  return { id, files: allOf(await readManifest(join(studyOf(data), id))) }
}

test('a copy to a bucket that has the same version leaves what can be undone there', async () => {
  await send()
  const jobs = openRemoteJobs(store)
  const open = () => bucketPlace(store, () => openScratch(dataDir), { jobs: () => jobs, webhooks: dataDir })
  const [place, other] = [open(), open()]
  const changing = { dataDir, place, studyId: STUDY_ID, threads: 1, memoryMib: 256, tokenId: 'someone' }
  try {
    const before = (await state()).snapshotId
    await changeStudy(changing, null, attributes(uuid('b', 1), { age: 33 }))
    // Copied back and there again, with an analysis that is new.
    await receive(dataDir, true)
    await rm(join(studyOf(dataDir), before!), { recursive: true })
    expect(await send()).toMatchObject({ did: false })
    await putAnalysis({ studyDir: studyOf(dataDir), name: 'mine', ifMatch: null }, { toMs: 5 }, now, async () => {})
    expect(await send()).toMatchObject({ did: true })
    // By another process, which fetches what can be undone.
    const { currentId } = await changeStudy({ ...changing, place: other }, null, undo())
    expect(await state()).toMatchObject({ snapshotId: currentId })
  } finally {
    await place.close()
    await other.close()
  }
})

test('a copy sends again what a bucket lost of a snapshot whose manifest it has', async () => {
  await send()
  const { id, files } = await filesOfSnapshot(dataDir)
  const lost = fileKey(STUDY_ID, files[0].sha256)
  await store.delete(lost)
  expect(await send()).toMatchObject({ did: true, files: 1 })
  expect(await store.head(lost)).not.toBeNull()
  await store.put(snapshotKey(STUDY_ID, id), 'damaged')
  await send()
  await receive()
  expect(await currentIdIn(studyOf(back()))).toBe(id)
})

test('a copy into a data directory that was killed before it wrote the history writes it when it is repeated', async () => {
  await send()
  const inTheWay = join(studyOf(back()), HISTORY_FILE)
  await mkdir(join(inTheWay, 'file'), { recursive: true })
  await expect(receive()).rejects.toThrow()
  expect(await currentIdIn(studyOf(back()))).toBe(await currentIdIn(studyOf(dataDir)))
  await rm(inTheWay, { recursive: true })
  expect(await receive()).toMatchObject({ did: true })
  expect(await historyOf(back())).toBe(await historyOf(dataDir))
  expect(await receive()).toMatchObject({ did: false })
})

test('a copy takes nothing for a snapshot that an earlier one has left unfinished', async () => {
  await send()
  const { id, files } = await filesOfSnapshot(dataDir)
  const left = join(back(), RECEIVING, STUDY_ID, id)
  await mkdir(left, { recursive: true })
  await cp(join(studyOf(dataDir), id, 'manifest.json'), join(left, 'manifest.json'))
  await receive()
  for (const { path } of files) expect(await isThere(join(studyOf(back()), id, path))).toBe(true)
})

test('nothing is deleted or published once somebody else may have the lease', async () => {
  await send()
  const lost = { isHeld: () => false, chain: [], release: async () => {} }
  const before = await state()
  const changed = { ...before, studyFiles: {}, texts: new Map() }
  expect(await publishContent(store, STUDY_ID, before, changed, lost, new Date())).toBeNull()
  expect(await state()).toEqual(before)
  await store.put(fileKey(STUDY_ID, '0'.repeat(64)), 'of somebody else')
  await expect(dropOthers(store, STUDY_ID, await state(), lost)).rejects.toMatchObject({ code: 'busy' })
  expect(await store.head(fileKey(STUDY_ID, '0'.repeat(64)))).not.toBeNull()
})

test('a directory of which it is not known what it has gets the files of a version, and no others', async () => {
  await send()
  const directory = join(root, `unknown-${n}`, STUDY_ID)
  await mkdir(join(directory, PAST_AOIS), { recursive: true })
  await writeFile(join(directory, PAST_AOIS, 'other.json'), 'of another version')
  await fetchContent(store, directory, await state(), null)
  const names = (await readdir(join(directory, PAST_AOIS))).map((name) => `${PAST_AOIS}/${name}`)
  expect([HISTORY_FILE, ...names]).toEqual(Object.keys((await state()).studyFiles))
})

test('a history that the bucket lost, or that is damaged there, ends a copy', async () => {
  await send()
  const key = fileKey(STUDY_ID, (await state()).studyFiles[HISTORY_FILE])
  await store.put(key, 'damaged')
  await expect(receive()).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining(HISTORY_FILE) })
  // Each of its lines has a checksum: whoever reads the study passes damaged ones over.
  const cache = await openFileCache(join(root, 'cache'), 1e9)
  expect((await openRemote(store, cache).current(STUDY_ID))?.id).toBe((await state()).snapshotId)
  await cache.close()
  await store.delete(key)
  await expect(receive()).rejects.toMatchObject({ code: 'moved_on', message: expect.stringContaining(HISTORY_FILE) })
  expect(await currentIdIn(studyOf(back()))).toBeNull()
})

test('a copy that replaces leaves nothing of the history and past AOIs that only the other had', async () => {
  await send()
  await cp(dataDir, back(), { recursive: true, verbatimSymlinks: true })
  const changing = { dataDir: back(), studyId: STUDY_ID, threads: 1, memoryMib: 256, tokenId: 'someone' }
  for (const name of ['One', 'Two'])
    await changeStudy(
      changing,
      null,
      description(
        (present) => ({ ...present, name, aois: name === 'One' ? [] : present.aois }),
        () => {},
      ),
    )
  await expect(receive()).rejects.toMatchObject({ code: 'exists' })
  const names = async (data: string) => (await readdir(join(studyOf(data), PAST_AOIS))).sort()
  expect((await names(back())).length).toBeGreaterThan((await names(dataDir)).length)
  expect(await historyOf(back())).not.toBe(await historyOf(dataDir))
  await receive(back(), true)
  expect(await names(back())).toEqual(await names(dataDir))
  expect(await historyOf(back())).toBe(await historyOf(dataDir))
})

test('a study with the same picture twice is copied into a data directory', async () => {
  const changing = { dataDir, studyId: STUDY_ID, threads: 1, memoryMib: 256, tokenId: 'someone' }
  const bytes = Buffer.alloc(6 << 20, 'picture')
  for (const i of [1, 2])
    await changeStudy(changing, null, picture({ itemId: uuid('1', i), content: { bytes }, filename: null, size: null }))
  const { id, files } = await filesOfSnapshot(dataDir)
  for (const other of (await snapshotIds(studyOf(dataDir))).filter((each) => each !== id))
    await rm(join(studyOf(dataDir), other), { recursive: true })
  await send()
  await receive()
  const twins = files.filter(({ path }) => path.startsWith('images/'))
  expect(new Set(twins.map(({ sha256 }) => sha256)).size).toBeLessThan(twins.length)
  for (const { path } of twins) expect(bytes.equals(await readFile(join(studyOf(back()), id, path)))).toBe(true)
})

test('all that a copy writes into a data directory is synced, and before the study names it', async () => {
  await putAnalysis({ studyDir: studyOf(dataDir), name: 'mine', ifMatch: null }, { toMs: 5 }, now, async () => {})
  await send()
  const handle = await open(FIXTURE, 'r')
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const synced: number[] = []
  const { sync } = prototype
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof handle) {
    synced.push((await this.stat()).ino)
    return sync.call(this)
  })
  await receive().finally(() => spy.mockRestore())
  const inodes = new Map<string, number>()
  for (const entry of await readdir(studyOf(back()), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.name.startsWith('lock')) inodes.set(path, (await stat(path)).ino)
  }
  const unsynced = [...inodes].filter(([, ino]) => !synced.includes(ino)).map(([path]) => path)
  expect(unsynced).toEqual([])
  const id = (await currentIdIn(studyOf(back())))!
  const named = synced.indexOf(inodes.get(join(studyOf(back()), 'current'))!)
  const late = [...inodes].filter(
    ([path, ino]) => /\/([0-9a-f]{64}|shared)(\/|$)/.test(path) && synced.indexOf(ino) > named,
  )
  expect(late).toEqual([])
  expect(synced.slice(0, named)).toContain((await stat(studyOf(back()))).ino)
  expect(inodes.has(join(studyOf(back()), id))).toBe(true)
})
