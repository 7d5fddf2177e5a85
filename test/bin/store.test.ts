import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { credentialsOf, urlOf } from '../engine/store/credentials.ts'
import { type S3Server, startS3 } from '../engine/store/s3-server.mjs'
import { until } from '../server/house.ts'
import { BACK_ENDS, type BackEnd } from '../worker/back-ends.ts'
import { gazette, launch, type Running } from './gazette.ts'

const redis = BACK_ENDS.find(({ name }) => name === 'redis')!
let dir: string
let s3: S3Server
let queue: BackEnd
let server: Running
let workers: Running[] = []
let url: string
let token: string
let studyId: string
let settings: Record<string, string>

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const at = (name: string) => join(dir, name)

describe.skipIf(redis.missing)('a server and two workers that share nothing but Redis and a bucket', () => {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gazette-bucket-'))
    s3 = await startS3({ pageSize: 20 })
    queue = await redis.start()
    const made = await gazette(['demo', '--participants', '12', '--items', '2', '--seconds', '8', '--hz', '120', '--data', at('files')])
    studyId = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(made.stdout)![0]
    const copied = await gazette(['copy', '--to', urlOf(s3), '--data', at('files')], credentialsOf(s3.credentials))
    expect(copied.code).toBe(0)
    settings = {
      ...credentialsOf(s3.credentials),
      STORE_URL: urlOf(s3),
      STORE_PRESIGN_SECONDS: '60',
      QUEUE_URL: queue.url,
      PORT: '0',
      ENGINE_THREADS: '1',
      SPLIT_SAMPLES: '4000',
      DISK_FLOOR_MIB: '0',
    }
    const tokens = await gazette(['token', 'create', '--name', 'me', '--role', 'ops', '--data', at('server')], settings)
    token = /gz[\w-]+|[\w-]{40,}/.exec(tokens.stdout)![0]
    server = launch(['serve', '--data', at('server')], settings)
    workers = ['one', 'two'].map((name) => launch(['work', '--data', at(name)], settings))
    url = (await server.said(/listening on (\S+)/))[1]
    await Promise.all(workers.map(({ said }) => said(/waiting for jobs/)))
  })
  afterAll(async () => {
    for (const each of [server, ...workers]) each?.process.kill('SIGTERM')
    const ended = await Promise.all([server, ...workers].map((each) => each?.ended))
    await queue?.stop()
    await s3?.stop()
    await rm(dir, { recursive: true, force: true })
    console.log(ended.map((e) => e?.stderr).join('\n======\n'))
  })

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url + path, { method, headers: { 'x-auth-token': token, ...headers } })

  test('answers', async () => {
    for (const { name, path } of EXPORTS) {
      const variant = { 'gazes-normalized': 'normalized', mouse: 'mouse' }[name as string]
      const res = await get(`/api2/studies/${studyId}/collected-data/${path}${variant ? `?variant=${variant}` : ''}`, { prefer: 'respond-async' })
      console.log(name, res.status, await res.clone().text().then((t) => t.slice(0, 300)))
      const job = (await res.json()) as { id: string }
      const done = await until(async () => {
        const j = await (await get(`/api2/jobs/${job.id}`)).json() as any
        return j.state !== 'queued' && j.state !== 'running' && j
      })
      console.log(done.state, JSON.stringify(done.file), JSON.stringify(done.error))
      const local = await gazette(['export', name, '--study', studyId, '--data', at('files')])
      expect(done.file.sha256).toBe(sha256(local.stdout))
      const file = await get(`/api2/jobs/${job.id}/file`)
      expect(sha256(new Uint8Array(await file.arrayBuffer()))).toBe(sha256(local.stdout))
    }
  }, 120000)
})
