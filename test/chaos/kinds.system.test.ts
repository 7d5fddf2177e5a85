import { watch } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkData } from '../../bin/commands/check.ts'
import { createRandom, wholeBetween } from '../../demo/random.ts'
import { openSessions } from '../../engine/access/sessions.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { publishFile } from '../../engine/jobs/end-job.ts'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { newPartFiles } from '../../engine/jobs/record/job-paths.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import { isDiskFull } from '../../engine/model/system-errors.ts'
import { markDataFormat } from '../../engine/storage/files/data-format.ts'
import { instanceId } from '../../engine/storage/files/instance.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { removal } from '../../engine/study/changes/removal.ts'
import { createWebhook, disableWebhook, EVENT_TYPES } from '../../engine/webhooks/webhook.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { writeFiles } from '../../worker/exports/write-files.ts'
import { openQueue } from '../../worker/queue/queue.ts'
import { allowedNetworks } from '../../worker/webhooks/addresses.ts'
import { ping } from '../../worker/webhooks/ping.ts'
import { gazette } from '../bin/gazette.ts'
import { type Bundle, participant, smallBundle, test as testRow, uuid, writeBundle } from '../engine/import/bundles.ts'
import { asked, planOf, succeeded } from '../engine/jobs/job-fixture.ts'
import { keptDirectory } from '../engine/kept.ts'
import { zipOf } from '../engine/uploads/archives.ts'
import { participantOf } from '../server/participants.ts'
import { ITEM, openTestServer, STUDY, type TestServer, until } from '../server/test-server.ts'
import { imported, upload } from '../server/uploads.ts'
import { emptyDisk, fillDisk, mountSmallDisk } from './disk.ts'
import { FOLDER, filesBelow, KINDS, kindOf, turnBit } from './kinds.ts'

const FIXTURE = fileURLToPath(new URL('../engine/recordings/fixtures/reference', import.meta.url))
const BITS_PER_FILE = 4
const seen = new Set<string>()
const root = await keptDirectory()
/** Files that were left at the end, by path below the data directory, and all kinds of files that ever appeared. */
const data = join(root, 'data')
await liveOnce()

/** Runs everything once that writes below a data directory, and records which files it leaves. */
async function liveOnce(): Promise<void> {
  const service = await openTestServer({ SYNC_MAX_SAMPLES: '0', HOLD_SECONDS: '0' }, { hasWorker: true })
  const { dataDir } = service
  await importOverHttp(service)
  const watching = watch(dataDir, { recursive: true }, (_event, name) => void seen.add(String(name)))
  // Of a folder that has just come, and has gone before it could be watched.
  watching.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  try {
    const now = new Date()
    await service.get('/api2/session', {}, 'POST')
    await openSessions(dataDir).createCode('anna', now)
    await markDataFormat(dataDir)
    const webhook = await tellNobody(dataDir)
    expect(await gazette(['import', FIXTURE, '--data', dataDir])).toMatchObject({ code: 0 })
    for (const format of FORMAT_NAMES) {
      const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?format=${format}`
      const { id } = (await (await service.get(path, { prefer: 'respond-async' })).json()) as JobView
      const isDone = async () =>
        ((await (await service.get(`/api2/jobs/${id}`)).json()) as JobView).state === 'succeeded'
      await until(isDone)
    }
    for (const number of [1, 2]) await sendParticipant(service, number)
    await clearAois(service)
    await disableWebhook(dataDir, webhook, { at: now.toISOString(), why: 'gone' })
    for (const name of await filesBelow(dataDir)) seen.add(name)
    await cp(dataDir, data, { recursive: true, verbatimSymlinks: true })
    for (const name of await filesBelow(data)) if (kindOf(name)?.isPassing) await rm(join(data, name))
  } finally {
    watching.close()
    await service.close()
  }
}

/** Makes a webhook whose receiver is not there, and has it tried. */
async function tellNobody(dataDir: string): Promise<string> {
  const to = { url: 'https://127.0.0.1:1/', name: '', events: [...EVENT_TYPES], now: new Date() }
  const webhook = await createWebhook(dataDir, to)
  await ping(dataDir, webhook, { allowed: allowedNetworks('') }, new AbortController().signal)
  return webhook.id
}

async function sendParticipant(service: TestServer, number: number): Promise<void> {
  const headers = { 'x-auth-token': service.write, 'content-type': 'application/json' }
  const body = JSON.stringify(participantOf(number, [ITEM]))
  const path = `${service.url}/api2/studies/${STUDY}/participants`
  expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(201)
}

async function clearAois(service: TestServer): Promise<void> {
  const headers = { 'x-auth-token': service.write, 'content-type': 'application/json', 'if-match': '*' }
  const path = `${service.url}/api2/studies/${STUDY}/items/${ITEM}/aois`
  expect((await fetch(path, { method: 'PUT', headers, body: '[]' })).status).toBe(200)
}

/** Imports a bundle that comes by HTTP, and leaves an upload without an import. */
async function importOverHttp(service: TestServer): Promise<void> {
  const directory = await bundleOf('whole', wholeBundle())
  const files = (await filesBelow(directory)).map(async (name) => ({
    name,
    bytes: await readFile(join(directory, name)),
  }))
  const id = await upload(service, service.ops, 'whole.zip', zipOf(await Promise.all(files)))
  await upload(service, service.ops, 'later.csv', Buffer.from('later'))
  expect(await imported(service, service.ops, { uploads: [id] })).toMatchObject({ state: 'succeeded', error: null })
}

const importing = (dataDir: string) => {
  const now = new Date('2026-01-01T00:00:00Z')
  return { dataDir, append: false, dryRun: false, now, threads: 1, memoryMib: 128 }
}

function wholeBundle(): Bundle {
  const bundle = smallBundle()
  bundle.study.id = uuid('6', 1)
  return bundle
}

async function bundleOf(name: string, bundle: Partial<Bundle>): Promise<string> {
  const directory = await writeBundle(join(root, name), bundle)
  await mkdir(join(directory, 'images'), { recursive: true })
  await writeFile(join(directory, 'images', 'item-1.png'), Buffer.from('89504e470d0a1a0a', 'hex'))
  const head = 'participant_id,target_x_px,target_y_px,gaze_x_px,gaze_y_px\n'
  if (bundle.samples) await writeFile(join(directory, 'validations.csv'), `${head}${uuid('b', 1)},1,2,3,4\n`)
  return directory
}

async function toldOf(dataDir: string): Promise<string[]> {
  const told: string[] = []
  await checkData(
    { jobs: openJobs(dataDir), records: dataDir, objects: null },
    dataDir,
    async ({ sentence }) => void told.push(sentence),
  )
  return told
}

test('every file that is ever written is of a kind that is known here, and each kind is seen', () => {
  const unknown = [...seen].filter((path) => kindOf(path) === undefined && !FOLDER.test(path))
  expect(unknown).toEqual([])
  const missing = KINDS.filter(({ isPassing, pattern }) => !isPassing && ![...seen].some((path) => pattern.test(path)))
  expect(missing.map(({ name }) => name)).toEqual([])
})

describe('one bit that turned', () => {
  test.each(KINDS.filter(({ isPassing, untold }) => !isPassing && !untold))(
    'in a file of the kind "$name" is told',
    async ({ pattern }) => {
      const random = createRandom(28)
      const paths = (await filesBelow(data)).filter((path) => pattern.test(path))
      expect(paths).not.toEqual([])
      for (const path of paths.slice(0, 2)) {
        const whole = await readFile(join(data, path))
        for (let i = 0; i < BITS_PER_FILE; i++) {
          const at = wholeBetween(random, 0, 8 * whole.length)
          const damaged = whole.length === 0 ? Buffer.from('\n') : Buffer.from(whole)
          damaged[at >> 3] ^= 1 << (at & 7)
          if (damaged.equals(whole)) damaged[0] ^= 1
          await writeFile(join(data, path), damaged)
          expect(await toldOf(data), `bit ${at} of ${path}`).not.toEqual([])
        }
        await writeFile(join(data, path), whole)
      }
      expect(await toldOf(data)).toEqual([])
    },
  )

  test('in the embedded queue stops nobody: it opens, or another is made in its place', async () => {
    const random = createRandom(29)
    const paths = (await filesBelow(data)).filter((path) => kindOf(path)?.name === 'queue')
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 40; i++) await turnBit(join(data, paths[wholeBetween(random, 0, paths.length - 1)]), random)
      const queue = await openQueue({ queueUrl: '', dataDir: data, onError: () => {} })
      await queue.close()
    }
  })
})

/** Actions that write files of each kind except those of the queue, under which `npm run test:chaos` fills the disk. */
const WRITERS: Record<string, (dataDir: string) => Promise<unknown>> = {
  instance: (dataDir) => instanceId(dataDir),
  'format of the data directory': markDataFormat,
  tokens: (dataDir) => openTokens(dataDir).create({ role: 'read', studies: 'all', expiresAt: null, now: new Date() }),
  session: (dataDir) => openSessions(dataDir).begin('anna', new Date()),
  'sign-in code': (dataDir) => openSessions(dataDir).createCode('anna', new Date()),
  'a study again': async (dataDir) => importBundle({ ...importing(dataDir), directory: await anotherOf(0) }),
  'a study with more': async (dataDir) =>
    importBundle({ ...importing(dataDir), append: true, directory: await anotherOf(1) }),
  'a study with less': (dataDir) =>
    changeStudy({ ...importing(dataDir), studyId: wholeBundle().study.id }, null, removal(uuid('b', 2))),
  'a webhook': (dataDir) =>
    createWebhook(dataDir, { url: 'https://example.org/', name: '', events: ['job.failed'], now: new Date() }),
  'a job': (dataDir) => requestJob(openJobs(dataDir), planOf('b'.repeat(64)), asked()),
  'a finished file': finishJob,
}

async function anotherOf(n: number): Promise<string> {
  const bundle = wholeBundle()
  if (n === 0) {
    bundle.study.name = 'Other'
    return bundleOf('again', bundle)
  }
  const samples = bundle.samples.slice(0, 10).map((row) => ({ ...row, test_id: uuid('c', 9) }))
  return writeBundle(join(root, 'more'), { participants: [participant(9)], tests: [testRow(9, 9, 1)], samples })
}

async function finishJob(dataDir: string): Promise<unknown> {
  const jobs = openJobs(dataDir)
  const { id, attempt } = await requestJob(jobs, planOf('c'.repeat(64)), asked())
  const parts = newPartFiles(id, attempt)
  const blocks = (async function* () {
    for (let i = 0; i < 5; i++) yield { bytes: Buffer.alloc(10_000, i), gzip: Buffer.alloc(3000, i) }
    return { samplesDone: 1, samplesTotal: 1, rows: 1, bytes: 50_000 }
  })()
  const file = await writeFiles(
    blocks,
    { storage: jobs.storage, parts, targets: parts },
    { hasGzip: true, giveWay: async () => undefined },
  )
  return publishFile(jobs, { id, attempt }, parts, { ...succeeded, file })
}

describe('a disk that is full', () => {
  let disk: string
  let unmount: (() => Promise<void>) | null = null
  beforeAll(async () => {
    disk = join(root, 'disk')
    await mkdir(disk)
    unmount = await mountSmallDisk(disk, 64)
  })
  afterAll(async () => unmount?.())

  // In pages, which are what a disk in memory gives: the first, the second ... file finds no room.
  test.each(Object.keys(WRITERS))('while %s is written changes nothing else, and leaves nothing half', async (what) => {
    if (unmount === null) return
    let wasFull = 0
    for (const pages of [0, 1, 3, 8]) {
      const dataDir = join(disk, 'data')
      await rm(dataDir, { recursive: true, force: true })
      for (const part of ['tokens.json', 'sessions', 'studies'])
        await cp(join(data, part), join(dataDir, part), { recursive: true })
      const before = await filesBelow(dataDir)
      await fillDisk(disk, 4096 * pages)
      const error = await WRITERS[what](dataDir).then(
        () => null,
        (reason) => reason,
      )
      await emptyDisk(disk)
      if (error !== null) {
        expect(error.code === 'disk_full' || isDiskFull(error), String(error.stack)).toBe(true)
        wasFull++
      }
      const after = await filesBelow(dataDir)
      if (error !== null) expect(before.filter((path) => !after.includes(path))).toEqual([])
      expect(after.filter((path) => kindOf(path)?.isPassing)).toEqual([])
      expect(await toldOf(dataDir), `${pages} pages`).toEqual([])
      if (error === null) break
    }
    // An empty file needs a page on no disk but a real one.
    if (!/session|code/.test(what)) expect(wasFull).toBeGreaterThan(0)
  })
})
