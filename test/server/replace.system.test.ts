import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ImportView } from '../../server/schemas/import.ts'
import { mappingOf } from '../engine/recordings/mapping.ts'
import { openContract } from './contract.ts'
import { openTestServer, type TestServer } from './test-server.ts'
import { begin, imported, upload } from './uploads.ts'

/** A study was imported with a wrong choice: the files are still there, and replace it. */
const contract = openContract()
let service: TestServer
let file: string
let study: string
let first: ImportView
beforeAll(async () => {
  service = await openTestServer({ UPLOADS_PER_TOKEN: '2' }, { hasWorker: true })
  file = await upload(service, service.write, 'gaze.csv', Buffer.from(table(['Ada', 'Bo'])))
  first = await imported(service, service.write, { uploads: [file], mapping: MAPPING, ...screen(100), name: 'Shelf' })
  study = first.report!.study.id
}, 60_000)
afterAll(() => service.close())

/** A second of gaze of each, at rest but for one move over 50 px. */
const table = (names: string[]) =>
  `who,what,t,x,y\n${names.flatMap((who) => Array.from({ length: 60 }, (_, i) => `${who},a,${i * 16},${i < 30 ? 5 : 55},40`)).join('\n')}\n`
const MAPPING = mappingOf({ time: { column: 't', unit: 'ms', origin: 'item' } })
const screen = (px: number) => ({ screen: { widthPx: px, heightPx: px } })
const details = async () => (await service.get(`/api2/studies/${study}`)).json()
const send = async (method: string, path: string, body: unknown) => {
  const headers = { 'x-auth-token': service.write, 'content-type': 'application/json', 'if-match': '*' }
  const answer = await fetch(`${service.url}/api2/studies/${study}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  return answer.status
}
const again = (more: object) => imported(service, service.write, { uploads: [file], mapping: MAPPING, ...more }, study)
const fixationsOf = async () =>
  (await (await service.get(`/api2/studies/${study}/collected-data/eye-tracking/fixations`)).text()).trim().split('\n')
    .length - 1

test('a check of files that would replace a study counts what changes, and changes nothing', async () => {
  const before = await details()
  const fixations = await fixationsOf()
  const check = await again({ ...screen(100_000), replace: true, dryRun: true })
  const told = await service.get(`/api2/imports/${check.id}`, { 'x-auth-token': service.write })
  const [headers, body] = [Object.fromEntries(told.headers), Buffer.from(await told.arrayBuffer())]
  contract.check('GET', '/imports/{importId}', { status: told.status, headers, body })
  const counts = { participants: 2, items: 1, tests: 2, samples: 120 }
  expect(check.report).toMatchObject({ published: false, change: { before: { ...counts, fixations } } })
  expect(check.report!.change!.after).toMatchObject(counts)
  expect(await details()).toEqual(before)
  // It becomes what the check has said, and comes back.
  await again({ ...screen(100_000), replace: true })
  const after = await fixationsOf()
  expect(after).not.toBe(fixations)
  expect(check.report!.change!.after.fixations).toBe(after)
  expect(await send('POST', '/undo', undefined)).toBe(200)
  expect(await fixationsOf()).toBe(fixations)
})

test('recordings replace a study, which keeps its name, AOIs and pictures, and its history tells', async () => {
  const [item] = (await details()).items
  const points = [
    { x: 0, y: 0 },
    { x: 1, y: 0 },
    { x: 0, y: 1 },
  ]
  const aoi = { id: '9a0c4f89-41d3-4e0c-8c33-0305e82c3301', name: 'Corner', parts: [{ areaPoints: { points } }] }
  expect(await send('PUT', `/items/${item.id}/aois`, [aoi])).toBe(200)
  expect(await send('PATCH', '', { name: 'Named', items: [{ id: item.id, filename: 'shelf' }] })).toBe(200)
  const done = await again({ ...screen(200), replace: true })
  expect(done).toMatchObject({ state: 'succeeded', append: false, report: { published: true, study: { id: study } } })
  expect(await details()).toMatchObject({
    name: 'Named',
    snapshot: done.report!.snapshot,
    items: [{ id: item.id, filename: 'shelf' }],
    aois: [{ ...aoi, itemId: item.id }],
  })
  const history = await (await service.get(`/api2/studies/${study}/history`)).json()
  expect(history).toMatchObject({ undoable: { did: 'bundle imported' } })
  expect(history.entries[0].did).toBe('bundle imported')
  expect(await send('POST', '/undo', undefined)).toBe(200)
  expect(await send('POST', '/undo', undefined)).toBe(200)
  expect(await details()).toMatchObject({ name: 'Named', items: [{ filename: 'shelf' }] })
})

test('without being told so it is not replaced, nor by who may not write, nor where it has changed', async () => {
  const more = await upload(service, service.write, 'gaze.csv', Buffer.from(table(['Cy'])))
  const refused = await imported(service, service.write, {
    uploads: [more],
    mapping: MAPPING,
    ...screen(100),
    studyId: study,
  })
  expect(refused.error).toMatchObject({ status: 409 })
  expect(refused.error!.detail).toContain('add the files to it, or replace it')
  const ask = (token: string, tag: string) =>
    fetch(`${service.url}/api2/studies/${study}/imports`, {
      method: 'POST',
      headers: { 'x-auth-token': token, 'content-type': 'application/json', 'if-match': tag },
      body: JSON.stringify({ uploads: [more], replace: true }),
    })
  expect((await ask(service.read, '*')).status).toBe(403)
  expect((await ask(service.write, `"${'0'.repeat(64)}"`)).status).toBe(412)
})

test('imported files make room for new ones, and go with a removed participant', async () => {
  const uploads = async () =>
    (await (await fetch(`${service.url}/api2/uploads`, { headers: { 'x-auth-token': service.write } })).json()) as {
      uploads: { id: string; isImported: boolean }[]
    }
  expect((await uploads()).uploads.map(({ isImported }) => isImported)).toEqual([true, false])
  expect((await begin(service, service.write, 'other.csv', 5)).status).toBe(201)
  expect((await uploads()).uploads.map(({ id }) => id)).not.toContain(file)
  expect((await begin(service, service.write, 'third.csv', 5)).status).toBe(429)
  const [, waiting] = (await uploads()).uploads
  await service.get(
    `/api2/uploads/${waiting.id}`,
    { 'x-auth-token': service.write, 'tus-resumable': '1.0.0' },
    'DELETE',
  )
  const [{ id: more }] = (await uploads()).uploads
  expect((await imported(service, service.write, { uploads: [more], mapping: MAPPING }, study)).state).toBe('succeeded')
  expect(await readdir(join(service.dataDir, 'uploads'))).toContain(more)
  const { participants } = (await (await service.get(`/api2/studies/${study}/participants`)).json()) as {
    participants: { id: string; externalId: string }[]
  }
  const cy = participants.find(({ externalId }) => externalId === 'Cy')!
  expect(await send('DELETE', `/participants/${cy.id}`, undefined)).toBe(204)
  expect(await readdir(join(service.dataDir, 'uploads'))).not.toContain(more)
})
