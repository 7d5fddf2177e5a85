import { cp, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { importBundle } from '../../../engine/import/import-bundle.ts'
import { openRemoteJobs } from '../../../engine/jobs/bucket/remote-jobs.ts'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { readArrival } from '../../../engine/live/arrivals/read-arrival.ts'
import { openLiveStudies } from '../../../engine/live/live-studies.ts'
import { withAois } from '../../../engine/live/read-description.ts'
import type { Study } from '../../../engine/model/study.ts'
import { putAnalysis, readAnalysis } from '../../../engine/snapshot/analyses/stored-analyses.ts'
import { checkSnapshots } from '../../../engine/snapshot/check-snapshots.ts'
import { openStudies, type Studies, snapshotIds } from '../../../engine/snapshot/snapshots.ts'
import { withStudyLock } from '../../../engine/storage/files/lock.ts'
import { openScratch } from '../../../engine/storage/files/scratch.ts'
import { openDirectory } from '../../../engine/storage/objects/directory-objects.ts'
import { openFileCache } from '../../../engine/storage/objects/file-cache.ts'
import { bucketPlace } from '../../../engine/study/bucket/bucket-place.ts'
import { openRemote } from '../../../engine/study/bucket/open-remote.ts'
import { sendStudy } from '../../../engine/study/bucket/send-study.ts'
import { type Change, changeStudy } from '../../../engine/study/change-study.ts'
import { attributes } from '../../../engine/study/changes/attributes.ts'
import { creation } from '../../../engine/study/changes/creation.ts'
import { description } from '../../../engine/study/changes/description.ts'
import { picture } from '../../../engine/study/changes/picture.ts'
import { removal } from '../../../engine/study/changes/removal.ts'
import { undo } from '../../../engine/study/changes/undo.ts'
import { compactStudy } from '../../../engine/study/compact/compact-study.ts'
import { readHistory } from '../../../engine/study/history.ts'
import { listPastAois } from '../../../engine/study/past-aois.ts'
import { directoryPlace, type StudyPlace } from '../../../engine/study/place.ts'
import { removeSnapshots } from '../../../engine/study/sweep-snapshots.ts'
import { messageIds, readMessage } from '../../../engine/webhooks/message.ts'
import { createWebhook } from '../../../engine/webhooks/webhook.ts'
import { participantOf } from '../../server/participants.ts'
import { participant, STUDY_ID, samplesOf, test as testRow, uuid, writeBundle } from '../import/bundles.ts'
import { keptDirectory } from '../kept.ts'

/**
 * A study that has grown, as it was written before there was one way to change studies. The ids are those that each
 * change made of it then: whoever has the same data gets the same snapshot, also from a later version.
 */
const FIXTURE = fileURLToPath(new URL('../../data-formats/format-5-grown', import.meta.url))
const ITEM = uuid('1', 1)
const NOW = new Date('2026-11-26T00:00:00Z')

/** Places of the studies: a data directory, or objects as in a bucket. */
type There = { place: StudyPlace; studies: Studies; close: () => Promise<void> }
let dataDir: string
let webhook: string
let there: There
const root = await keptDirectory()

async function openFixture(name: string): Promise<void> {
  dataDir = join(root, name)
  await cp(FIXTURE, dataDir, { recursive: true, verbatimSymlinks: true })
  const events = ['study.published' as const]
  webhook = (await createWebhook(dataDir, { url: 'https://example.org/', name: '', events, now: NOW })).id
}

async function inDirectory(): Promise<There> {
  await openFixture('data')
  return { place: directoryPlace(dataDir), studies: openStudies(dataDir), close: async () => {} }
}

/** The same, copied to objects; what is left in the directory is not looked at. */
async function inObjects(): Promise<There> {
  await openFixture('copied')
  const store = openDirectory(join(root, 'objects'))
  const sum = { files: 0, bytes: 0, known: 0 }
  await sendStudy({ dataDir, store, replace: false, now: new Date() }, STUDY_ID, sum)
  await rm(join(dataDir, 'studies'), { recursive: true })
  const cache = await openFileCache(join(root, 'cache'), 1e9)
  const means = { jobs: () => openRemoteJobs(store), webhooks: dataDir }
  const place = bucketPlace(store, () => openScratch(dataDir), means)
  return {
    place,
    studies: openRemote(store, cache),
    close: async () => {
      await place.close()
      await cache.close()
    },
  }
}

const making = { threads: 1, memoryMib: 256, now: NOW }
const changing = (change: Change) => () =>
  changeStudy({ ...making, dataDir, place: there.place, studyId: STUDY_ID, tokenId: 'someone' }, null, change)
const importing =
  (append: boolean, bundle: () => Promise<object> | object, name = append ? 'more' : 'alone') =>
  async () =>
    importBundle({
      ...{ ...making, dataDir, ...there, append },
      directory: await writeBundle(join(dataDir, name), await bundle()),
    })
const current = async () => (await there.studies.current(STUDY_ID))!
const told = async () =>
  Promise.all((await messageIds(dataDir, webhook)).map(async (id) => (await readMessage(dataDir, webhook, id))!.body))

const described = (describe: (present: Study) => Study) => description(describe, () => {})
const points = [
  { x: 1, y: 1 },
  { x: 300, y: 2 },
  { x: 5, y: 400 },
]
const AOIS = Buffer.from(JSON.stringify([{ id: uuid('e', 2), name: 'New 2', parts: [{ areaPoints: { points } }] }]))

async function arrive(n = 3): Promise<string> {
  const live = openLiveStudies({ dataDir, place: there.place, jobs: openJobs(dataDir), memoryMib: 256 })
  const body = Buffer.from(JSON.stringify(participantOf(n, [ITEM])))
  const { entry } = await live.add(STUDY_ID, readArrival(body, 'json'), { tokenId: 'someone', key: null })
  await live.close()
  return entry.participantId!
}

async function compact(): Promise<void> {
  // The study has been quiet.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  const signal = new AbortController().signal
  await compactStudy({ ...making, dataDir, place: there.place, studyId: STUDY_ID, signal }).finally(vi.useRealTimers)
}

const nine = testRow(9, 9, 1)
const MORE = { participants: [participant(9)], tests: [nine], samples: samplesOf(nine.test_id, 7) }

/** Each kind, the snapshot that it makes of the one before, and whether webhooks are told of it by itself. */
const KINDS: [kind: string, change: () => Promise<unknown>, snapshotId: string, isTold: boolean][] = [
  [
    'a description',
    changing(described((present) => ({ ...present, name: 'Anew' }))),
    '4d2a81daf22f29c910b38bd80eb1c5967e202fe526b0df7a1a1cad31faa18fa0',
    true,
  ],
  [
    'AOIs',
    changing(described((present) => withAois(present, ITEM, AOIS))),
    '61ef42bf71fc78f69caf1caf2ba29006a450ec60e2a7029f31ed3a598ca93a41',
    true,
  ],
  [
    'a picture',
    changing(picture({ itemId: ITEM, content: { bytes: Buffer.from('another') }, filename: null, size: null })),
    'dc6d7a1776c582f59a58eacf4aed9bb27537f5052f37ac1f1df0004bbcc72a4a',
    true,
  ],
  [
    'attributes',
    changing(attributes(uuid('b', 1), { age: 33 })),
    'a2455f86f67e677ac3c6e17c84ef675669e47be94c9d54fa2644b443505e335e',
    true,
  ],
  ['an arrival', () => arrive(), 'a4a24b67d426da63d77904c47861bcecd1b3d0211b7f37aacbe1466dff7a844d', false],
  ['a merge', compact, 'c8b8398e9d214a07f962b850e342aca55b55fbe32c0d4cf076bdccaf4e226bc7', false],
  [
    'a bundle that is appended',
    importing(true, () => MORE),
    'be34df87481eec81217ad4bdf7d88297249e2f5b52a24c7538a627a616812efb',
    true,
  ],
  [
    'a removal',
    changing(removal(uuid('b', 2))),
    'b9078c672c9e9f4bad82d457f447a5c36a6bcfbd7a8ebb5fcecad1696967ebc8',
    true,
  ],
  [
    'a study.json alone',
    importing(false, async () => ({ study: { ...(await current()).study, name: 'Alone' } })),
    'dca069a8d9bd2b5f57775400935ba9fb377b35977dc5b28ceb238ec649ed57f4',
    true,
  ],
]

describe.each([
  ['a data directory', inDirectory],
  ['objects', inObjects],
])('in %s', (_, open) => {
  beforeAll(async () => {
    there = await open()
  })
  afterAll(() => there.close())

  test('each kind of change makes the snapshot that it made before, and webhooks are told of those that are not coalesced', async () => {
    expect((await current()).id).toBe('c68acfbcbf7f721f93c131a62850e6fbe6585ae0e488ee7e5159a015f7d14db7')
    for (const [kind, change, snapshotId, isTold] of KINDS) {
      await change()
      expect({ kind, snapshotId: (await current()).id }).toEqual({ kind, snapshotId })
      expect({ kind, isTold: (await told()).some((body) => body.includes(snapshotId)) }).toEqual({ kind, isTold })
      // Nothing to change is no change.
      if (kind !== 'an arrival' && kind !== 'a removal') await change()
      expect({ kind, again: (await current()).id }).toEqual({ kind, again: snapshotId })
    }
    const { manifest } = await current()
    expect(manifest.counts).toEqual({ participants: 5, completed: 5, items: 2, tests: 6, samples: 147 })
    const damage: string[] = []
    await checkSnapshots(dataDir, (sentence) => damage.push(sentence))
    expect(damage).toEqual([])
  })

  test('the history goes on from what it told, and so do past AOIs', async () => {
    const { manifest, study } = await current()
    const studyDir = dirname((await current()).directory)
    const history = await readHistory(studyDir, manifest)
    expect(history.map(({ did }) => did)).toEqual([
      'study changed',
      'participant added',
      'participant added',
      'study changed',
      'study changed',
      'picture changed',
      'participant changed',
      'participant added',
      'participant removed',
    ])
    const text = await readFile(join(studyDir, 'history.ndjson'), 'utf8')
    expect(text).not.toContain(uuid('b', 2))
    const aois = study.aois.filter(({ itemId }) => itemId === ITEM)
    const { sets } = await listPastAois(studyDir, ITEM, aois, { after: '', limit: 9 })
    expect(sets.map(({ tokenId, aois: [{ name }] }) => [tokenId, name])).toEqual([
      ['someone', 'New 1'],
      ['someone', 'Box'],
    ])
  })

  test('the newest change is undone, and no other', async () => {
    const { name } = (await current()).study
    await changing(described((present) => ({ ...present, name: 'Twice' })))()
    const { id } = await current()
    await changing(undo())()
    expect((await current()).study.name).toBe(name)
    expect((await current()).manifest.counts.samples).toBe(147)
    expect((await current()).id).not.toBe(id)
  })

  test.each(['settle', 'after'] as const)(
    'a removal that was killed before `%s` is finished by the next one, and then there is nobody to remove',
    async (step) => {
      const id = await arrive(7)
      const change = removal(id)
      const killed = () => Promise.reject(new Error('killed'))
      await expect(changing({ ...change, [step]: killed })()).rejects.toThrow('killed')
      // What the killed process had in memory and in temporary files is gone.
      await there.place.close()
      // As the sweep deletes the snapshot before.
      const studyDir = join(dataDir, 'studies', STUDY_ID)
      const { id: currentId } = await current()
      const others = (await snapshotIds(studyDir)).filter((each) => each !== currentId)
      if (step === 'settle' && others.length > 0) await removeSnapshots(studyDir, others)
      await changing(change)()
      const text = await readFile(join(dirname((await current()).directory), 'history.ndjson'), 'utf8')
      expect(text).not.toContain(id)
      await expect(changing(change)()).rejects.toMatchObject({ code: 'not_found' })
    },
  )
})

describe('in a data directory that was changed', () => {
  beforeAll(async () => {
    dataDir = join(root, 'data')
    there = { place: directoryPlace(dataDir), studies: openStudies(dataDir), close: async () => {} }
  })
  test('a change that does not fit is refused in words, and a dry run changes nothing', async () => {
    const before = (await current()).id
    const refused = (change: Change, more: object = {}, ifMatch: string | null = null) =>
      changeStudy({ ...making, dataDir, studyId: STUDY_ID, ...more }, ifMatch, change).then(
        () => 'done',
        (error) => `${error.code}: ${error.problems?.[0]?.rule ?? error.message}`,
      )
    const less = described((present) => ({ ...present, items: present.items.slice(1), aois: [] }))
    expect([
      await refused(less),
      await refused(picture({ itemId: uuid('f', 1), content: { bytes: Buffer.from('') }, filename: null, size: null })),
      await refused(attributes(uuid('f', 1), {})),
      await refused(removal(uuid('f', 1))),
      await refused(creation((await current()).study)),
      await refused(attributes(uuid('b', 1), { age: 9 }), {}, '0'.repeat(64)),
      await refused(removal(uuid('b', 1)), { studyId: uuid('f', 1) }),
      await refused(removal(uuid('b', 1)), { studyId: '../..' }),
      await refused(attributes(uuid('b', 1), { age: 9 }), { beforePublish: () => Promise.reject(new Error('no')) }),
      await refused(attributes(uuid('b', 1), { age: 9 }), { dryRun: true }),
    ]).toEqual([
      'invalid_bundle: must hold every item that tests show, and 5 show this one',
      `not_found: there is no item ${uuid('f', 1)}`,
      `not_found: there is no participant ${uuid('f', 1)}`,
      `not_found: there is no participant ${uuid('f', 1)} in study ${STUDY_ID}`,
      `conflict: there is a study ${STUDY_ID} already`,
      'moved_on: the study has changed since that snapshot',
      `not_found: there is no study ${uuid('f', 1)}`,
      'not_found: there is no such study',
      'undefined: no',
      'done',
    ])
    expect((await current()).id).toBe(before)
  })

  test('a dry run does not wait for whoever changes the study, and a change says that it is busy', async () => {
    const change = attributes(uuid('b', 1), { age: 9 })
    const changing = { ...making, dataDir, studyId: STUDY_ID }
    await withStudyLock(join(dataDir, 'studies', STUDY_ID), async () => {
      expect(await changeStudy({ ...changing, dryRun: true }, null, change)).toMatchObject({ published: false })
      await expect(changeStudy(changing, null, change)).rejects.toMatchObject({ code: 'busy' })
    })
  })

  test('a removal that is refused, or a dry run, leaves the participant in analyses', async () => {
    const studyDir = join(dataDir, 'studies', STUDY_ID)
    const analysis = { ignored: [{ participantId: uuid('b', 1), reason: 'late' }] }
    await putAnalysis({ studyDir, name: 'mine', ifMatch: null }, analysis, NOW, async () => {})
    const changing = { ...making, dataDir, studyId: STUDY_ID }
    await changeStudy({ ...changing, dryRun: true }, null, removal(uuid('b', 1)))
    const refusing = { ...changing, beforePublish: () => Promise.reject(new Error('no')) }
    await expect(changeStudy(refusing, null, removal(uuid('b', 1)))).rejects.toThrow('no')
    expect((await readAnalysis(studyDir, 'mine'))?.analysis).toEqual(analysis)
    await changeStudy(changing, null, removal(uuid('b', 1)))
    expect((await readAnalysis(studyDir, 'mine'))?.analysis).toEqual({})
  })
})
