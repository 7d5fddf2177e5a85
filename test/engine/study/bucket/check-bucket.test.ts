import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import type { ObjectStore } from '../../../../engine/storage/objects/object-store.ts'
import { checkBucket } from '../../../../engine/study/bucket/check-bucket.ts'
import { sendStudy } from '../../../../engine/study/bucket/send-study.ts'
import { filesThere } from '../../../../engine/study/bucket/snapshot-files.ts'
import { fileKey, newestState, snapshotKey } from '../../../../engine/study/bucket/versions.ts'
import { STUDY_ID } from '../../import/bundles.ts'
import { keptDirectory } from '../../kept.ts'

const FIXTURE = fileURLToPath(new URL('../../../data-formats/format-5-grown', import.meta.url))
const root = await keptDirectory()
await cp(FIXTURE, join(root, 'data'), { recursive: true, verbatimSymlinks: true })
const store = openDirectory(join(root, 'objects'))
const sending = { dataDir: join(root, 'data'), store, replace: false, now: new Date() }
await sendStudy(sending, STUDY_ID, { files: 0, bytes: 0, known: 0 })

async function faults(): Promise<string[]> {
  const found: string[] = []
  expect(await checkBucket(store, (sentence) => found.push(sentence))).toBeGreaterThan(0)
  return found
}

test('objects are hashed side by side, some at a time', async () => {
  let [reading, most] = [0, 0]
  const counting: ObjectStore = {
    ...store,
    get: async (key) => {
      if (!key.startsWith('files/')) return store.get(key)
      most = Math.max(most, ++reading)
      await new Promise(setImmediate)
      reading--
      return store.get(key)
    },
  }
  await checkBucket(counting, () => {})
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(6)
})

test('a study in a bucket is checked, and each object that is damaged or missing is reported', async () => {
  expect(await faults()).toEqual([])
  const { snapshotId, studyFiles, number } = (await newestState(store, STUDY_ID))!
  const [first, second] = await filesThere(store, STUDY_ID, snapshotId!)
  await store.put(fileKey(STUDY_ID, first.sha256), 'other bytes')
  await store.delete(fileKey(STUDY_ID, second.sha256))
  await store.delete(fileKey(STUDY_ID, studyFiles['history.ndjson']))
  expect((await faults()).sort()).toEqual(
    [
      `Study ${STUDY_ID}: a file of its history or analyses is missing.`,
      `Study ${STUDY_ID}: snapshot ${snapshotId}: ${first.path} has changed.`,
      `Study ${STUDY_ID}: snapshot ${snapshotId}: ${second.path} is missing.`,
    ].sort(),
  )
  await store.put(snapshotKey(STUDY_ID, snapshotId!), '{}')
  await store.put(`versions/${STUDY_ID}/${String(number).padStart(12, '0')}.json`, 'cut')
  const damaged = await faults()
  expect(damaged).toHaveLength(2)
  expect(damaged.every((sentence) => sentence.startsWith(`Study ${STUDY_ID}: `))).toBe(true)
})
