import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { AUDIT_LOG } from '../../engine/access/audit-log.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import type { LinkList, LinkMade } from '../../server/schemas/link.ts'
import { kept } from '../engine/kept.ts'
import { openContract, send } from './contract.ts'
import { ITEM, OTHER_STUDY, openTestServer, STUDY, until } from './test-server.ts'

const contract = openContract()
const service = kept(await openTestServer({ HOLD_SECONDS: '0', REQUESTS_PER_MINUTE: '2000' }))

type Made = z.infer<typeof LinkMade>
type Wanted = { path: string; isWhole?: boolean; hasDownloads?: boolean; name?: string; days?: number }
const PERSON = '2a000000-0000-4000-8000-000000000001'
const OTHER_PERSON = '2a000000-0000-4000-8000-000000000002'
const study = `/api2/studies/${STUDY}`
const itemPage = `/studies/${STUDY}/items/${ITEM}`
/** Filter for one participant, with grade 2 at least. */
const ofOne = `participantQualityGradeItemMin=2&filter=participant_id+%3D+%27${PERSON}%27`

const post = (wanted: unknown, token = service.write) =>
  fetch(`${service.url}${study}/links`, {
    method: 'POST',
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
  })

async function makeLink(wanted: Wanted): Promise<Made & { secret: string }> {
  const response = await post(wanted)
  expect(response.status).toBe(201)
  const made = (await response.json()) as Made
  contract.checkValue('LinkMade', made)
  return { ...made, secret: made.url.split('#link=')[1] }
}

const open = (secret: string) => service.get('/api2/session', { 'x-auth-token': secret }, 'POST')
async function cookieOf(secret: string): Promise<string> {
  const response = await open(secret)
  expect(response.status).toBe(201)
  return (response.headers.get('set-cookie') ?? '').split(';')[0]
}
async function statusOf(cookie: string, path: string, method = 'GET'): Promise<number> {
  return (await send(service.url, { path, method, headers: { cookie } })).status
}
const linksOf = async (token = service.write) =>
  ((await (await service.get(`${study}/links`, { 'x-auth-token': token })).json()) as z.infer<typeof LinkList>).links

/** Every way to ask for something: those of the document, and those that the dashboard asks besides. */
function everything(): { method: string; path: string }[] {
  const fill = (path: string) =>
    `/api2${path}`
      .replace('{studyId}', STUDY)
      .replace('{itemId}', ITEM)
      .replace('{participantId}', PERSON)
      .replace('{export}', 'mouse')
      .replace('{jobId}', `x${'0'.repeat(64)}`)
      .replace(/\{\w+\}/, '0'.repeat(16))
  const documented = contract.operations
    .filter(({ isOpen }) => !isOpen)
    .map(({ method, path }) => ({ method, path: fill(path) }))
  const own = [
    'participants',
    'previews/mouse',
    'analysis/comparisons',
    'analysis/transitions',
    ...['fixations', 'gaze', 'heatmap', 'aois', 'recording'].map((name) => `charts/${name}`),
  ].map((path) => ({ method: 'GET', path: `${study}/${path}` }))
  return [
    ...documented,
    ...own,
    ...['', '/jobs', '/last-hour'].map((part) => ({ method: 'GET', path: `/api2/operations${part}` })),
    { method: 'POST', path: `${study}/charts/aois` },
  ]
}

/** Answers to a session of a link, for every path: paths below the study's that it may not use are not found. */
async function allowedTo(cookie: string, query: string): Promise<string[]> {
  const changeToken = (
    (await (await service.get('/api2/session', { 'x-auth-token': '', cookie })).json()) as { changeToken: string }
  ).changeToken
  const allowed = new Set<string>()
  for (const { method, path } of everything()) {
    const headers = { cookie, 'x-change-token': changeToken, prefer: 'respond-async' }
    const { status, body } = await send(service.url, { method, path: `${path}?${query}`, headers })
    expect(status, `${method} ${path}: ${body}`).toBeLessThan(500)
    if (status === 404) expect(JSON.parse(body.toString() || '{"title":"Not found"}').title).toBe('Not found')
    else allowed.add(`${method} ${path.replace(study, '')}`)
  }
  return [...allowed].filter((each) => !each.startsWith('HEAD')).sort()
}

const ITEM_PATHS = ['', '/participants', '/charts/fixations', '/charts/gaze', '/charts/heatmap', '/charts/aois']
const sorted = (paths: string[]) => paths.map((path) => `GET ${path}`).sort()

test('a link to a view gets what the view asks for, of everything there is, and nothing else', async () => {
  const { secret } = await makeLink({ path: itemPage })
  // The item of this study has no picture.
  expect(await allowedTo(await cookieOf(secret), `itemId=${ITEM}`)).toEqual(sorted(ITEM_PATHS))
  const transitions = await makeLink({ path: `${itemPage}/transitions` })
  expect(await allowedTo(await cookieOf(transitions.secret), `itemId=${ITEM}`)).toEqual(
    sorted(['', '/participants', '/analysis/transitions']),
  )
})

test('a link with downloads gets exports of its tests besides, and one to the study all that reads it', async () => {
  const view = await makeLink({ path: itemPage, hasDownloads: true })
  const exports = everything().filter(({ path }) => /collected-data|package|previews|exports/.test(path))
  const own = exports.map(({ path }) => path.replace(study, ''))
  expect(await allowedTo(await cookieOf(view.secret), `itemId=${ITEM}`)).toEqual(
    sorted([...new Set([...ITEM_PATHS, ...own])]),
  )
  const whole = await cookieOf((await makeLink({ path: `/studies/${STUDY}`, isWhole: true })).secret)
  const allowed = await allowedTo(whole, `itemId=${ITEM}`)
  expect(allowed).toEqual(expect.arrayContaining(sorted(['/flow', '/methods', '/charts/recording', '/participants'])))
  expect(
    allowed.filter(
      (each) => !/^GET (\/(analysis|analyses|flow|methods|participants|charts\/)|\/api2\/studies-all|$)/.test(each),
    ),
  ).toEqual([])
})

test('a view with an analysis shows it in the version that it was made with, and no other', async () => {
  const put = (body: unknown) =>
    fetch(`${service.url}${study}/analyses/shared`, {
      method: 'PUT',
      headers: { 'x-auth-token': service.write, 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify(body),
    })
  const { reference } = (await (await put({ ignored: [{ participantId: PERSON, reason: '' }] })).json()) as {
    reference: string
  }
  const { secret, path, analysis } = await makeLink({ path: `${itemPage}?analysis=shared` })
  expect([path, analysis]).toEqual([`${itemPage}?analysis=${encodeURIComponent(reference)}`, reference])
  const { reference: later } = (await (await put({})).json()) as { reference: string }
  const cookie = await cookieOf(secret)
  const at = (query: string) => statusOf(cookie, `${study}/charts/fixations?itemId=${ITEM}${query}`)
  expect(await at(`&analysis=${reference}`)).toBe(200)
  for (const query of ['', '&analysis=shared', `&analysis=${later}`, `&analysis=${reference}&analysis=${reference}`])
    expect([query, await at(query)]).toEqual([query, 404])
  expect(await statusOf(cookie, `${study}/analyses/${reference}`)).toBe(200)
  expect(await statusOf(cookie, `${study}/analyses/${later}`)).toBe(404)
  expect((await post({ path: `${itemPage}?analysis=none` })).status).toBe(400)
})

test('a view shows its item and its tests, however its session asks for others', async () => {
  const { secret } = await makeLink({ path: `${itemPage}?${ofOne}`, hasDownloads: true })
  const cookie = await cookieOf(secret)
  const at = (query: string, path = 'charts/fixations') => statusOf(cookie, `${study}/${path}?${query}`)
  const item = `itemId=${ITEM}`
  expect(await at(`${item}&${ofOne}`)).toBe(200)
  expect(await at(`${item}&${ofOne}+AND+test_duration_ms+%3E+1&gazeVelocityThreshold=90`)).toBe(200)
  expect(await at(`${item}&${ofOne.replace('=2', '=3')}`)).toBe(200)
  const others = [
    ofOne,
    item,
    `${item}&participantQualityGradeItemMin=2`,
    `${item}&participantQualityGradeItemMin=2&participantId=${OTHER_PERSON}`,
    `${item}&${ofOne.replace(PERSON, OTHER_PERSON)}`,
    `${item}&${ofOne}+OR+test_duration_ms+%3E+1`,
    `${item}&${ofOne.replace('filter=', 'filter=NOT+')}`,
    `${item}&${ofOne.replace('=2', '=1')}`,
    `${item}&${ofOne}&filter=`,
    `${item}&${item}&${ofOne}`,
    `${item.replace('1a', '1b')}&${ofOne}`,
    `${item}&${ofOne}x`,
  ]
  for (const query of others)
    for (const path of ['charts/fixations', 'participants', 'collected-data/eye-tracking/fixations'])
      expect([path, query, await at(query, path)]).toEqual([path, query, 404])
  for (const path of [`/api2/studies/${OTHER_STUDY}`, `/api2/studies/${OTHER_STUDY}/charts/fixations?${item}&${ofOne}`])
    expect(await statusOf(cookie, path)).toBe(404)
  const people = await send(service.url, {
    path: `${study}/participants?${item}&${ofOne}&losses=true`,
    headers: { cookie },
  })
  const { participants } = JSON.parse(people.body.toString())
  expect(participants).toMatchObject([{ id: PERSON }])
  expect(participants[0].loss.ofItems.length).toBe(participants[0].grades.length)
})

test('a job is seen by a link only if it is of its tests', async () => {
  const ask = async (query: string) =>
    (
      (await (
        await service.get(`${study}/collected-data/eye-tracking/fixations?${query}`, { prefer: 'respond-async' })
      ).json()) as { id: string }
    ).id
  const [own, other] = [await ask(`itemId=${ITEM}&${ofOne}`), await ask(`itemId=${ITEM}`)]
  const cookie = await cookieOf((await makeLink({ path: `${itemPage}?${ofOne}`, hasDownloads: true })).secret)
  const without = await cookieOf((await makeLink({ path: `${itemPage}?${ofOne}` })).secret)
  expect(await statusOf(cookie, `/api2/jobs/${own}`)).toBe(200)
  for (const suffix of ['', '/events', '/file'])
    expect(await statusOf(cookie, `/api2/jobs/${other}${suffix}`)).toBe(404)
  expect(await statusOf(without, `/api2/jobs/${own}`)).toBe(404)
})

test('its secret is no token, and every wrong one is answered alike', async () => {
  const { secret } = await makeLink({ path: itemPage })
  const path = `${study}/charts/fixations?itemId=${ITEM}`
  const answers = []
  for (const token of [secret, crypto.randomUUID(), 'x']) {
    const { status, body } = await send(service.url, { path, headers: { 'x-auth-token': token } })
    const { instance: _, ...problem } = JSON.parse(body.toString())
    answers.push(JSON.stringify([status, problem]))
  }
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toContain('[401,')
  const basic = `Basic ${Buffer.from(`x:${secret}`).toString('base64')}`
  expect((await send(service.url, { path: '/ops/metrics', headers: { authorization: basic } })).status).toBe(401)
  expect((await open(crypto.randomUUID())).status).toBe(401)
})

test('a link is listed with who made it and when it was last used, and ends at once with its sessions', async () => {
  const made = await makeLink({ path: itemPage, name: 'Prof. Ito', days: 30 })
  const cookie = await cookieOf(made.secret)
  await until(async () => (await linksOf()).find(({ id }) => id === made.id)?.lastUsedAt)
  const [listed] = (await linksOf()).filter(({ id }) => id === made.id)
  expect(listed).toMatchObject({ name: 'Prof. Ito', path: itemPage, page: 'item', itemId: ITEM, hasDownloads: false })
  expect(listed.madeBy.token).toBe((await service.parts.tokens.list()).find(({ role }) => role === 'write')!.id)
  expect(Date.parse(listed.expiresAt) - Date.parse(listed.createdAt)).toBe(30 * 86_400_000)
  expect(JSON.stringify(await linksOf())).not.toContain(made.secret)
  const revoke = (id: string, of = study) =>
    service.get(`${of}/links/${id}`, { 'x-auth-token': service.write }, 'DELETE')
  const ofOther = await revoke(made.id, `/api2/studies/${OTHER_STUDY}`)
  const [reader] = await service.parts.tokens.list()
  const statuses = [ofOther.status, (await revoke(reader.id)).status, (await revoke('0'.repeat(16))).status]
  expect(statuses).toEqual([404, 404, 404])
  expect((await revoke(made.id)).status).toBe(204)
  await until(async () => (await statusOf(cookie, study)) === 401)
  expect((await open(made.secret)).status).toBe(401)
  expect((await linksOf()).map(({ id }) => id)).not.toContain(made.id)
})

test('a link ends with the token that made it, and not with others', async () => {
  const maker = await service.parts.tokens.create({ role: 'write', studies: [STUDY], expiresAt: null, now: new Date() })
  await until(async () => (await service.get(study, { 'x-auth-token': maker.token })).status === 200)
  const made = (await (await post({ path: itemPage }, maker.token)).json()) as Made
  const other = await makeLink({ path: itemPage })
  await openTokens(service.dataDir).revoke(maker.id)
  const ids = (await linksOf()).map(({ id }) => id)
  expect(ids).toContain(other.id)
  expect(ids).not.toContain(made.id)
})

test('a link ends with its study, also if that is made anew', async () => {
  const of = (path: string, method: string, body?: object) =>
    fetch(`${service.url}/api2/studies${path}`, {
      method,
      headers: { 'x-auth-token': service.write, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
  const described = { id: crypto.randomUUID(), name: 'Short', steps: [], items: [], aois: [] }
  const make = () => of('', 'POST', { ...described, isServiceBasicSurveyEnabled: false })
  expect((await make()).status).toBe(201)
  const path = `/studies/${described.id}`
  const made = (await (await of(`/${described.id}/links`, 'POST', { path, isWhole: true })).json()) as Made
  const stays = await makeLink({ path: itemPage })
  const cookie = await cookieOf(made.url.split('#link=')[1])
  expect((await of(`/${described.id}`, 'DELETE')).status).toBe(204)
  expect((await make()).status).toBe(201)
  const ids = (await service.parts.tokens.list()).map(({ id }) => id)
  expect([ids.includes(made.id), ids.includes(stays.id)]).toEqual([false, true])
  await until(async () => (await statusOf(cookie, `/api2${path}`)) === 401)
})

test('refuses links to other pages, and links by tokens without permission', async () => {
  const refusals: [unknown, RegExp][] = [
    [{}, /path/],
    [{ path: '/jobs' }, /a link must lead to a study/],
    [{ path: `/studies/${STUDY}/export` }, /a link must lead to a study/],
    [{ path: `${itemPage}/aois` }, /a link must lead to a study/],
    [{ path: `/studies/${STUDY}` }, /make a link to the whole study/],
    [{ path: `/studies/${OTHER_STUDY}`, isWhole: true }, /must lead to the study for which it is made/],
    [{ path: itemPage.replace('/1a', '/1b') }, /must lead to an item of the study/],
    [{ path: `${itemPage}?filter=participant_agee+%3C+3` }, /participant_age/],
    [{ path: `${itemPage}?participantQualityGradeItemMin=7` }, /must be 1 to 6/],
    [{ path: `${itemPage}?participant=x` }, /the participant must be a UUID/],
    [{ path: itemPage, days: 366 }, /365/],
    [{ path: itemPage, role: 'ops' }, /role/],
  ]
  const before = await linksOf()
  for (const [body, reason] of refusals) {
    const response = await post(body)
    const text = await response.text()
    expect([text, response.status]).toEqual([expect.stringMatching(reason), 400])
    expect(text.split(', got ').length).toBeLessThanOrEqual(2)
  }
  expect((await post({ path: itemPage }, service.read)).status).toBe(403)
  expect((await service.get(`${study}/links`)).status).toBe(403)
  expect(await linksOf()).toEqual(before)
})

test('the secret is in no file and no line of the logs, which tell who made, opened and revoked', async () => {
  const { id, secret } = await makeLink({ path: itemPage })
  await cookieOf(secret)
  await service.get(`${study}/links/${id}`, { 'x-auth-token': service.write }, 'DELETE')
  const audit = await until(async () => {
    const text = await readFile(join(service.dataDir, AUDIT_LOG), 'utf8')
    return /"link revoked".*/.test(text) && text
  })
  const events = audit.split('\n').filter((line) => line.includes(id))
  expect(events.map((line) => JSON.parse(line).event)).toEqual(['link made', 'link opened', 'link revoked'])
  const tokens = await readFile(join(service.dataDir, 'tokens.json'), 'utf8')
  for (const text of [audit, tokens, service.logged.join('')]) expect(text).not.toContain(secret)
})

test('a link to an export sends its file, with its settings, to whoever has the address, and nothing else', async () => {
  const path = `${study}/collected-data/eye-tracking/fixations?movingMedianRangeMs=150&${ofOne}`
  const made = await makeLink({ path, name: 'Sheet' })
  expect(made).toMatchObject({ page: 'export', path: `${path}&format=csv`, hasDownloads: true })
  expect(made.url).toMatch(/^\/api2\/shared\/dl-[0-9a-f-]{36}$/)
  const answer = await fetch(service.url + made.url)
  const table = await answer.text()
  expect(table).toBe(await (await service.get(path)).text())
  expect(table).toContain('movingMedianRangeMs = 150')
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment.*-fixations\.csv/)
  expect(['referrer-policy', 'cache-control'].map((name) => answer.headers.get(name))).toEqual([
    'no-referrer',
    'private, no-cache',
  ])
  for (const method of ['GET', 'HEAD'])
    contract.check(method, '/shared/{secret}', await send(service.url, { method, path: made.url }))
  const etag = answer.headers.get('etag')!
  expect((await fetch(service.url + made.url, { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect((await fetch(service.url + made.url, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(service.url + made.url, { method: 'DELETE' })).status).toBe(405)
  expect((await fetch(`${service.url}${made.url}?filter=TRUE`)).status).toBe(400)

  const secret = made.url.split('dl-')[1]
  expect((await open(secret)).status).toBe(401)
  expect((await service.get(path, { 'x-auth-token': secret })).status).toBe(401)
  expect((await fetch(`${service.url}/api2/shared/${secret}`)).status).toBe(404)
  expect((await fetch(`${service.url}/api2/shared/dl-${service.read}`)).status).toBe(404)
  const page = await makeLink({ path: `/studies/${STUDY}`, isWhole: true, hasDownloads: true })
  expect((await fetch(`${service.url}/api2/shared/dl-${page.secret}`)).status).toBe(404)

  const revoked = await service.get(`${study}/links/${made.id}`, { 'x-auth-token': service.write }, 'DELETE')
  expect(revoked.status).toBe(204)
  const gone = await fetch(service.url + made.url)
  expect([gone.status, ((await gone.json()) as { detail: string }).detail]).toEqual([
    404,
    'The link is mistyped, or has expired or been revoked.',
  ])
  await until(async () => service.logged.join('').includes('/api2/shared/…'))
  const [audited, stored] = await Promise.all(
    [AUDIT_LOG, 'tokens.json'].map((name) => readFile(join(service.dataDir, name), 'utf8')),
  )
  expect(audited).toContain(`"by":{"token":"${made.id}"}`)
  for (const text of [audited, stored, service.logged.join('')]) expect(text).not.toContain(secret)
})

test('a link to an export is refused whose parameters are wrong, or which is to show the whole study', async () => {
  const fixations = `${study}/collected-data/eye-tracking/fixations`
  const refusal = async (wanted: Wanted) => {
    const response = await post(wanted)
    const { errors } = (await response.json()) as { errors: { rule: string }[] }
    return [response.status, errors[0].rule]
  }
  expect(await refusal({ path: `${fixations}?movingMedianRange=150` })).toEqual([
    400,
    expect.stringContaining('movingMedianRange is not a parameter of this export'),
  ])
  expect(await refusal({ path: `${fixations}?format=odt` })).toEqual([
    400,
    expect.stringContaining('format must be one'),
  ])
  expect(await refusal({ path: `${fixations}?itemId=${PERSON}` })).toEqual([
    400,
    'a link must lead to an item of the study',
  ])
  expect(await refusal({ path: `${study}/collected-data/none` })).toEqual([
    400,
    expect.stringContaining('must be that of an export'),
  ])
  expect(await refusal({ path: fixations, isWhole: true })).toEqual([
    400,
    expect.stringContaining('cannot show the whole study'),
  ])
})
