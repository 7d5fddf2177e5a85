import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createRandom } from '../../demo/random.ts'
import { publishFile } from '../../engine/jobs/end-job.ts'
import { newPartFiles } from '../../engine/jobs/record/job-paths.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { createLog } from '../../server/http/log.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { writeFiles } from '../../worker/exports/write-files.ts'
import { startSweep } from '../../worker/sweep.ts'
import { gazette } from '../bin/gazette.ts'
import { kept } from '../engine/kept.ts'
import { OTHER_STUDY, openTestServer, STUDY, type TestServer, until } from './test-server.ts'

/** A test server where everything goes to the queue, with a worker; and one where nobody works. */
const busy = kept(await openTestServer({ SYNC_MAX_SAMPLES: '0', SYNC_MAX_BYTES: '0' }, { hasWorker: true }))
const idle = kept(await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' }))

const fixations = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
/** Each test its own plans. */
let median = 20
const newPath = () => `${fixations}?movingMedianRangeMs=${median++}`

type Got = { status: number; body: Buffer; isWhole: boolean }

/** Data that a client has when an answer has ended or broken off. */
function get(service: TestServer, path: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const all = { 'x-auth-token': service.read, 'accept-encoding': 'identity', ...headers }
    const req = request(service.url + path, { headers: all, agent: false }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece) => pieces.push(piece))
      response.on('error', () => undefined)
      response.on('close', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces), isWhole: response.complete }),
      )
    })
    req.on('error', reject)
    req.end()
  })
}

const jobOf = async (service: TestServer, id: string) =>
  (await (await service.get(`/api2/jobs/${id}`)).json()) as JobView
const directoryOf = (service: TestServer, id: string) => join(service.dataDir, 'exports', id)

async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] ^= 1 << (at % 8)
  await writeFile(path, bytes)
}

/** Asks for a file, and returns its job and its bytes, plain, once it is there. */
async function finished(service: TestServer, path: string): Promise<{ id: string; csv: Buffer }> {
  const { id } = (await (await service.get(path, { prefer: 'respond-async' })).json()) as JobView
  await until(async () => (await jobOf(service, id)).state === 'succeeded')
  return { id, csv: (await get(service, path)).body }
}

/** A finished job with a file of so many bytes, none like the one before. */
async function published(service: TestServer, path: string, bytes: number): Promise<{ id: string; csv: Buffer }> {
  const { id } = (await (await service.get(path, { prefer: 'respond-async' })).json()) as JobView
  const csv = Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 31 + (i >> 8) * 7 + (i >> 16)) & 0xff))
  const { jobs } = service.parts
  const parts = newPartFiles(id, 1)
  const blocks = (async function* () {
    yield { bytes: csv.subarray(0, bytes >> 1), gzip: csv.subarray(0, 1) }
    yield { bytes: csv.subarray(bytes >> 1), gzip: csv.subarray(1) }
    return { samplesDone: 1, samplesTotal: 1, rows: 1, bytes }
  })()
  const file = await writeFiles(
    blocks,
    { storage: jobs.storage, parts, targets: parts },
    { hasGzip: true, giveWay: async () => undefined },
  )
  const now = new Date()
  const times = { startedAt: now.toISOString(), finishedAt: now.toISOString() }
  const end = { ...times, expiresAt: new Date(now.getTime() + 3_600_000).toISOString(), file, error: null }
  await publishFile(jobs, { id, attempt: 1 }, parts, { state: 'succeeded', ...end })
  return { id, csv }
}

test.each(['plain', 'gzip'] as const)(
  'a bit that turned anywhere in a finished file (%s) is never sent as right, and the file is computed anew',
  async (kind) => {
    const random = createRandom(7, kind.length)
    for (let round = 0; round < 8; round++) {
      const path = newPath()
      const { id, csv } = await finished(busy, path)
      const file = join(directoryOf(busy, id), kind === 'plain' ? '1.csv' : '1.csv.gz')
      await flip(file, Math.floor(random.uniform() * (await readFile(file)).length))
      const asked = { 'accept-encoding': kind === 'gzip' ? 'gzip' : 'identity' }
      const seen = await get(busy, `/api2/jobs/${id}/file`, asked)
      expect(seen.status).toBe(410)
      const anew = await get(busy, path, asked)
      expect(anew.status).toBe(200)
      expect((kind === 'gzip' ? gunzipSync(anew.body) : anew.body).equals(csv)).toBe(true)
    }
  },
)

test('the export path computes a small file anew in the very request that finds it damaged', async () => {
  const path = newPath()
  const { id, csv } = await finished(busy, path)
  await flip(join(directoryOf(busy, id), '1.csv'), 50)
  const seen = await get(busy, path)
  expect([seen.status, seen.isWhole]).toEqual([200, true])
  expect(seen.body.equals(csv)).toBe(true)
})

const MIB = 2 ** 20

test('a large file breaks off before its damaged block, and its job says why; asked for again it is begun anew', async () => {
  const path = newPath()
  const { id, csv } = await published(idle, path, 3 * MIB + 1000)
  await flip(join(directoryOf(idle, id), '1.csv'), 2 * MIB + 77)
  const seen = await get(idle, path)
  expect([seen.status, seen.isWhole]).toEqual([200, false])
  expect(seen.body.length).toBeLessThanOrEqual(2 * MIB)
  expect(seen.body.equals(csv.subarray(0, seen.body.length))).toBe(true)
  expect(await jobOf(idle, id)).toMatchObject({ state: 'expired', file: null, error: { status: 500 } })
  expect((await get(idle, `/api2/jobs/${id}/file`)).status).toBe(410)
  expect((await get(idle, path)).status).toBe(202)
  expect(await jobOf(idle, id)).toMatchObject({ state: 'queued', error: null })
})

test('ranges are proved too: right ones before the damaged block, none out of it', async () => {
  const { id, csv } = await published(idle, newPath(), 3 * MIB)
  await flip(join(directoryOf(idle, id), '1.csv'), 3 * MIB - 400_000)
  const file = `/api2/jobs/${id}/file`
  const before = await get(idle, file, { range: `bytes=${MIB - 3}-${2 * MIB - 1}` })
  expect([before.status, before.isWhole]).toEqual([206, true])
  expect(before.body.equals(csv.subarray(MIB - 3, 2 * MIB))).toBe(true)
  expect((await get(idle, file, { range: `bytes=${3 * MIB - 10}-` })).status).toBe(410)
})

test('a file that is shorter or longer than it was is damage as well', async () => {
  for (const change of [-1, 1]) {
    const { id, csv } = await published(idle, newPath(), 2 * MIB)
    const file = join(directoryOf(idle, id), '1.csv')
    await writeFile(file, change < 0 ? csv.subarray(0, -1) : Buffer.concat([csv, csv.subarray(0, 1)]))
    expect((await get(idle, `/api2/jobs/${id}/file`)).status).toBe(410)
    expect(await jobOf(idle, id)).toMatchObject({ state: 'expired', error: { type: '/docs/problems/damaged-data' } })
  }
})

test('a bit that turned in a waiting plan gives nobody the file of another plan', async () => {
  const own = await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' })
  try {
    const path = newPath()
    const { id } = (await (await own.get(path)).json()) as JobView
    const plan = join(directoryOf(own, id), 'plan.json')
    const text = await readFile(plan, 'utf8')
    const set = `"movingMedianRangeMs": ${median - 1}`
    expect(text.split(set)).toHaveLength(3)
    await writeFile(plan, text.replaceAll(set, set.replace(/.$/, '9')))
    expect((await own.get(`/api2/jobs/${id}`)).status).toBe(404)
    expect(await (await own.get(path)).json()).toMatchObject({ id, state: 'queued' })
    expect(await own.parts.jobs.read(id)).toMatchObject({ attempt: 2, end: null })
  } finally {
    await own.close()
  }
})

test('one damaged job costs the others nothing, and is named in the log and to operators', async () => {
  const own = await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' })
  const { queue } = own.parts
  const sweep = startSweep(own.parts)
  try {
    const paths = [newPath(), newPath(), newPath()]
    const ids: string[] = []
    for (const path of paths) ids.push(((await (await own.get(path)).json()) as JobView).id)
    await own.get(`/api2/jobs/${ids[1]}`, {}, 'DELETE')
    await writeFile(join(directoryOf(own, ids[0]), 'plan.json'), '{"plan')
    await writeFile(join(directoryOf(own, ids[1]), '1.end.json'), 'null')
    // The queue has lost what it was given.
    await queue.bull.obliterate({ force: true })
    // A pass that was on its way already may have looked before.
    await until(async () => {
      await sweep.pass()
      return (await queue.state(ids[2], 1)) === 'waiting'
    })
    const listed = (await (await own.get('/api2/jobs')).json()) as { jobs: JobView[] }
    expect(listed.jobs.map(({ id, state }) => [id, state])).toEqual([
      [ids[2], 'queued'],
      [ids[1], 'expired'],
    ])
    expect((await own.get(newPath())).status).toBe(202)
    const basic = { authorization: `Basic ${btoa(`anyone:${own.ops}`)}` }
    const health = (await (await fetch(`${own.url}/ops/health`, { headers: basic })).json()) as {
      damagedJobs: { id: string; damage: string }[]
    }
    expect(health.damagedJobs.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))).toEqual([
      { id: ids[0], damage: 'plan.json is not what was written' },
      { id: ids[1], damage: '1.end.json is not what was written' },
    ])
    for (const id of ids.slice(0, 2))
      expect(own.logged.filter((line) => line.includes(id) && line.includes('damage'))).toHaveLength(1)
    for (const path of paths.slice(0, 2)) expect((await own.get(path)).status).toBe(202)
    expect(await (await fetch(`${own.url}/ops/health`, { headers: basic })).json()).toMatchObject({ damagedJobs: [] })
  } finally {
    await sweep.close()
    await own.close()
  }
})

test('a damaged study is named, and stops no list, no start and no tidying of the others', async () => {
  const own = await openTestServer()
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) }, [])
  try {
    const studyOf = (id: string) => join(own.dataDir, 'studies', id)
    const old = join(studyOf(OTHER_STUDY), 'f'.repeat(64))
    await mkdir(old)
    await writeFile(join(old, 'manifest.json'), '')
    for (const path of [join(old, 'manifest.json'), join(studyOf(OTHER_STUDY), 'current')])
      await utimes(path, new Date(0), new Date(0))
    for (const spoil of [
      () => writeFile(join(studyOf(STUDY), 'current'), 'nothing'),
      async () => writeFile(join(studyOf(STUDY), 'current'), `${'e'.repeat(64)}\n`),
    ]) {
      await spoil()
      expect(await openStudies(own.dataDir).studyIds()).toEqual([STUDY, OTHER_STUDY])
      expect(await (await own.get('/api2/studies')).json()).toMatchObject({
        studies: [{ id: OTHER_STUDY }],
        damaged: [STUDY],
      })
      expect(await (await own.get('/api2/studies-all/drop-rate')).json()).toMatchObject({ damaged: [STUDY] })
      expect((await own.get(`/api2/studies/${STUDY}`)).status).toBe(500)
      expect((await own.get(`/api2/studies/${OTHER_STUDY}`)).status).toBe(200)
    }
    await writeFile(join(studyOf(STUDY), 'current'), 'nothing')
    const sweep = startSweep({ ...own.parts, log })
    await sweep.pass()
    await sweep.close()
    expect(await readdir(studyOf(OTHER_STUDY))).not.toContain('f'.repeat(64))
    expect(logged.filter((line) => line.includes(STUDY))).toHaveLength(1)
    const { code, stdout } = await gazette(['studies', '--data', own.dataDir])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${STUDY}  cannot be read: `)])
    expect(stdout).toContain(`${OTHER_STUDY}  `)
  } finally {
    await own.close()
  }
})

test('everything of a damaged job that is asked for anew is as if nothing had been', async () => {
  const path = newPath()
  const { id, csv } = await finished(busy, path)
  for (const name of ['plan.json', '1.end.json']) {
    const attempt = name === 'plan.json' ? 1 : 2
    await writeFile(join(directoryOf(busy, id), name.replace('1', String(attempt))), '{}')
    expect((await get(busy, path)).body.equals(csv)).toBe(true)
    expect(await jobOf(busy, id)).toMatchObject({ state: 'succeeded', error: null })
    expect(await readdir(directoryOf(busy, id))).toContain(`${attempt + 1}.csv`)
  }
})
