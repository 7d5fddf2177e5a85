import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { type ObjectStore, readObject } from '../../engine/storage/objects/object-store.ts'
import { openObjects } from '../../engine/storage/objects/open-objects.ts'
import { startCompaction } from '../../worker/compaction.ts'
import type { Passes } from '../../worker/passes.ts'
import { startSweep } from '../../worker/sweep.ts'
import { startDeliveries } from '../../worker/webhooks/deliver.ts'
import { placeInCeph } from '../engine/storage/ceph.ts'
import { giveCredentials, urlOf } from '../engine/storage/credentials.ts'
import { type S3Server, startS3 } from '../engine/storage/s3-server.mjs'
import { zipOf } from '../engine/uploads/archives.ts'
import { type Receiving, receive } from '../worker/webhooks/receiving.ts'
import { participantOf } from './participants.ts'
import { openTestServer, type TestServer, until } from './test-server.ts'
import { imported, upload } from './uploads.ts'

/**
 * A server on a bucket, and one on a directory, which are asked the same: whatever changes a study there changes it
 * here, and makes the same bytes. The bucket is Ceph's where there is one.
 */
let small: S3Server | null = null
let takeCredentials: (() => void) | null = null
let store: ObjectStore
let inBucket: TestServer
let inDirectory: TestServer
let scratch: string
let archive: Buffer
let studyId: string
let receiving: Receiving
const background: Passes[] = []

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'gazette-in-bucket-'))
  const storeUrl = placeInCeph() ?? (await startSmall())
  store = await openObjects(storeUrl)
  const settings = { WEBHOOK_NETWORKS: '127.0.0.0/8' }
  inBucket = await openTestServer({ ...settings, STORE_URL: storeUrl }, { hasWorker: true })
  inDirectory = await openTestServer(settings, { hasWorker: true })
  const demo = join(scratch, 'demo')
  await writeDemoBundle({ directory: demo, participants: 3, items: 2, seconds: 1, hz: 30, seed: 1, memoryMib: 128 })
  const entries = await readdir(demo, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  archive = zipOf(
    await Promise.all(paths.map(async (path) => ({ name: path.slice(demo.length + 1), bytes: await readFile(path) }))),
  )
  studyId = JSON.parse(await readFile(join(demo, 'study.json'), 'utf8')).id
  receiving = await receive(() => 200)
  background.push(startDeliveries({ ...inBucket.parts, lookEveryMs: 50 }), startSweep(inBucket.parts))
  background.push(startCompaction(inBucket.parts))
})
afterAll(async () => {
  for (const each of background) await each.close()
  await receiving?.close()
  await inBucket?.close()
  await inDirectory?.close()
  store?.close()
  await small?.stop()
  await rm(scratch, { recursive: true, force: true })
  takeCredentials?.()
})

async function startSmall(): Promise<string> {
  small = await startS3({ pageSize: 50 })
  takeCredentials = giveCredentials(small)
  return urlOf(small)
}

const EXPORTS = [
  'eye-tracking/fixations',
  'eye-tracking/gazes/raw',
  'eye-tracking/gazes-aois',
  'eye-tracking/aois-all/overall-stats',
  'eye-tracking/participants-wide',
  'eye-tracking/quality-stats',
]

/** The status and SHA-256 of some exports. */
async function exportsOf(service: TestServer): Promise<string[]> {
  return Promise.all(
    EXPORTS.map(async (path) => {
      const answer = await service.get(`/api2/studies/${studyId}/collected-data/${path}`)
      expect([path, answer.status]).toEqual([path, 200])
      return `${path} ${createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex')}`
    }),
  )
}

async function ask(
  service: TestServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(`${service.url}/api2${path}`, {
    method,
    headers: { 'x-auth-token': service.ops, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, told: text === '' ? {} : JSON.parse(text), etag: answer.headers.get('etag') ?? '' }
}

/** Asks both the same, and returns what both answer. */
async function both(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const here = await ask(inBucket, method, path, body, headers)
  const there = await ask(inDirectory, method, path, body, headers)
  expect(here.status).toBe(there.status)
  return { ...here, there: there.told }
}

async function areEqual(): Promise<void> {
  expect(await exportsOf(inBucket)).toEqual(await exportsOf(inDirectory))
}

const itemsOf = async () => (await ask(inBucket, 'GET', `/studies/${studyId}`)).told.items as { id: string }[]
async function keysIn(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list('')) keys.push(key)
  return keys
}
async function keysWith(text: string): Promise<string[]> {
  const found: string[] = []
  for (const key of await keysIn()) if ((await readObject(store, key))?.includes(text)) found.push(key)
  return found
}

test('a study is brought in by an upload, and its exports are those of a directory', async () => {
  for (const service of [inBucket, inDirectory]) {
    const id = await upload(service, service.write, 'demo.zip', archive)
    const view = await imported(service, service.write, { uploads: [id] })
    expect(view).toMatchObject({ state: 'succeeded', report: { study: { id: studyId }, published: true } })
    const left = await fetch(`${service.url}/api2/uploads`, { headers: { 'x-auth-token': service.write } })
    expect(await left.json()).toMatchObject({ uploads: [{ id, isImported: true }] })
  }
  await areEqual()
}, 60_000)

test('a webhook is notified of changes', async () => {
  const { status, told } = await ask(inBucket, 'POST', '/webhooks', { url: receiving.url })
  expect(status).toBe(201)
  receiving.secret.value = told.secret
  const { etag } = await ask(inBucket, 'GET', `/studies/${studyId}`)
  const done = await ask(inBucket, 'PUT', `/studies/${studyId}/about`, {}, { 'if-match': etag })
  expect([200, 400]).toContain(done.status)
})

test('AOIs are changed, a participant comes, changes and goes, and nothing of them is left', async () => {
  const [item] = await itemsOf()
  const etag = (await ask(inBucket, 'GET', `/studies/${studyId}`)).etag
  const points = [
    { x: 1, y: 1 },
    { x: 300, y: 2 },
    { x: 5, y: 400 },
  ]
  const aois = [{ id: '0e000000-0000-4000-8000-000000000002', name: 'New', parts: [{ areaPoints: { points } }] }]
  const aoisPath = `/studies/${studyId}/items/${item.id}/aois`
  expect((await both('PUT', aoisPath, aois, { 'if-match': etag })).status).toBe(200)
  // Whoever has not seen that is refused.
  expect((await both('PUT', aoisPath, aois, { 'if-match': etag })).status).toBe(412)
  await areEqual()
  const sent = participantOf(1, [item.id])
  const participant = sent.participant.participant_id as string
  expect((await both('POST', `/studies/${studyId}/participants`, sent, { 'idempotency-key': 'one' })).status).toBe(201)
  expect((await both('POST', `/studies/${studyId}/participants`, sent, { 'idempotency-key': 'one' })).status).toBe(201)
  await areEqual()
  expect((await both('PATCH', `/studies/${studyId}/participants/${participant}`, { age: 77 })).status).toBe(200)
  await areEqual()
  const analysis = { title: 'Without one', ignored: [{ participantId: participant, reason: 'late' }] }
  expect((await both('PUT', `/studies/${studyId}/analyses/mine`, analysis)).status).toBe(201)
  const decided = await both('GET', `/studies/${studyId}/analyses/mine`)
  expect(decided.told.version).toBe(decided.there.version)
  const path = `/api2/studies/${studyId}/collected-data/eye-tracking/fixations?analysis=mine`
  expect(await (await inBucket.get(path)).text()).toBe(await (await inDirectory.get(path)).text())
  expect((await keysWith(participant)).length).toBeGreaterThan(0)
  expect((await both('DELETE', `/studies/${studyId}/participants/${participant}`)).status).toBe(204)
  await areEqual()
  expect(await keysWith(participant)).toEqual([])
  const history = await both('GET', `/studies/${studyId}/history`)
  const did = (told: { entries: { did: string }[] }) => told.entries.map((entry) => entry.did)
  expect(did(history.told)).toEqual(did(history.there))
}, 60_000)

test('the newest change is undone', async () => {
  const [item] = await itemsOf()
  expect((await both('POST', `/studies/${studyId}/participants`, participantOf(2, [item.id]))).status).toBe(201)
  // Here, files may be merged meanwhile: each has its own tag.
  const change = async (method: string, path: string, body?: unknown) => {
    for (const service of [inBucket, inDirectory]) {
      const { etag } = await ask(service, 'GET', `/studies/${studyId}`)
      expect((await ask(service, method, `/studies/${studyId}${path}`, body, { 'if-match': etag })).status).toBe(200)
    }
  }
  const before = await exportsOf(inDirectory)
  await change('PUT', `/items/${item.id}/aois`, [])
  await areEqual()
  await change('POST', '/undo')
  await areEqual()
  expect(await exportsOf(inDirectory)).toEqual(before)
}, 60_000)

test('the webhook has been told of the newest snapshot', async () => {
  const { snapshot } = (await ask(inBucket, 'GET', `/studies/${studyId}`)).told
  await until(async () => receiving.came.some(({ body }) => body.data.snapshot === snapshot))
})

test('of a study that is removed, nothing is left but that it was', async () => {
  expect((await both('DELETE', `/studies/${studyId}`)).status).toBe(204)
  expect((await ask(inBucket, 'GET', `/studies/${studyId}`)).status).toBe(404)
  const isOfStudy = (key: string) => /^(files|snapshots|uploads|leases\/studies)\//.test(key)
  await until(async () => !(await keysIn()).some(isOfStudy))
  const id = await upload(inBucket, inBucket.write, 'demo.zip', archive)
  // And it may come again.
  expect((await imported(inBucket, inBucket.write, { uploads: [id] })).state).toBe('succeeded')
}, 60_000)
