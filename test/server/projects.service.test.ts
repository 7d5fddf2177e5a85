import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectEntry } from '../../engine/model/projects.ts'
import type { TokenRole } from '../../engine/model/token-roles.ts'
import type { ImportView } from '../../server/schemas/import.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { openContract } from './contract.ts'
import { OTHER_STUDY, openTestServer, STUDY, type TestServer } from './test-server.ts'
import { imported, upload } from './uploads.ts'

/** Two studies: STUDY in project “Pilots”, OTHER_STUDY in none. Tokens are for “Pilots” unless they say otherwise. */
let service: TestServer
let reader: string
let writer: string
const contract = openContract()
beforeAll(async () => {
  service = await openTestServer({}, { hasWorker: true })
  reader = await tokenFor('read', projectEntry('Pilots'))
  writer = await tokenFor('write', projectEntry('Pilots'))
  expect((await move(STUDY, 'Pilots', service.write)).status).toBe(200)
})
afterAll(() => service.close())

async function tokenFor(role: TokenRole, ...studies: string[]): Promise<string> {
  return (await service.parts.tokens.create({ role, studies, expiresAt: null, now: new Date() })).token
}

type Answer = { status: number; headers: Headers; body: { [key: string]: unknown } }

async function ask(
  token: string,
  method: string,
  path: string,
  body?: object,
  given: Record<string, string> = {},
): Promise<Answer> {
  const headers = { 'x-auth-token': token, ...(body ? { 'content-type': 'application/json' } : {}), ...given }
  const response = await fetch(`${service.url}/api2${path}`, { method, headers, body: body && JSON.stringify(body) })
  const bytes = Buffer.from(await response.arrayBuffer())
  const documented = path.replace(/\?.*/, '').replace(/\/studies\/[^/]+/, '/studies/{studyId}')
  if (/^\/(studies|search|imports)/.test(path))
    contract.check(method, documented, {
      status: response.status,
      headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-encoding')),
      body: bytes,
    })
  return {
    status: response.status,
    headers: response.headers,
    body: bytes.length === 0 ? {} : JSON.parse(bytes.toString()),
  }
}

const snapshotOf = async (id: string) => (await ask(service.read, 'GET', `/studies/${id}`)).body.snapshot as string
/** Changes a study by its newest version. */
const change = async (id: string, body: object, token: string) =>
  ask(token, 'PATCH', `/studies/${id}`, body, { 'if-match': `"${await snapshotOf(id)}"` })
const move = (id: string, project: string | null, token: string) => change(id, { project }, token)
const idsOf = ({ body }: Answer) => (body.studies as { id: string }[]).map(({ id }) => id)
const described = (more: object) => ({
  id: randomUUID(),
  name: 'Made',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  items: [],
  aois: [],
  ...more,
})

test('a study says its project, lists filter by it, and the history tells of moves', async () => {
  expect((await ask(service.read, 'GET', `/studies/${STUDY}`)).body.project).toBe('Pilots')
  expect((await ask(service.read, 'GET', `/studies/${OTHER_STUDY}`)).body).not.toHaveProperty('project')
  expect(idsOf(await ask(service.read, 'GET', '/studies?project=Pilots'))).toEqual([STUDY])
  expect(idsOf(await ask(service.read, 'GET', '/studies?project=pilots'))).toEqual([])
  expect(idsOf(await ask(service.read, 'GET', '/studies?limit=1'))).toEqual([STUDY])
  expect((await move(OTHER_STUDY, 'Main', service.write)).status).toBe(200)
  expect((await move(OTHER_STUDY, 'Second', service.write)).status).toBe(200)
  expect((await move(OTHER_STUDY, null, service.write)).status).toBe(200)
  const { entries } = (await ask(service.write, 'GET', `/studies/${OTHER_STUDY}/history`)).body
  expect((entries as { details?: string[] }[]).slice(0, 3).map(({ details }) => details)).toEqual([
    ['taken out of project “Second”'],
    ['moved from project “Main” to “Second”'],
    ['put into project “Main”'],
  ])
})

test('a name that is none is refused with its rule, and so is an outdated version', async () => {
  const refused = await move(STUDY, ' Pilots', service.write)
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    [{ parameter: 'project', rule: 'must be text of 1 to 200 characters, without space around it', value: ' Pilots' }],
  ])
  const outdated = { 'if-match': `"${'0'.repeat(64)}"` }
  expect((await ask(service.write, 'PATCH', `/studies/${STUDY}`, { project: 'Main' }, outdated)).status).toBe(412)
  expect((await ask(service.read, 'GET', '/studies?project=%20')).status).toBe(400)
})

test('a token of a project reads its studies, and others are as if they were not there', async () => {
  expect(idsOf(await ask(reader, 'GET', '/studies'))).toEqual([STUDY])
  expect((await ask(reader, 'GET', `/studies/${STUDY}`)).status).toBe(200)
  const rates = (await ask(reader, 'GET', '/studies-all/drop-rate')).body.studies as { study: { id: string } }[]
  expect(rates.map(({ study }) => study.id)).toEqual([STUDY])
  const found = (await ask(reader, 'GET', `/search?q=${encodeURIComponent('研究')}`)).body
  expect(found.studies).toEqual([])
  expect((await ask(reader, 'GET', `/search?q=a.png`)).body.items).toMatchObject([{ studyId: STUDY }])
  for (const path of ['', '/flow', '/history', '/links', '/collected-data/eye-tracking/fixations'])
    expect((await ask(reader, 'GET', `/studies/${OTHER_STUDY}${path}`)).status, path).toBe(404)
  expect((await ask(reader, 'GET', `/search?q=p1&studyId=${OTHER_STUDY}`)).status).toBe(404)
  for (const body of [{ name: 'x' }, { project: 'Pilots' }])
    expect((await ask(writer, 'PATCH', `/studies/${OTHER_STUDY}`, body, { 'if-match': '*' })).status).toBe(404)
  expect((await ask(writer, 'DELETE', `/studies/${OTHER_STUDY}`)).status).toBe(404)
})

test('jobs and their files follow the study into a project and out of it', async () => {
  const path = `/studies/${OTHER_STUDY}/collected-data/eye-tracking/fixations`
  const { body } = await ask(service.read, 'GET', path, undefined, { prefer: 'respond-async' })
  const { id } = body as unknown as JobView
  const seen = async () => {
    const statuses = await Promise.all(
      ['', '/events'].map((end) =>
        fetch(`${service.url}/api2/jobs/${id}${end}`, { headers: { 'x-auth-token': reader } }),
      ),
    )
    for (const { body } of statuses) await body?.cancel()
    const jobs = (await ask(reader, 'GET', '/jobs')).body.jobs as JobView[]
    return [...statuses.map(({ status }) => (status === 404 ? 404 : 'seen')), jobs.some((job) => job.id === id)]
  }
  expect(await seen()).toEqual([404, 404, false])
  await move(OTHER_STUDY, 'Pilots', service.write)
  expect(await seen()).toEqual(['seen', 'seen', true])
  expect(idsOf(await ask(reader, 'GET', '/studies'))).toEqual([STUDY, OTHER_STUDY])
  await move(OTHER_STUDY, null, service.write)
  expect(await seen()).toEqual([404, 404, false])
})

test('a move takes rights for both projects, also by a whole description and by undoing', async () => {
  const refused = await move(STUDY, 'Main', writer)
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    'Only a token for project Main, or for all studies, can put a study there or take it out.',
  ])
  const out = await move(STUDY, null, writer)
  expect(out.status).toBe(403)
  expect(out.body.detail).toMatch(/cannot put another study outside of them/)
  expect((await ask(service.read, 'GET', `/studies/${STUDY}`)).body.project).toBe('Pilots')
  const both = await tokenFor('write', projectEntry('Pilots'), projectEntry('Main'))
  expect((await move(STUDY, 'Main', both)).status).toBe(200)
  expect((await ask(writer, 'GET', `/studies/${STUDY}`)).status).toBe(404)
  // Who has only the other project can neither undo the move nor take the study with it.
  const main = await tokenFor('write', projectEntry('Main'))
  const tag = { 'if-match': `"${await snapshotOf(STUDY)}"` }
  expect((await ask(main, 'POST', `/studies/${STUDY}/undo`, undefined, tag)).status).toBe(403)
  expect((await move(STUDY, 'Pilots', main)).status).toBe(403)
  expect((await ask(both, 'POST', `/studies/${STUDY}/undo`, undefined, tag)).status).toBe(200)
  expect((await ask(service.read, 'GET', `/studies/${STUDY}`)).body.project).toBe('Pilots')
  // A token of the study alone may change it, but not whose it is.
  const own = await tokenFor('write', STUDY)
  expect((await change(STUDY, { name: 'Café, naïve – 2' }, own)).status).toBe(200)
  expect((await move(STUDY, null, own)).status).toBe(403)
  expect((await move(STUDY, 'Main', own)).status).toBe(403)
})

test('a token of a project creates studies in it alone', async () => {
  const made = await ask(writer, 'POST', '/studies', described({ project: 'Pilots' }))
  expect(made.status).toBe(201)
  expect(idsOf(await ask(reader, 'GET', '/studies'))).toContain(made.body.id)
  const whole = described({ id: made.body.id, project: 'Main' })
  const tag = { 'if-match': `"${made.body.snapshot}"` }
  expect((await ask(writer, 'PUT', `/studies/${made.body.id}`, whole, tag)).status).toBe(403)
  expect((await ask(writer, 'PUT', `/studies/${made.body.id}`, { ...whole, project: 'Pilots' }, tag)).status).toBe(200)
  for (const project of [{}, { project: 'Main' }])
    expect((await ask(writer, 'POST', '/studies', described(project))).status).toBe(403)
  expect((await ask(reader, 'POST', '/studies', described({ project: 'Pilots' }))).status).toBe(403)
  // The same answer, whether there is such a study or not.
  const there = await ask(writer, 'POST', '/studies', described({ id: OTHER_STUDY }))
  const nowhere = await ask(writer, 'POST', '/studies', described({}))
  expect([there.status, there.body.detail]).toEqual([nowhere.status, nowhere.body.detail])
  expect((await ask(writer, 'DELETE', `/studies/${made.body.id}`)).status).toBe(204)
})

test('an import makes a study in the named project, if the token is for it', async () => {
  const table = 'participant,item,t_ms,x,y\nA,a.png,0,5,6\nA,a.png,16,7,8\n'
  const mapping = {
    gazetteMapping: 1,
    ...{ participant: 'participant', item: 'item', trial: null },
    time: { column: 't_ms', unit: 'ms', origin: 'item' },
    gaze: [{ x: 'x', y: 'y', unit: 'px' }],
    screen: null,
  }
  const choices = { mapping, screen: { widthPx: 1000, heightPx: 1000 } }
  const begin = async (token: string, more: object): Promise<ImportView> => {
    const id = await upload(service, token, 'gaze.csv', Buffer.from(table))
    return imported(service, token, { uploads: [id], ...choices, ...more })
  }
  const none = await begin(writer, {})
  expect([none.state, none.error?.status, none.error?.type]).toEqual(['failed', 403, '/docs/problems/forbidden'])
  expect((await begin(writer, { dryRun: true, project: 'Pilots' })).state).toBe('succeeded')
  const made = await begin(writer, { project: 'Pilots' })
  expect(made.state).toBe('succeeded')
  const studyId = made.report!.study.id
  expect((await ask(reader, 'GET', `/studies/${studyId}`)).body.project).toBe('Pilots')
  const uploads = [await upload(service, writer, 'gaze.csv', Buffer.from(table))]
  expect((await ask(writer, 'POST', '/imports', { uploads, ...choices, project: 'Main' })).status).toBe(403)
  // Recordings that replace a study leave it where it is; a stranger to it cannot replace it, nor learns its name.
  const again = table.replace('5,6', '6,5')
  const replacing = [await upload(service, writer, 'gaze.csv', Buffer.from(again))]
  expect((await imported(service, writer, { uploads: replacing, ...choices, replace: true }, studyId)).state).toBe(
    'succeeded',
  )
  expect((await ask(reader, 'GET', `/studies/${studyId}`)).body.project).toBe('Pilots')
  const stranger = await tokenFor('write', projectEntry('Main'))
  const hidden = await begin(stranger, { studyId, project: 'Main' })
  expect([hidden.state, hidden.error?.status]).toEqual(['failed', 403])
  expect(JSON.stringify(hidden.error)).not.toContain('Pilots')
})

test('a link shows no more than its maker may see', async () => {
  const path = `/studies/${STUDY}/quality`
  const made = async (token: string) => {
    const { status, body } = await ask(token, 'POST', `/studies/${STUDY}/links`, { path, hasDownloads: true })
    expect(status).toBe(201)
    expect(body).not.toHaveProperty('project')
    const secret = String(body.url).split('#link=')[1]
    const begun = await fetch(`${service.url}/api2/session`, {
      method: 'POST',
      headers: { 'x-auth-token': secret, origin: service.url, 'sec-fetch-site': 'same-origin' },
    })
    expect(begun.status).toBe(201)
    const cookie = begun.headers.get('set-cookie')!.split(';')[0]
    return async () => (await fetch(`${service.url}/api2/studies/${STUDY}`, { headers: { cookie } })).status
  }
  const [ofProject, ofAll] = [await made(writer), await made(service.write)]
  expect([await ofProject(), await ofAll()]).toEqual([200, 200])
  await move(STUDY, 'Main', service.write)
  expect([await ofProject(), await ofAll()]).toEqual([404, 200])
  await move(STUDY, 'Pilots', service.write)
  expect([await ofProject(), await ofAll()]).toEqual([200, 200])
})

test('a session says the projects of its token', async () => {
  const begun = await fetch(`${service.url}/api2/session`, {
    method: 'POST',
    headers: { 'x-auth-token': writer, origin: service.url, 'sec-fetch-site': 'same-origin' },
  })
  expect((await begun.json()).token).toMatchObject({ role: 'write', projects: ['Pilots'] })
})
