import { expect, test } from 'vitest'
import { pictureSvg } from '../dashboard/two-sides.ts'
import { kept } from '../engine/kept.ts'
import { openContract } from './contract.ts'
import { ITEM, OTHER_STUDY, openTestServer, STUDY } from './test-server.ts'

const contract = openContract()
const service = kept(await openTestServer())

const path = `/studies/${STUDY}`

/** Sends a request and holds the answer to the document. */
async function ask(method: string, at: string, body?: object | string, headers: Record<string, string> = {}) {
  const isText = typeof body === 'string' || body === undefined
  const response = await fetch(`${service.url}/api2${at}`, {
    method,
    headers: { 'x-auth-token': service.write, 'content-type': 'application/json', ...headers },
    body: isText ? body : JSON.stringify(body),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const sent = Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-encoding'))
  const documented = at.replace(/\?.*/, '').replace(/^\/studies\/[^/]+/, '/studies/{studyId}')
  contract.check(method, documented.replace(/\/items\/[^/]+/, '/items/{itemId}'), {
    status: response.status,
    headers: sent,
    body: bytes,
  })
  return { status: response.status, headers: response.headers, body: JSON.parse(bytes.toString() || 'null') }
}
const tag = async () => ({ 'if-match': (await ask('GET', path)).headers.get('etag')! })
const details = async () => (await ask('GET', path)).body
const history = async () => (await ask('GET', `${path}/history`)).body

test('a study and its items are renamed, which the history tells and undo takes back', async () => {
  const before = await details()
  const changes = { name: 'Renamed', items: [{ id: ITEM, filename: 'b.png' }] }
  const dry = await ask('PATCH', `${path}?dryRun=true`, changes, await tag())
  expect(dry.body).toMatchObject({ isDryRun: true, changedItemIds: [ITEM], affectedTestCount: 2 })
  expect((await ask('PATCH', path, changes)).status).toBe(428)
  expect((await ask('PATCH', path, changes, { 'if-match': `"${'0'.repeat(64)}"` })).status).toBe(412)
  expect((await ask('PATCH', path, changes, { ...(await tag()), 'x-auth-token': service.read })).status).toBe(403)
  const changed = await ask('PATCH', path, changes, await tag())
  expect(changed.status).toBe(200)
  expect(await details()).toMatchObject({ name: 'Renamed', items: [{ id: ITEM, filename: 'b.png' }] })
  const { entries, undoable } = await history()
  expect(entries[0]).toMatchObject({ did: 'study changed', snapshot: changed.body.snapshot })
  expect(entries[0].details).toEqual(
    expect.arrayContaining([expect.stringMatching(/^renamed from “.*” to “Renamed”$/)]),
  )
  expect(undoable).toMatchObject({ did: 'study changed' })
  expect((await ask('POST', `${path}/undo`)).status).toBe(428)
  expect((await ask('POST', `${path}/undo`, undefined, { 'if-match': '"x"' })).status).toBe(412)
  const undone = await ask('POST', `${path}/undo`, undefined, await tag())
  expect(undone.status).toBe(200)
  const after = await details()
  expect(after).toEqual({ ...before, snapshot: undone.body.snapshot, changedAt: after.changedAt })
  expect(Date.parse(after.changedAt)).toBeGreaterThan(Date.parse(before.changedAt))
  const [newest] = (await history()).entries
  expect(newest.did).toBe('change undone')
  expect(newest.details[0]).toMatch(/^renamed from “Renamed” to “/)
})

test('an item that tests show goes with them or not at all', async () => {
  const nothing = { items: [] }
  const refused = await ask('PATCH', path, nothing, await tag())
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body)).toContain('must hold every item that tests show, and 2 show this one')
  const gone = await ask('PATCH', path, { ...nothing, removesTests: true }, await tag())
  expect(gone.body).toMatchObject({ affectedTestCount: 2, affectedParticipantCount: 2 })
  expect(await details()).toMatchObject({ itemCount: 0, testCount: 0, participantCount: 2, sampleCount: 0 })
  expect((await ask('POST', `${path}/undo`, undefined, { 'if-match': '*' })).status).toBe(200)
  expect(await details()).toMatchObject({ itemCount: 1, testCount: 2, sampleCount: 120 })
})

test('an unchanged study has nothing to undo', async () => {
  const other = `/studies/${OTHER_STUDY}`
  expect((await ask('GET', `${other}/history`)).body.undoable).toBeNull()
  const { status, body } = await ask('POST', `${other}/undo`, undefined, { 'if-match': '*' })
  expect(status).toBe(409)
  expect(body.detail).toContain('cannot be undone')
})

test('a picture names the item after its type where that is asked for', async () => {
  const image = `${path}/items/${ITEM}/image`
  const svg = pictureSvg(300, 300)
  const type = { 'content-type': 'image/svg+xml' }
  expect((await ask('PUT', image, svg, type)).body.detail).toContain('a picture of type image/svg+xml cannot be called')
  expect((await ask('PUT', `${image}?rename=true`, svg, type)).status).toBe(200)
  expect((await details()).items[0].filename).toBe('a.svg')
  expect(await (await service.get(`/api2${image}`)).text()).toBe(svg)
  const sized = await ask('PUT', `${image}?resize=true`, svg, type)
  expect(sized.body.detail).toBe('The item has a size: leave out resize.')
})

test('each kind of change is told in words that say what changed, of whom and by whom', async () => {
  const told = async () => {
    const [{ did, details, participantId, tokenName }] = (await history()).entries
    return { did, details, participantId, tokenName }
  }
  expect((await ask('PATCH', path, { isArchived: true }, await tag())).status).toBe(200)
  const { tokenName } = await told()
  expect(typeof tokenName).toBe('string')
  const seen = await ask('GET', `${path}/history`, undefined, { 'x-auth-token': service.read })
  expect(seen.body.entries[0]).toMatchObject({ details: ['archived'], tokenName: null })
  expect(await told()).toEqual({ did: 'study changed', details: ['archived'], tokenName })
  expect((await ask('PATCH', path, { isArchived: false, project: 'Pilots' }, await tag())).status).toBe(200)
  expect((await told()).details).toEqual(['restored from the archive', 'put into project “Pilots”'])
  const id = '2a000000-0000-4000-8000-000000000001'
  const person = `${path}/participants/${id}`
  const response = await fetch(`${service.url}/api2${person}`, {
    method: 'PATCH',
    headers: { 'x-auth-token': service.write, 'content-type': 'application/json', ...(await tag()) },
    body: JSON.stringify({ age: 77, notes: 'Came late.' }),
  })
  expect(response.status).toBe(200)
  const changed = await told()
  expect(changed).toEqual({ did: 'participant changed', details: ['age', 'notes'], participantId: id, tokenName })
  expect(JSON.stringify(changed)).not.toMatch(/77|late/)
})
