import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { readArrival } from '../../engine/live/arrivals/read-arrival.ts'
import { openLiveStudies } from '../../engine/live/live-studies.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { inlinePool } from '../../engine/run/inline-pool.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { creation } from '../../engine/study/changes/creation.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { credentialsOf, urlOf } from '../engine/storage/credentials.ts'
import { type S3Server, startS3 } from '../engine/storage/s3-server.mjs'
import { idOf, participantOf } from '../server/participants.ts'
import { BACK_ENDS, type BackEnd } from '../worker/back-ends.ts'
import { importStudy, STUDY } from '../worker/study.ts'
import { type Ended, gazette, launch, type Running } from './gazette.ts'

const redis = BACK_ENDS.find(({ name }) => name === 'redis')!
const DEMO = ['--participants', '8', '--items', '2', '--seconds', '4']
const NAMES = EXPORTS.map(({ name }) => name)
let dir: string
let s3: S3Server
let queue: BackEnd
let running: Running[] = []
let url: string
let token: string
/** Snapshots on this machine, of the demo and of a study that grew and has three sample files. */
let demo: Snapshot
let grown: Snapshot
/** Snapshot with two sample files, whose parts are long enough to be copied within the store. */
let large: Snapshot

const at = (name: string) => join(dir, name)
const PLAIN = { 'accept-encoding': 'identity' }
const bytesOf = async (answer: Promise<Response>) => Buffer.from(await (await answer).arrayBuffer())
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url + path, { method, headers: { 'x-auth-token': token, ...headers } })
const jobOf = async (id: string) => (await (await get(`/api2/jobs/${id}`)).json()) as JobView
const ended = (id: string) =>
  until(async () => {
    // Busy for a while, it says so.
    const res = await get(`/api2/jobs/${id}`)
    const job = (await res.json()) as JobView
    return res.ok && job.finishedAt !== null && job
  })
const keysOf = (id: string) => [...s3.objects.keys()].filter((key) => key.includes(`/exports/${id}/`))

/** Makes a study of three participants who came one after the other, each with a file of samples of their own. */
async function grow(dataDir: string): Promise<string> {
  const sizes = { widthPx: 1000, heightPx: 800, stimuliDurationMs: 2000 }
  const item = { id: idOf('item'), filename: '0.png', cdnUrl: '', type: 'images', ...sizes }
  const description = { isServiceBasicSurveyEnabled: false, steps: [], items: [item], aois: [] }
  const study = { id: idOf('grown'), name: 'Grown', ...description }
  await changeStudy({ dataDir, studyId: study.id, threads: 1, memoryMib: 256 }, null, creation(study))
  const live = openLiveStudies({ dataDir, jobs: openJobs(dataDir), memoryMib: 256 })
  for (let i = 0; i < 3; i++) {
    const body = Buffer.from(JSON.stringify(participantOf(i, [item.id], 800)))
    await live.add(study.id, readArrival(body, 'json'), { tokenId: 'someone', key: null })
  }
  await live.close()
  return study.id
}

/** Timeout for a busy machine. */
const PATIENT = { timeout: 150_000, interval: 50 }
/** Waits until `check` gives something. */
const until = <T>(check: () => Promise<T | false>): Promise<T> =>
  vi.waitFor(async () => {
    const found = await check()
    if (found === false) throw new Error('waited in vain')
    return found
  }, PATIENT)

/** Asks for an export as a job, again while the queue is away. */
async function ask(name: string, { study }: Snapshot, query = ''): Promise<string> {
  const { path, variant } = EXPORTS.find((each) => each.name === name)!
  const asked = `/api2/studies/${study.id}/collected-data/${path}?${variant ? `variant=${variant}&` : ''}${query}`
  const res = await until(async () => {
    const answer = await get(asked, { prefer: 'respond-async' })
    return answer.status !== 503 && answer
  })
  // The queue may have taken it though its answer came too late, and the job be done by now.
  if (res.status === 200) return `x${res.headers.get('etag')!.slice(1, 65)}`
  expect(res.status).toBe(202)
  return ((await res.json()) as JobView).id
}

async function hashHere(exportName: (typeof NAMES)[number], snapshot: Snapshot): Promise<string> {
  const plan = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true })
  const hash = createHash('sha256')
  const signal = new AbortController().signal
  for await (const { bytes } of runExport({ plan, snapshot, pool: inlinePool(), signal, gzip: false }))
    hash.update(bytes)
  return hash.digest('hex')
}

describe.skipIf(redis.missing)(
  'a server and two workers that share nothing but Redis and a bucket',
  { timeout: 200_000 },
  () => {
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'gazette-bucket-'))
      s3 = await startS3({ pageSize: 50 })
      queue = await redis.start()
      expect((await gazette(['demo', ...DEMO, '--data', at('files')])).code).toBe(0)
      const studies = openStudies(at('files'))
      demo = (await studies.current((await studies.studyIds())[0]))!
      grown = (await studies.current(await grow(at('files'))))!
      await importStudy(at('files'), 2, 70_000)
      large = (await studies.current(STUDY))!
      const settings = {
        ...credentialsOf(s3.credentials),
        STORE_URL: urlOf(s3),
        STORE_PRESIGN_SECONDS: '60',
        QUEUE_URL: queue.url,
        PORT: '0',
        ENGINE_THREADS: '1',
        SPLIT_SAMPLES: '2000',
        LOG_LEVEL: 'info',
      }
      const [copied, made] = await Promise.all([
        gazette(['copy', '--to', urlOf(s3), '--data', at('files')], credentialsOf(s3.credentials)),
        gazette(['token', 'create', '--name', 'me', '--role', 'ops', '--data', at('server')], settings),
      ])
      expect([copied.code, made.code]).toEqual([0, 0])
      token = /[0-9a-f-]{36}/.exec(made.stdout)![0]
      const server = launch(['serve', '--data', at('server')], settings)
      running = [server, ...['one', 'two'].map((name) => launch(['work', '--data', at(name)], settings))]
      url = (await server.said(/listening on (\S+)/))[1]
      await Promise.all(running.slice(1).map(({ said }) => said(/waiting for jobs/)))
    })

    /** Returns the logs of processes that have ended. */
    const stop = async (): Promise<Ended[]> => {
      for (const { process } of running) process.kill('SIGTERM')
      return Promise.all(running.map((each) => each.ended))
    }
    afterAll(async () => {
      await stop()
      await queue?.stop()
      await s3?.stop()
      if (dir) await rm(dir, { recursive: true, force: true })
    })

    test('give every export with the bytes of one machine, and of a study with several files in parts', async () => {
      expect(grown.manifest.sampleFiles).toHaveLength(3)
      const whole = NAMES.map(async (name) => ({ name, of: demo, id: await ask(name, demo) }))
      const parted = (['gazes-split', 'quality-stats'] as const).map(async (name) => ({
        name,
        of: grown,
        id: await ask(name, grown),
      }))
      const copied = { name: 'gazes-split', of: large, id: await ask('gazes-split', large) } as const
      const jobs = await Promise.all([...whole, ...parted, copied])
      for (const { name, of, id } of jobs) {
        const { state, file } = await ended(id)
        expect([name, state, file?.sha256]).toEqual([name, 'succeeded', await hashHere(name, of)])
        expect(sha256(await bytesOf(get(`/api2/jobs/${id}/file`)))).toBe(file?.sha256)
      }
      // The files of the study that has grown may be merged by now; those of the large one are as they were.
      const markers = s3.asked.filter((line) => /^PutObject .*-of-\d\.json$/.test(line))
      expect(markers.length).toBeGreaterThanOrEqual(2)
      expect(s3.asked.filter((line) => /^UploadPartCopy .*\.csv$/.test(line)).length).toBeGreaterThanOrEqual(2)
      await until(async () => !keysOf(copied.id).some((key) => key.endsWith('.shards')))
      const listed = await (await get('/api2/jobs?limit=100')).text()
      const ids = (JSON.parse(listed) as { jobs: JobView[] }).jobs.map(({ id }) => id)
      expect(ids.sort()).toEqual(jobs.map(({ id }) => id).sort())
      expect(listed).not.toContain('X-Amz-Signature')
    })

    test('answer at once, give ranges and tags, and addresses at the store without a token', async () => {
      const small = await get(`/api2/studies/${demo.study.id}/collected-data/eye-tracking/fixations`)
      expect(small.status).toBe(200)
      const id = await ask('gazes-raw', grown)
      const { file } = await ended(id)
      const whole = await get(`/api2/jobs/${id}/file`, PLAIN)
      expect(whole.headers.get('repr-digest')).toBe(`sha-256=:${Buffer.from(file!.sha256, 'hex').toString('base64')}:`)
      const bytes = await bytesOf(Promise.resolve(whole))
      const part = await get(`/api2/jobs/${id}/file`, { range: 'bytes=1000-1999' })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${bytes.length}`])
      expect((await bytesOf(Promise.resolve(part))).equals(bytes.subarray(1000, 2000))).toBe(true)
      expect((await get(`/api2/jobs/${id}/file`, { 'if-none-match': whole.headers.get('etag')! })).status).toBe(304)
      const { href, gzipHref, expiresAt } = file!.direct!
      const direct = await fetch(href)
      expect(direct.headers.get('content-disposition')).toContain('gazes-raw.csv')
      expect(sha256(await bytesOf(Promise.resolve(direct)))).toBe(file!.sha256)
      expect(sha256(await bytesOf(fetch(gzipHref!)))).toBe(file!.gzipSha256)
      expect(`${href}${gzipHref}`).not.toContain(token)
      expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 60_000)
    })

    test('refuse no request for being asked of a bucket', async () => {
      const { id } = demo.study
      for (const line of ['POST /studies', 'POST /imports', 'POST /webhooks']) {
        const [method, path] = line.split(' ')
        expect([line, (await get(`/api2${path}`, {}, method)).status]).not.toEqual([line, 501])
      }
      expect((await get(`/api2/studies/${id}/history`)).status).toBe(200)
    })

    test('leave nothing of a job that is withdrawn', async () => {
      const id = await ask('gazes-split', grown, 'movingMedianRangeMs=120')
      expect((await get(`/api2/jobs/${id}`, {}, 'DELETE')).status).toBe(204)
      expect((await jobOf(id)).state).toBe('canceled')
      await until(
        async () => s3.openUploads() === 0 && keysOf(id).every((key) => /(plan|end)\.json$|\.tries$/.test(key)),
      )
    })

    test('survive a worker that is killed, and a store that is busy for a while', async () => {
      const ids = await Promise.all(
        ['gazes-raw', 'gazes-split', 'mouse'].map((name) => ask(name, grown, 'movingMedianRangeMs=130')),
      )
      await until(async () => ids.some((id) => keysOf(id).some((key) => key.endsWith('.tries'))))
      running[1].killNow()
      s3.faults.push({ kind: '503', times: 20 })
      for (const id of ids) expect((await ended(id)).state).toBe('succeeded')
      expect(s3.faults).toEqual([])
      expect(s3.openUploads()).toBeLessThanOrEqual(2)
      s3.faults.push({ kind: '500', on: 'GetObject', times: 1000 })
      const away = await get(`/api2/jobs/${ids[0]}`)
      s3.faults.length = 0
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await away.json()).toMatchObject({ type: '/docs/problems/store-away' })
      const told = (await stop()).map(({ stderr }) => stderr).join('')
      expect(told).toContain('job succeeded')
      expect(told).not.toMatch(/X-Amz-Signature/)
      expect(told).not.toContain(s3.credentials.secretAccessKey)
      expect(told).not.toContain(token)
    })
  },
)
