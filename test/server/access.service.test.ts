import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { kept } from '../engine/kept.ts'
import { openContract, send } from './contract.ts'
import { ITEM, STUDY, shareTestServer, until } from './test-server.ts'

const contract = openContract()
const service = kept(await shareTestServer({ TRUST_PROXY: '1' }))
/** Somebody else's view of the same tokens, as the command line has it: nothing is shared but the disk. */
const commandLine = openTokens(service.dataDir)
const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
const jobId = ((await (await service.get(path, { prefer: 'respond-async' })).json()) as { id: string }).id

const flow = `/api2/studies/${STUDY}/flow`
let address = 0
/** Every request comes from an address of its own, so that none waits for what another failed at. */
function ask(path: string, token: string | null, method = 'GET') {
  address++
  const headers = { 'x-forwarded-for': `10.1.${address >> 8}.${address & 255}` }
  return send(service.url, { method, path, headers: token === null ? headers : { ...headers, 'x-auth-token': token } })
}
const statusOf = async (path: string, token: string | null) => (await ask(path, token)).status

const make = (more: { studies?: string[] | 'all'; expiresAt?: string | null } = {}) =>
  commandLine.create({ role: 'read', studies: 'all', expiresAt: null, now: new Date(), ...more })

test('a new token counts soon, and a revoked one no longer, without a restart', async () => {
  expect(await statusOf(flow, service.read)).toBe(200)
  const { id, token } = await make()
  await until(async () => (await statusOf(flow, token)) === 200)
  await commandLine.revoke(id)
  await until(async () => (await statusOf(flow, token)) === 401)
  expect(await statusOf(flow, service.read)).toBe(200)
})

test('a token ends by itself', async () => {
  // Made by the server itself, it counts at once.
  const expiresAt = new Date(Date.now() + 5000).toISOString()
  const { token } = await service.parts.tokens.create({ role: 'read', studies: 'all', expiresAt, now: new Date() })
  expect(await statusOf(flow, token)).toBe(200)
  await until(async () => (await statusOf(flow, token)) === 401)
})

test('a token for some studies sees nothing of the others, wherever they could show', async () => {
  for (const path of ['/api2/studies', '/api2/studies-all/drop-rate', '/api2/jobs']) {
    const all = (await ask(path, service.read)).body.toString()
    const { token } = await make({ studies: [randomUUID()] })
    await until(async () => (await statusOf(path, token)) === 200)
    const none = (await ask(path, token)).body.toString()
    expect(all).toContain(STUDY)
    expect(JSON.parse(none)[path === '/api2/jobs' ? 'jobs' : 'studies']).toEqual([])
  }
})

/** All but the last letter of a good token. */
const almost = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')

test('a token that is almost right is answered like one that is wholly wrong', async () => {
  const answers = []
  for (const token of [almost(service.read), randomUUID(), service.read.slice(0, -1), `${service.read}0`, 'x']) {
    const { status, headers, body } = await ask(flow, token)
    const { date: _date, 'x-request-id': _id, ...rest } = headers
    const { instance: _instance, ...problem } = JSON.parse(body.toString())
    answers.push(JSON.stringify({ status, rest, problem }))
  }
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toContain('"status":401')
})

test('and takes as long: which of the two took longer is a toss-up', async () => {
  // Fresh text each time, as requests bring it: text that was hashed before is faster, whoever's token it is.
  const fresh = (token: string) => Buffer.from(token).toString('latin1')
  const almostRead = almost(service.read)
  const now = new Date()
  const took = async (token: string) => {
    const startedNs = process.hrtime.bigint()
    await service.parts.tokens.find(token, now)
    return process.hrtime.bigint() - startedNs
  }
  for (let i = 0; i < 500; i++) await took(fresh(i % 2 ? almostRead : randomUUID()))
  let longer = 0
  let decided = 0
  for (let i = 0; i < 4000; i++) {
    const near = fresh(almostRead)
    const far = fresh(randomUUID())
    // In turn, so that what slows this machine down slows both.
    const first = await took(i % 2 ? near : far)
    const second = await took(i % 2 ? far : near)
    const [nearNs, farNs] = i % 2 ? [first, second] : [second, first]
    if (nearNs !== farNs) decided++
    if (nearNs > farNs) longer++
  }
  // What looks longer at one of them is longer nearly always; no time is asserted, only their order.
  expect(longer / decided).toBeGreaterThan(0.1)
  expect(longer / decided).toBeLessThan(0.9)
})

/** Answers to a token that can only read, at an unknown and at an existing study or job, with an invalid parameter. */
function withToken(method: string, path: string): [number, number] {
  // Another token's uploads and imports are as unknown as those that are not there.
  if (path === '/imports/{importId}') return [404, 404]
  // They exist for operators alone.
  if (path.startsWith('/operations')) return [404, 404]
  if (/^\/(uploads|webhooks)/.test(path) || path.endsWith('/imports')) return [403, 403]
  if (path.includes('/links')) return [404, 403]
  const isReading = ['GET', 'HEAD'].includes(method) || path.startsWith('/jobs')
  if (!isReading) return [path.includes('{') ? 404 : 403, 403]
  // The item has no picture, so that a wrong parameter is not looked at.
  return [path.includes('{') ? 404 : 400, path.endsWith('/image') ? 404 : 400]
}

describe('the checks run in the order 401, 404, 403, 400', () => {
  for (const { method, path, isOpen } of contract.operations) {
    const fill = (study: string, job: string) =>
      `/api2${path.replace('{studyId}', study).replace('{itemId}', ITEM).replace('{jobId}', job).replace('{export}', 'mouse')}?nonsense=1`
    test(`${method} ${path}`, async () => {
      // The secret of a link in the path decides before anything else.
      const ofAnybody = path.startsWith('/shared') ? [404, 404, 404] : [400, 400, 400]
      const expected = isOpen ? ofAnybody : [401, ...withToken(method, path)]
      const unknown = fill(randomUUID(), `x${'0'.repeat(64)}`)
      const answers = [
        await ask(unknown, null, method),
        await ask(unknown, service.read, method),
        await ask(fill(STUDY, jobId), service.read, method),
      ]
      expect(answers.map(({ status }) => status)).toEqual(expected)
      for (const answer of answers) contract.check(method, path, answer)
    })
  }
})

test("the dashboard's own paths keep to that order too", async () => {
  for (const path of [
    'participants',
    'charts/fixations',
    'charts/gaze',
    'charts/heatmap',
    'charts/aois',
    'charts/recording',
    'analysis/quality',
    'previews/mouse',
  ]) {
    const at = (study: string) => `/api2/studies/${study}/${path}?nonsense=1`
    const statuses = [
      await statusOf(at(randomUUID()), null),
      await statusOf(at(randomUUID()), service.read),
      await statusOf(at(STUDY), service.read),
    ]
    expect([path, statuses]).toEqual([path, [401, 404, 400]])
  }
  const operations = '/api2/operations?nonsense=1'
  const statuses = [
    await statusOf(operations, null),
    await statusOf(operations, service.read),
    await statusOf(operations, service.ops),
  ]
  expect(statuses).toEqual([401, 404, 400])
})

test('what needs no token is not counted, and a token that is used up spoils no other', async () => {
  const limited = await shareTestServer({ REQUESTS_PER_MINUTE: '2' })
  try {
    const get = (path: string, token: string) => send(limited.url, { path, headers: { 'x-auth-token': token } })
    const first = await get(flow, limited.read)
    expect(first.headers.ratelimit).toMatch(/r=1;/)
    expect(first.headers['ratelimit-policy']).toMatch(/q=2; w=60/)
    await get('/api2/exports', limited.read)
    expect((await get(flow, limited.read)).status).toBe(200)
    const refused = await get(flow, limited.read)
    contract.check('GET', '/studies/{studyId}/flow', refused)
    expect(refused.status).toBe(429)
    expect((await get('/api2/exports', limited.read)).status).toBe(200)
    expect((await get(flow, limited.narrow)).status).toBe(200)
  } finally {
    await limited.close()
  }
})
