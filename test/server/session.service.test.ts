import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSessions } from '../../engine/access/sessions.ts'
import { kept } from '../engine/kept.ts'
import { ITEM, OTHER_STUDY, openTestServer, STUDY, until } from './test-server.ts'

const service = kept(await openTestServer())

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.url + path, { method, headers })

async function signIn(token: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await ask('/api2/session', { 'x-auth-token': token, ...headers }, 'POST')
  expect(response.status).toBe(201)
  return (response.headers.get('set-cookie') ?? '').split(';')[0]
}

async function changeTokenOf(cookie: string): Promise<string> {
  return ((await (await ask('/api2/session', { cookie })).json()) as { changeToken: string }).changeToken
}

test('signing in sets a cookie that scripts cannot read and other sites cannot send, and that is not the token', async () => {
  const response = await ask('/api2/session', { 'x-auth-token': service.read }, 'POST')
  const cookie = response.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/HttpOnly/)
  expect(cookie).toMatch(/SameSite=Strict/)
  expect(cookie).not.toContain(service.read)
  expect(await response.json()).toMatchObject({ signedIn: true, token: { role: 'read', studies: 'all' } })
  const kept = join(service.dataDir, 'sessions')
  const secret = cookie.split('=')[1].split(';')[0]
  const files = (await readdir(kept, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
  expect(files).toHaveLength(1)
  expect(files[0].name).not.toMatch(new RegExp(`${secret.split('.')[2]}|${service.read}`))
  expect(await readFile(join(files[0].parentPath, files[0].name), 'utf8')).toBe('')
})

test('a session reads what its token may read, and nothing else', async () => {
  const cookie = await signIn(service.narrow)
  expect((await ask(`/api2/studies/${STUDY}/flow`, { cookie })).status).toBe(200)
  expect((await ask(`/api2/studies/${OTHER_STUDY}/flow`, { cookie })).status).toBe(404)
  expect((await ask('/api2/operations', { cookie })).status).toBe(404)
  expect((await ask('/ops/metrics', { cookie })).status).toBe(401)
  const made = cookie.replace(/=.*/, `=${'A'.repeat(43)}`)
  expect((await ask(`/api2/studies/${STUDY}/flow`, { cookie: made })).status).toBe(401)
})

test('a session of an operator opens the pages for operators, for reading', async () => {
  const cookie = await signIn(service.ops)
  expect((await ask('/ops/metrics', { cookie })).status).toBe(200)
  expect((await ask('/ops/metrics', { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(401)
  const state = (await (await ask('/api2/operations', { cookie })).json()) as { queue: { answers: boolean } }
  expect(state.queue.answers).toBe(true)
})

test('another site cannot make a browser read, change or sign in', async () => {
  const cookie = await signIn(service.read)
  const own = { 'x-change-token': await changeTokenOf(cookie) }
  const job = `/api2/jobs/x${'0'.repeat(64)}`
  expect((await ask('/api2/jobs', { cookie, 'sec-fetch-site': 'same-site' })).status).toBe(401)
  expect((await ask('/api2/jobs', { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  expect((await ask(job, { cookie, 'sec-fetch-site': 'same-origin' }, 'DELETE')).status).toBe(403)
  const wrong = { 'x-change-token': await changeTokenOf(await signIn(service.read)) }
  expect((await ask(job, { cookie, ...wrong, 'sec-fetch-site': 'same-origin' }, 'DELETE')).status).toBe(403)
  expect((await ask(job, { cookie, ...own, 'sec-fetch-site': 'same-site' }, 'DELETE')).status).toBe(401)
  expect((await ask(job, { cookie, ...own, origin: 'https://other.test' }, 'DELETE')).status).toBe(401)
  expect((await ask(job, { cookie, ...own, origin: service.url }, 'DELETE')).status).toBe(404)
  const foreign = { 'x-auth-token': service.read, 'sec-fetch-site': 'cross-site' }
  expect((await ask('/api2/session', foreign, 'POST')).status).toBe(401)
})

test('signing out ends the session, but not for another site that asks', async () => {
  const cookie = await signIn(service.read)
  await ask('/api2/session', { cookie }, 'DELETE')
  expect((await ask('/api2/jobs', { cookie })).status).toBe(200)
  const gone = await ask('/api2/session', { cookie, 'x-change-token': await changeTokenOf(cookie) }, 'DELETE')
  expect(gone.status).toBe(204)
  expect(gone.headers.get('set-cookie')).toMatch(/Expires=Thu, 01 Jan 1970/)
  expect((await ask('/api2/jobs', { cookie })).status).toBe(401)
  expect(await (await ask('/api2/session', { cookie })).json()).toMatchObject({ signedIn: false, token: null })
})

test('a token that only sends participants neither reads anything nor signs in', async () => {
  const token = await service.parts.tokens.create({
    role: 'collect',
    studies: [STUDY],
    expiresAt: null,
    now: new Date(),
  })
  const headers = { 'x-auth-token': token.token }
  expect((await ask('/api2/session', headers, 'POST')).status).toBe(403)
  expect(await (await ask('/api2/studies', headers)).json()).toMatchObject({ studies: [] })
  expect(await (await ask('/api2/jobs', headers)).json()).toMatchObject({ jobs: [] })
  for (const path of ['', '/flow', '/participants', '/collected-data/eye-tracking/fixations'])
    expect((await ask(`/api2/studies/${STUDY}${path}`, headers)).status).toBe(404)
  const all = { role: 'collect', studies: 'all', expiresAt: null, now: new Date() } as const
  await expect(service.parts.tokens.create(all)).rejects.toThrow('must be for one study')
})

test('a session ends with its token', async () => {
  const { id, token } = await service.parts.tokens.create({
    role: 'read',
    studies: 'all',
    expiresAt: null,
    now: new Date(),
  })
  const cookie = await signIn(token)
  await service.parts.tokens.revoke(id)
  await until(async () => (await ask('/api2/jobs', { cookie })).status === 401)
})

test('a session and a code end by themselves', async () => {
  const sessions = openSessions(service.dataDir)
  const now = new Date()
  const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000)
  const { secret } = await sessions.begin('token', now)
  expect(await sessions.find(secret, later(11))).toBe('token')
  expect(await sessions.find(secret, later(13))).toBeNull()
  expect(await sessions.redeem(await sessions.createCode('token', now), later(1))).toBeNull()
})

test('a code signs in only once, even in concurrent requests', async () => {
  const [record] = await service.parts.tokens.list()
  const code = await openSessions(service.dataDir).createCode(record.id, new Date())
  const answers = await Promise.all([1, 2, 3].map(() => ask('/api2/session', { 'x-sign-in-code': code }, 'POST')))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
})

test('the dashboard is one file for all its pages, under a policy without inline code', async () => {
  for (const path of ['/', '/sign-in', `/studies/${STUDY}`, `/studies/${STUDY}/items/${ITEM}`, '/jobs']) {
    const page = await ask(path)
    expect(page.status).toBe(200)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toContain('unsafe')
    // A long address, with filters and texts, is not sent again with each request of its page.
    expect(page.headers.get('referrer-policy')).toBe('strict-origin')
    const html = await page.text()
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|https?:\/\//)
    for (const [, asset] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      const answer = await ask(asset)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toContain('immutable')
    }
  }
  expect((await ask('/assets/nothing.js')).status).toBe(404)
  expect((await ask('/studies')).status).toBe(404)
})

test('an item without a picture in its bundle has none, and names of items lead nowhere else', async () => {
  const image = `/api2/studies/${STUDY}/items/${ITEM}/image`
  expect((await service.get(image)).status).toBe(404)
  expect((await ask(image)).status).toBe(401)
  expect((await service.get(`/api2/studies/${STUDY}/items/..%2F..%2Fmanifest.json/image`)).status).toBe(404)
})
