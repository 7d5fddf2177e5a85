import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openRemoteJobs } from '../../../../engine/jobs/bucket/remote-jobs.ts'
import { requestJob } from '../../../../engine/jobs/request-job.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import type { FilePlan } from '../../../../engine/model/plan.ts'
import type { Catalog } from '../../../../engine/snapshot/catalog.ts'
import { openScratch } from '../../../../engine/storage/files/scratch.ts'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import type { ObjectStore } from '../../../../engine/storage/objects/object-store.ts'
import { bucketPlace } from '../../../../engine/study/bucket/bucket-place.ts'
import { sendStudy } from '../../../../engine/study/bucket/send-study.ts'
import { addVersion, fileKey, newestState, snapshotsIn } from '../../../../engine/study/bucket/versions.ts'
import { changeStudy } from '../../../../engine/study/change-study.ts'
import { attributes } from '../../../../engine/study/changes/attributes.ts'
import { removal } from '../../../../engine/study/changes/removal.ts'
import { participantOf } from '../../../server/participants.ts'
import { STUDY_ID, uuid } from '../../import/bundles.ts'
import { kept, keptDirectory } from '../../kept.ts'

const FIXTURE = fileURLToPath(new URL('../../../data-formats/format-5-grown', import.meta.url))
const NOW = new Date('2026-11-26T00:00:00Z')

const newSum = () => ({ files: 0, bytes: 0, known: 0 })
const root = await keptDirectory()
const dataDir = join(root, 'data')
await cp(FIXTURE, dataDir, { recursive: true, verbatimSymlinks: true })
const store = openDirectory(join(root, 'objects'))
await sendStudy({ dataDir, store, replace: false, now: NOW }, STUDY_ID, newSum())
const jobs = openRemoteJobs(store)
const means = { jobs: () => jobs, webhooks: dataDir }
const place = kept(bucketPlace(store, () => openScratch(dataDir), means))

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

const sweeping = {
  studies: { currents: async () => new Map([[STUDY_ID, (await state()).snapshotId!]]) } as unknown as Catalog,
  inUse: async () => new Set<string>(),
  onRemoved: () => {},
  onFault: (_: string, error: unknown) => {
    throw error
  },
}
/** A place whose sweeps delete what is new, too. */
const atOnce = () =>
  bucketPlace(store, () => openScratch(dataDir), means, { replacedMs: -1, orphanedMs: -1, scanEveryMs: 0 })

/** Removes a participant, killed right after it has published. */
async function killRemoval(participantId: string, objects = store): Promise<void> {
  const killed = {
    ...means,
    jobs: () => {
      throw new Error('killed')
    },
  }
  const dying = bucketPlace(objects, () => openScratch(dataDir), killed)
  await expect(changeStudy({ ...changing(), place: dying }, null, removal(participantId))).rejects.toThrow('killed')
  await dying.close()
}

test.each([
  ['a copy over it', 1, () => sendStudy({ dataDir, store, replace: true, now: NOW }, STUDY_ID, newSum())],
  ['the next change', 1, () => changeStudy(changing(), null, attributes(uuid('b', 1), { age: 35 }))],
  ['a sweep', 2, () => atOnce().sweep(sweeping)],
])('files of exports that a removal was killed before it deleted go with %s', async (_, n, next) => {
  const gone = String(participantOf(n, []).participant.participant_id)
  const { snapshotId } = await state()
  const parameters = defaultParameters()
  const settings = { parameters: { itemId: null, movingMedianRangeMs: 100 + n } }
  const plan = { export: 'fixations', studyId: STUDY_ID, snapshotId, version: 'test', formulaGuard: true, ...settings }
  const asked = { tokenId: 'someone', parameters, samplesTotal: 1, fileName: 'a.csv', now: new Date() }
  const { id, attempt } = await requestJob(means.jobs(), plan as unknown as FilePlan, asked)
  const key = `exports/${id}/${attempt}.csv`
  await store.put(key, `a row of ${gone}`)
  await killRemoval(gone)
  expect(await store.head(key)).not.toBeNull()
  await next()
  expect(await store.head(key)).toBeNull()
})

test.each([
  ['of the same participant, who is removed', uuid('b', 1), { published: false }],
  ['of somebody unknown, who is not found', uuid('b', 99), { code: 'not_found' }],
])('a removal that was killed is finished by one %s', async (_, id, outcome) => {
  const own = openDirectory(join(root, `objects of ${id}`))
  await sendStudy({ dataDir, store: own, replace: false, now: NOW }, STUDY_ID, newSum())
  const snapshotCount = async () => (await snapshotsIn(own, STUDY_ID)).get(STUDY_ID)!.size
  await killRemoval(uuid('b', 1), own)
  expect(await snapshotCount()).toBe(2)
  const there = bucketPlace(own, () => openScratch(dataDir), means)
  const removed = changeStudy({ ...changing(), place: there }, null, removal(id))
  expect(await removed.catch((error) => error)).toMatchObject(outcome)
  expect(await snapshotCount()).toBe(1)
  await there.close()
})

test('files that a killed process sent for a snapshot that it never published go with a sweep', async () => {
  const left = [fileKey(STUDY_ID, '1'.repeat(64)), fileKey(uuid('5', 9), '2'.repeat(64))]
  for (const key of left) await store.put(key, 'sent, and named by nothing')
  const before = await keys()
  await atOnce().sweep(sweeping)
  expect(await keys()).toEqual(before.filter((key) => !left.includes(key)))
  expect(await store.head(left[1])).toBeNull()
})

test('a sweep whose list is late deletes nothing that the newest version names', async () => {
  await changeStudy(changing(), null, attributes(uuid('b', 1), { age: 36 }))
  const { snapshotId } = await state()
  const late: ObjectStore = {
    ...store,
    list: async function* (prefix, after) {
      for await (const each of store.list(prefix, after)) if (!each.key.includes(snapshotId!)) yield each
    },
  }
  const times = { replacedMs: -1, orphanedMs: -1, scanEveryMs: 0 }
  await bucketPlace(late, () => openScratch(dataDir), means, times).sweep(sweeping)
  await changeStudy({ ...changing(), place: atOnce() }, null, attributes(uuid('b', 1), { age: 37 }))
})
