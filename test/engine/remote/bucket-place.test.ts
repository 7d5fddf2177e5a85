import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openScratch } from '../../../engine/files/scratch.ts'
import { bucketPlace } from '../../../engine/remote/bucket-place.ts'
import { openRemoteJobs } from '../../../engine/remote/remote-jobs.ts'
import { sendStudy } from '../../../engine/remote/send-study.ts'
import { addVersion, fileKey, newestState } from '../../../engine/remote/versions.ts'
import { openDirectory } from '../../../engine/store/directory-objects.ts'
import type { ObjectStore } from '../../../engine/store/object-store.ts'
import { changeStudy } from '../../../engine/study/change-study.ts'
import { attributes } from '../../../engine/study/changes/attributes.ts'
import { removal } from '../../../engine/study/changes/removal.ts'
import type { StudyPlace } from '../../../engine/study/place.ts'
import { STUDY_ID, uuid } from '../import/bundles.ts'

const FIXTURE = fileURLToPath(new URL('../../data-formats/format-5-grown', import.meta.url))
const NOW = new Date('2026-11-26T00:00:00Z')

let root: string
let dataDir: string
let store: ObjectStore
let place: StudyPlace
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gazette-place-'))
  dataDir = join(root, 'data')
  await cp(FIXTURE, dataDir, { recursive: true, verbatimSymlinks: true })
  store = openDirectory(join(root, 'objects'))
  const sum = { files: 0, bytes: 0, known: 0 }
  await sendStudy({ dataDir, store, replace: false, now: NOW }, STUDY_ID, sum)
  const jobs = openRemoteJobs(store)
  place = bucketPlace(store, () => openScratch(dataDir), { jobs: () => jobs, webhooks: dataDir })
})
afterAll(async () => {
  await place.close()
  await rm(root, { recursive: true, force: true })
})

const changing = () => ({ dataDir, place, studyId: STUDY_ID, threads: 1, memoryMib: 256, tokenId: 'someone' })
const state = async () => (await newestState(store, STUDY_ID))!
const keys = async () => {
  const found: string[] = []
  for await (const { key } of store.list(fileKey(STUDY_ID))) found.push(key)
  return found
}

test('who changes a version that somebody else has replaced meanwhile is told so, and changes nothing', async () => {
  const before = await state()
  const meanwhile = async () => {
    expect(await addVersion(store, STUDY_ID, before, before, NOW)).toBe(true)
  }
  const change = attributes(uuid('b', 1), { age: 33 })
  await expect(changeStudy({ ...changing(), beforePublish: meanwhile }, null, change)).rejects.toMatchObject({
    code: 'busy',
  })
  expect(await state()).toMatchObject({ number: before.number + 1, snapshotId: before.snapshotId })
  const { currentId } = await changeStudy(changing(), null, change)
  expect(await state()).toMatchObject({ number: before.number + 2, snapshotId: currentId })
})

test('what a removal that was killed has left goes with the next change', async () => {
  await changeStudy(changing(), null, removal(uuid('b', 2)))
  const left = fileKey(STUDY_ID, '0'.repeat(64))
  await store.put(left, 'of somebody who was removed')
  await changeStudy(changing(), null, attributes(uuid('b', 1), { age: 34 }))
  expect(await keys()).not.toContain(left)
})
