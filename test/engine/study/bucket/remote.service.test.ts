import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkData } from '../../../../bin/commands/check.ts'
import { makePlan } from '../../../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../../../engine/exports/registry.ts'
import { openJobs } from '../../../../engine/jobs/open-jobs.ts'
import { requestJob } from '../../../../engine/jobs/request-job.ts'
import { readArrival } from '../../../../engine/live/arrivals/read-arrival.ts'
import { openLiveStudies } from '../../../../engine/live/live-studies.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import { jobId } from '../../../../engine/model/plan.ts'
import type { Snapshot } from '../../../../engine/model/study.ts'
import { writeBids } from '../../../../engine/products/package/bids/write-dataset.ts'
import { inlinePool } from '../../../../engine/run/inline-pool.ts'
import { runExport } from '../../../../engine/run/run-export.ts'
import { findAnalysis } from '../../../../engine/snapshot/analyses/find-analysis.ts'
import {
  checkAnalyses,
  deleteAnalysis,
  listAnalyses,
  putAnalysis,
  readAnalysis,
} from '../../../../engine/snapshot/analyses/stored-analyses.ts'
import { readParticipants } from '../../../../engine/snapshot/rows/list-participants.ts'
import { openStudies } from '../../../../engine/snapshot/snapshots.ts'
import { seal } from '../../../../engine/storage/files/sealed-json.ts'
import { type FileCache, openFileCache } from '../../../../engine/storage/objects/file-cache.ts'
import type { ObjectStore } from '../../../../engine/storage/objects/object-store.ts'
import { openObjects } from '../../../../engine/storage/objects/open-objects.ts'
import { receiveJobs, sendJobs } from '../../../../engine/study/bucket/copy-jobs.ts'
import { openRemote } from '../../../../engine/study/bucket/open-remote.ts'
import { receiveStudy } from '../../../../engine/study/bucket/receive-study.ts'
import { sendStudy } from '../../../../engine/study/bucket/send-study.ts'
import { newestVersion, studiesIn } from '../../../../engine/study/bucket/versions.ts'
import { changeStudy } from '../../../../engine/study/change-study.ts'
import { creation } from '../../../../engine/study/changes/creation.ts'
import { removal } from '../../../../engine/study/changes/removal.ts'
import { HISTORY_FILE } from '../../../../engine/study/history.ts'
import { sweepLocked } from '../../../../engine/study/sweep-snapshots.ts'
import { idOf, participantOf } from '../../../server/participants.ts'
import { asked, openJobFixture, planOf } from '../../jobs/job-fixture.ts'
import { giveCredentials, urlOf } from '../../storage/credentials.ts'
import { type S3Server, startS3 } from '../../storage/s3-server.mjs'
import { GOLDEN_STUDY, importGolden } from '../../studies.ts'

let takeCredentials: (() => void) | undefined
const NOW = new Date('2026-01-01T00:00:00Z')
let dir: string
let server: S3Server
let store: ObjectStore
let golden: Snapshot
/** A study that has just grown: layers, files that its snapshots share, a history. */
let grown: { dataDir: string; studyId: string; snapshot: Snapshot }
const opened: FileCache[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gazette-remote-'))
  golden = await importGolden(join(dir, 'golden'))
  grown = await grow('grown')
  server = await startS3({ pageSize: 5 })
  takeCredentials = giveCredentials(server)
  store = await openObjects(urlOf(server))
})
beforeEach(() => {
  server.objects.clear()
  server.faults.length = 0
  server.asked.length = 0
  server.unlisted.clear()
})
afterAll(async () => {
  for (const cache of opened) await cache.close()
  store?.close()
  await server?.stop()
  await rm(dir, { recursive: true, force: true })
  takeCredentials?.()
})

const newSum = () => ({ files: 0, bytes: 0, known: 0 })
const send = async (dataDir: string, studyId = GOLDEN_STUDY, replace = false) => {
  const copied = newSum()
  const did = await sendStudy({ dataDir, store, replace, now: NOW }, studyId, copied)
  return { did, ...copied }
}
const receive = async (dataDir: string, studyId = GOLDEN_STUDY, replace = false) => {
  const copied = newSum()
  const did = await receiveStudy({ dataDir, store, replace }, studyId, copied)
  return { did, ...copied }
}
const newCache = async (name: string, maxBytes = 1e9) => {
  const cache = await openFileCache(join(dir, name), maxBytes)
  opened.push(cache)
  return cache
}

/** The SHA-256 of every export of a snapshot. */
async function hashes(snapshot: Snapshot, names = EXPORTS.map(({ name }) => name)): Promise<string[]> {
  const found: string[] = []
  for (const exportName of names) {
    const hash = createHash('sha256')
    const plan = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true })
    const signal = new AbortController().signal
    for await (const { bytes } of runExport({ plan, snapshot, pool: inlinePool(), signal, gzip: false }))
      hash.update(bytes)
    found.push(`${exportName} ${hash.digest('hex')}`)
  }
  return found
}

/** Every file below a directory with its SHA-256. */
async function treeOf(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const lines = paths.map(async (path) => [
    path.slice(directory.length),
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  ])
  return Object.fromEntries((await Promise.all(lines)).sort())
}

async function grow(name: string): Promise<typeof grown> {
  const dataDir = join(dir, name)
  const item = {
    id: idOf('item'),
    filename: '0.png',
    cdnUrl: '',
    type: 'images',
    stimuliDurationMs: 2000,
    widthPx: 1000,
    heightPx: 800,
  }
  const study = { id: idOf(name), name, isServiceBasicSurveyEnabled: false, steps: [], items: [item], aois: [] }
  await changeStudy({ dataDir, studyId: study.id, threads: 1, memoryMib: 256, now: NOW }, null, creation(study))
  const live = openLiveStudies({ dataDir, jobs: openJobs(dataDir), memoryMib: 256 })
  for (let i = 0; i < 4; i++) {
    const body = Buffer.from(JSON.stringify(participantOf(i, [item.id])))
    await live.add(study.id, readArrival(body, 'json'), { tokenId: 'someone', key: null })
  }
  await live.close()
  return { dataDir, studyId: study.id, snapshot: (await openStudies(dataDir).current(study.id))! }
}

describe('exports from a bucket', () => {
  test('are those from files, all of them, over a store with faults and lists that come late', async () => {
    await send(join(dir, 'golden'))
    const cache = await newCache('cache-all')
    server.unlisted.add([...server.objects.keys()].find((key) => key.includes('/versions/'))!)
    server.faults.push({ kind: '503', on: 'GetObject' }, { kind: 'cut', on: 'GetObject', times: 3 })
    const remote = (await openRemote(store, cache).current(GOLDEN_STUDY.toUpperCase()))!
    expect(remote.directory).toContain('cache-all/views/')
    expect(await hashes(remote)).toEqual(await hashes(golden))
  })

  test('are those from files for a study that has just grown, in a cache for two of its files', async () => {
    const { dataDir, studyId, snapshot } = grown
    expect(snapshot.manifest.sampleFiles).toHaveLength(4)
    await send(dataDir, studyId)
    const cache = await newCache('cache-small', 6000)
    const remote = (await openRemote(store, cache).current(studyId))!
    const names = ['gazes-raw', 'quality-stats'] as const
    expect(await hashes(remote, [...names])).toEqual(await hashes(snapshot, [...names]))
    // Files that were fetched ahead may still come, and push out others.
    const kept = () => readdir(join(dir, 'cache-small', 'objects'))
    await expect.poll(async () => (await kept()).length).toBeLessThan(snapshot.manifest.sampleFiles.length)
  })

  test('of BIDS have the pictures, too', async () => {
    await send(join(dir, 'golden'))
    const remote = (await openRemote(store, await newCache('cache-bids')).current(GOLDEN_STUDY))!
    const trees = await Promise.all(
      [golden, remote].map(async (snapshot, i) => {
        const plan = makePlan({
          snapshot,
          exportName: 'fixations',
          parameters: defaultParameters(),
          formulaGuard: true,
        })
        const directory = await mkdtemp(join(dir, `bids-${i}-`))
        const screen = { distanceM: null, sizeM: null }
        await writeBids({ directory, snapshot, plan, screen, signal: new AbortController().signal })
        return treeOf(directory)
      }),
    )
    expect(trees[1]).toEqual(trees[0])
  })

  test('fetch no file twice, by two processes neither, and again what was damaged in the cache', async () => {
    await send(join(dir, 'golden'))
    const [one, other] = [await newCache('cache-two'), await newCache('cache-two')]
    const names = ['fixations'] as const
    const expected = await hashes(golden, [...names])
    const fetched = () => server.asked.filter((line) => /^GetObject .*\/files\//.test(line)).length
    expect(await hashes((await openRemote(store, one).current(GOLDEN_STUDY))!, [...names])).toEqual(expected)
    const once = fetched()
    expect(await hashes((await openRemote(store, other).current(GOLDEN_STUDY))!, [...names])).toEqual(expected)
    expect(fetched()).toBe(once)
    const { sha256 } = golden.manifest.sampleFiles[0]
    await other.close()
    await writeFile(join(dir, 'cache-two', 'objects', sha256), 'damaged')
    await one.close()
    const third = await newCache('cache-two')
    expect(await hashes((await openRemote(store, third).current(GOLDEN_STUDY))!, [...names])).toEqual(expected)
    expect(fetched()).toBe(once + 1)
    expect(await readdir(join(dir, 'cache-two', 'views'))).toHaveLength(2)
  })

  test('refuse what is not what the manifest promises, and do not keep it', async () => {
    await send(join(dir, 'golden'))
    const key = [...server.objects.keys()].find((each) => each.endsWith(golden.manifest.sampleFiles[0].sha256))!
    server.objects.set(key, Buffer.from('other bytes'))
    const cache = await newCache('cache-damaged')
    const remote = (await openRemote(store, cache).current(GOLDEN_STUDY))!
    await expect(hashes(remote, ['fixations'])).rejects.toMatchObject({ code: 'corrupt' })
    expect(await readdir(join(dir, 'cache-damaged', 'objects'))).not.toContain(golden.manifest.sampleFiles[0].sha256)
    server.objects.delete(key)
    await expect(hashes(remote, ['fixations'])).rejects.toMatchObject({ code: 'moved_on' })
  })
})

describe('a copy', () => {
  test('there and back gives the same installation, and a second one copies nothing', async () => {
    const { dataDir, studyId } = grown
    const sent = await send(dataDir, studyId)
    const files = [...server.objects].filter(([key]) => key.includes('/files/'))
    expect(sent).toMatchObject({ did: true, files: files.length - 1 })
    const log = files.find(([, bytes]) => bytes.includes('participant added'))!
    expect(sent.bytes).toBe(files.reduce((sum, [, bytes]) => sum + bytes.length, 0) - log[1].length)
    expect(await send(dataDir, studyId)).toMatchObject({ did: false, files: 0 })
    expect(await studiesIn(store)).toEqual([studyId])
    const back = join(dir, 'back')
    expect(await receive(back, studyId)).toMatchObject({ did: true })
    expect(await receive(back, studyId)).toMatchObject({ did: false, files: 0 })
    const told: string[] = []
    await checkData(
      { jobs: openJobs(back), records: back, objects: null },
      back,
      async ({ sentence }) => void told.push(sentence),
    )
    expect(told).toEqual([])
    const history = (data: string) => readFile(join(data, 'studies', studyId, HISTORY_FILE), 'utf8')
    expect((await history(back)).split('\n').length).toBeGreaterThan(3)
    expect(await history(back)).toBe(await history(dataDir))
    expect(await hashes((await openStudies(back).current(studyId))!, ['fixations'])).toEqual(
      await hashes((await openStudies(dataDir).current(studyId))!, ['fixations']),
    )
  })

  test('goes on where it was stopped, in either direction', async () => {
    server.faults.push({ kind: '403', on: 'PutObject', key: /\/snapshots\// })
    await expect(send(join(dir, 'golden'))).rejects.toMatchObject({ code: 'invalid_setting' })
    expect(await newestVersion(store, GOLDEN_STUDY)).toBeNull()
    server.faults.length = 0
    const files = server.objects.size
    expect(await send(join(dir, 'golden'))).toMatchObject({ did: true, files: 0, known: files })
    const back = join(dir, 'stopped')
    const { sha256 } = golden.manifest.sampleFiles[0]
    server.faults.push({ kind: '403', on: 'GetObject', key: new RegExp(sha256) })
    await expect(receive(back)).rejects.toMatchObject({ code: 'invalid_setting' })
    expect(await openStudies(back).studyIds()).toEqual([])
    server.faults.length = 0
    expect((await receive(back)).known).toBeGreaterThan(0)
    expect(await hashes((await openStudies(back).current(GOLDEN_STUDY))!, ['fixations'])).toEqual(
      await hashes(golden, ['fixations']),
    )
  })

  test('replaces another version only when told to, and leaves nothing of a participant who was removed', async () => {
    const dataDir = join(dir, 'less')
    await cp(join(dir, 'golden'), dataDir, { recursive: true })
    await send(dataDir)
    const [{ id: participantId }] = await readParticipants(golden, Int32Array.of(0))
    const changing = { dataDir, studyId: GOLDEN_STUDY, now: NOW, threads: 1, memoryMib: 256 }
    await changeStudy(changing, null, removal(participantId))
    await sweepLocked(join(dataDir, 'studies', GOLDEN_STUDY), async () => new Set(), openJobs(dataDir))
    await expect(send(dataDir)).rejects.toMatchObject({ code: 'exists', message: expect.stringContaining('--replace') })
    expect(await send(dataDir, GOLDEN_STUDY, true)).toMatchObject({ did: true })
    expect((await newestVersion(store, GOLDEN_STUDY))?.number).toBe(2)
    const { manifest } = (await openStudies(dataDir).current(GOLDEN_STUDY))!
    const own = [...Object.values(manifest.files), ...manifest.sampleFiles.map(({ sha256 }) => sha256)]
    const there = [...server.objects.keys()]
      .filter((key) => key.includes('/files/'))
      .map((key) => key.split('/').at(-1))
    expect(there.sort()).toEqual([...new Set(own)].sort())
    expect([...server.objects.keys()].filter((key) => key.includes('/snapshots/'))).toHaveLength(1)
    await expect(receive(join(dir, 'golden'))).rejects.toMatchObject({ code: 'exists' })
  })

  test('has the analyses of a study, in either direction, and loses none', async () => {
    const dataDir = join(dir, 'decided')
    await cp(join(dir, 'golden'), dataDir, { recursive: true })
    const back = join(dir, 'decided-back')
    const decide = (data: string, name: string, toMs: number) =>
      putAnalysis({ studyDir: join(data, 'studies', GOLDEN_STUDY), name, ifMatch: null }, { toMs }, NOW, async () => {})
    const decided = async (data: string) => {
      const all = await listAnalyses(join(data, 'studies', GOLDEN_STUDY))
      return Object.fromEntries(all.map(({ name, analysis: { toMs } }) => [name, toMs]))
    }
    await decide(dataDir, 'default', 100)
    const { version: first } = (await decide(dataDir, 'mine', 100)).stored
    expect(await send(dataDir)).toMatchObject({ did: true })
    expect(await receive(back)).toMatchObject({ did: true })
    expect(await decided(back)).toEqual({ default: 100, mine: 100 })
    expect(await receive(back)).toMatchObject({ did: false })

    // The data are the same: a change of an analysis alone comes along, there and back, with the version before.
    await decide(dataDir, 'mine', 200)
    expect(await send(dataDir)).toMatchObject({ did: true, files: 0 })
    expect(await send(dataDir)).toMatchObject({ did: false })
    await decide(back, 'other', 1)
    expect(await receive(back)).toMatchObject({ did: true })
    expect(await decided(back)).toEqual({ default: 100, mine: 200, other: 1 })
    expect((await readAnalysis(join(back, 'studies', GOLDEN_STUDY), 'mine', first))?.analysis).toEqual({ toMs: 100 })
    // What is newer here stays, and goes there.
    await decide(back, 'mine', 300)
    expect(await receive(back)).toMatchObject({ did: false })
    expect(await send(back)).toMatchObject({ did: true })
    // Changed on both sides.
    await decide(dataDir, 'mine', 400)
    await expect(send(dataDir)).rejects.toMatchObject({ code: 'exists', message: expect.stringContaining('mine') })
    await expect(receive(dataDir)).rejects.toMatchObject({ code: 'exists', message: expect.stringContaining('mine') })
    expect(await receive(dataDir, GOLDEN_STUDY, true)).toMatchObject({ did: true })
    expect(await decided(dataDir)).toEqual({ default: 100, mine: 300, other: 1 })
    // What was deleted goes with what replaces it, and leaves nothing.
    await deleteAnalysis({ studyDir: join(dataDir, 'studies', GOLDEN_STUDY), name: 'other', ifMatch: null })
    expect(await send(dataDir, GOLDEN_STUDY, true)).toMatchObject({ did: true })
    const texts = [...server.objects].filter(([key]) => key.includes('/files/')).map(([, bytes]) => String(bytes))
    expect(texts.some((text) => text.includes('"toMs": 1,'))).toBe(false)
    expect(await receive(back, GOLDEN_STUDY, true)).toMatchObject({ did: true })
    expect(await decided(back)).toEqual({ default: 100, mine: 300 })
    expect(await checkAnalyses(back, () => {})).toBeGreaterThan(3)
    const remote = (await openRemote(store, await newCache('cache-decided')).current(GOLDEN_STUDY))!
    expect((await findAnalysis(remote, ['mine']))?.analysis).toEqual({ toMs: 300 })
    expect(await findAnalysis(remote, [])).toBeNull()
  })

  test('of a bucket of before there were analyses changes none', async () => {
    const dataDir = join(dir, 'before')
    await cp(join(dir, 'golden'), dataDir, { recursive: true })
    await send(join(dir, 'golden'))
    const [key] = [...server.objects.keys()].filter((each) => each.includes('/versions/'))
    const { analyses: _, sha256: _old, ...former } = JSON.parse(String(server.objects.get(key)))
    const subject = key.slice(key.indexOf('versions/'))
    server.objects.set(key, Buffer.from(seal(former, subject)))
    const studyDir = join(dataDir, 'studies', GOLDEN_STUDY)
    await putAnalysis({ studyDir, name: 'mine', ifMatch: null }, { toMs: 5 }, NOW, async () => {})
    expect(await receive(dataDir, GOLDEN_STUDY, true)).toMatchObject({ did: false })
    expect((await listAnalyses(studyDir)).map(({ name }) => name)).toEqual(['mine'])
  })

  test('of a damaged file is refused, and gives it no name', async () => {
    const dataDir = join(dir, 'hurt')
    await cp(join(dir, 'golden'), dataDir, { recursive: true })
    const { name, sha256 } = golden.manifest.sampleFiles[0]
    await writeFile(join(dataDir, 'studies', GOLDEN_STUDY, golden.id, name), 'damaged')
    await expect(send(dataDir)).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining(name) })
    expect([...server.objects.keys()].filter((key) => key.endsWith(sha256) || key.includes('/versions/'))).toEqual([])
  })

  test('of jobs keeps plans, ends, files and who asked, and leaves those that are there', async () => {
    const fixture = await openJobFixture()
    try {
      const plan = planOf()
      const id = jobId(plan)
      await requestJob(fixture.jobs, plan, asked('anna'))
      const open = planOf('b'.repeat(64))
      await requestJob(fixture.jobs, open, asked('ben'))
      const copied = newSum()
      const told: string[] = []
      const tell = (sentence: string) => void told.push(sentence)
      const sendAll = () => sendJobs(fixture.dataDir, store, copied, tell, false)
      expect(await sendAll()).toBe(2)
      await fixture.finish(id)
      expect(await sendAll()).toBe(1)
      expect(await sendAll()).toBe(0)
      const back = join(dir, 'jobs-back')
      expect(await receiveJobs(back, store, newSum(), tell)).toBe(2)
      expect(await receiveJobs(back, store, newSum(), tell)).toBe(0)
      const of = async (root: string) => Object.entries(await treeOf(root)).filter(([path]) => !path.endsWith('.tries'))
      expect(await of(join(back, 'exports'))).toEqual(await of(join(fixture.dataDir, 'exports')))
      expect((await openJobs(back).read(id))?.end?.state).toBe('succeeded')
      expect(told).toEqual([])
    } finally {
      await fixture.remove()
    }
  })
})
