import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { STUDY, shareTestServer } from './test-server.ts'

const service = kept(await shareTestServer())

const fixations = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
const study = `/api2/studies/${STUDY}`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const basic = (token: string, user = 'anyone') => ({ authorization: `Basic ${btoa(`${user}:${token}`)}` })
const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(service.url + path, { headers, method })
const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
const detailOf = async (...args: Parameters<typeof ask>) =>
  ((await (await ask(...args)).json()) as { detail: string }).detail

test('a token is as good by Authorization: Bearer as by X-AUTH-TOKEN', async () => {
  const table = await (await ask(fixations, { 'x-auth-token': service.read })).text()
  expect(await (await ask(fixations, bearer(service.read))).text()).toBe(table)
  expect(await statusOf(study, { authorization: `bearer  ${service.read.toUpperCase()}` })).toBe(200)
  expect(await statusOf(study, bearer(service.read), 'DELETE')).toBe(403)
  expect(await statusOf('/ops/metrics', bearer(service.ops))).toBe(200)
  expect(await statusOf('/ops/metrics', bearer(service.read))).toBe(401)
  expect(await statusOf('/ops/metrics', { 'x-auth-token': service.ops })).toBe(200)
  expect(await statusOf('/ops/metrics', { 'x-auth-token': service.read })).toBe(401)
})

test('by Basic it reads everything below /api2, and changes nothing', async () => {
  const table = await (await ask(fixations, { 'x-auth-token': service.read })).text()
  expect(await (await ask(fixations, basic(service.read))).text()).toBe(table)
  expect(await statusOf(fixations, basic(service.read, ''), 'HEAD')).toBe(200)
  expect(await statusOf(`/api2/jobs/x${'0'.repeat(64)}/file`, basic(service.read))).toBe(404)
  expect(await statusOf(`/api2/jobs/x${'0'.repeat(64)}`, basic(service.ops), 'DELETE')).toBe(401)
  expect(await statusOf(study, basic(service.read))).toBe(200)
  expect(await statusOf('/api2/jobs', basic(service.read))).toBe(200)
  expect(await statusOf('/api2/webhooks', basic(service.read))).toBe(403)
  expect(await statusOf(study, basic(service.write), 'DELETE')).toBe(401)
  expect(await detailOf(study, basic(service.write), 'DELETE')).toBe(
    'HTTP Basic only reads (GET and HEAD), since a browser sends it along from other sites: for changes, send it as X-AUTH-TOKEN: TOKEN, or as Authorization: Bearer TOKEN.',
  )
})

test('X-AUTH-TOKEN counts before Authorization, and a session before what is a proxy’s own', async () => {
  expect(await statusOf(study, { 'x-auth-token': service.read, ...bearer('not-ours') })).toBe(200)
  expect(await statusOf(study, { 'x-auth-token': STUDY, ...bearer(service.read) })).toBe(401)
  const signedIn = await ask('/api2/session', { 'x-auth-token': service.read }, 'POST')
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]
  for (const theirs of [bearer('eyJhbGciOi.of.another'), basic('secret', 'lab')]) {
    expect(await statusOf(study, { cookie, ...theirs })).toBe(200)
    expect(await statusOf(fixations, { cookie, ...theirs })).toBe(200)
  }
  expect(await statusOf(study, { cookie, ...bearer(STUDY) })).toBe(401)
})

test('Basic is asked for by reads alone, and of no browser', async () => {
  const asks = async (path: string, headers: Record<string, string> = {}) =>
    (await ask(path, headers)).headers.get('www-authenticate')
  expect(await asks(fixations)).toBe(
    'X-AUTH-TOKEN realm="gazette", Bearer realm="gazette", Basic realm="gazette", charset="UTF-8"',
  )
  expect((await ask(study, {}, 'DELETE')).headers.get('www-authenticate')).not.toContain('Basic')
  expect(await asks(fixations, { 'sec-fetch-site': 'same-origin' })).not.toContain('Basic')
  expect(await asks(fixations, { cookie: 'gazette_session=over' })).not.toContain('Basic')
})

test('a token in the wrong header gets the name of the right one, valid or not', async () => {
  const right = 'send it as X-AUTH-TOKEN: TOKEN, or as Authorization: Bearer TOKEN.'
  expect(await detailOf(study, {})).toBe(`The request carries no valid token: ${right}`)
  expect(await detailOf(study, bearer(STUDY))).toBe(`The request carries no valid token: ${right}`)
  for (const token of [service.read, STUDY]) {
    expect(await detailOf(study, { 'x-api-key': token })).toBe(
      `The header X-API-Key is not looked at for a token: ${right}`,
    )
    expect(await detailOf(study, { authorization: token })).toBe(
      `Authorization carries no token in a way that is known here: ${right}`,
    )
    expect(await detailOf('/ops/health', { 'x-auth-token': token })).toContain('an ops token as X-AUTH-TOKEN: TOKEN')
  }
})

test('the page of a problem names the program as the operator calls it', async () => {
  const page = await (await ask('/docs/problems/forbidden', {})).text()
  expect(page).toContain('`npx gazette token create --role write`')
})
