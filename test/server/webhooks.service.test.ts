import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { removeStudy } from '../../engine/study/changes/removal.ts'
import { startDeliveries } from '../../worker/webhooks/deliver.ts'
import { kept } from '../engine/kept.ts'
import { receive } from '../worker/webhooks/receiving.ts'
import { openContract } from './contract.ts'
import { participantOf } from './participants.ts'
import { ITEM, OTHER_STUDY, openTestServer, STUDY, until } from './test-server.ts'

const contract = openContract()
let status = 200
const service = kept(
  await openTestServer({ SYNC_MAX_SAMPLES: '0', WEBHOOK_NETWORKS: '127.0.0.0/8' }, { hasWorker: true }),
)
kept(startDeliveries({ ...service.parts, lookEveryMs: 50 }))
const receiving = kept(await receive(() => status))

type Told = {
  id: string
  secret: string
  waiting: number
  deliveries: object[]
  events: string[]
  studies: string[] | 'all'
  errors: { parameter: string; rule: string }[]
}

/** Asks as an operator, and holds the answer against the document. */
async function ask(method: string, path: string, body?: object, token = service.ops) {
  const headers = { 'x-auth-token': token, ...(body ? { 'content-type': 'application/json' } : {}) }
  const answer = await fetch(`${service.url}/api2${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const documented = path.replace(/wh_\w+/, '{webhookId}').split('?')[0]
  contract.check(method, documented, {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: bytes,
  })
  return { status: answer.status, told: (bytes.length > 0 ? JSON.parse(bytes.toString()) : {}) as Told, answer }
}

const make = async (body: object = {}) => {
  const { told } = await ask('POST', '/webhooks', { url: receiving.url, ...body })
  receiving.secret.value = told.secret
  return told
}

test('a webhook is made, listed, tried, given a new secret, and removed; its secret is shown when it is made, and nowhere else', async () => {
  const {
    status: made,
    told,
    answer,
  } = await ask('POST', '/webhooks', { url: receiving.url, name: 'Lab', events: ['job.failed'], studies: [STUDY] })
  expect(made).toBe(201)
  const { id, secret } = told
  expect(answer.headers.get('location')).toBe(`/api2/webhooks/${id}`)
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
  const { secret: _, ...view } = told
  expect(view.studies).toEqual([STUDY])
  expect((await ask('GET', '/webhooks')).told).toEqual({ webhooks: [view] })
  expect((await ask('GET', `/webhooks/${id}`)).told).toEqual(view)
  receiving.secret.value = secret
  expect((await ask('POST', `/webhooks/${id}/ping`)).told).toMatchObject({
    outcome: 'delivered',
    status: 200,
    type: 'webhook.ping',
  })
  expect(receiving.came.at(-1)?.body).toMatchObject({ type: 'webhook.ping', data: { webhook: { id } } })
  const rotated = (await ask('POST', `/webhooks/${id}/secret`)).told.secret
  expect(rotated).not.toBe(secret)
  receiving.secret.value = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  expect((await ask('POST', `/webhooks/${id}/ping`)).told).toMatchObject({ outcome: 'failed', error: 'answered 401' })
  expect((await ask('GET', `/webhooks/${id}/deliveries?limit=1`)).told).toMatchObject({ deliveries: [{ status: 401 }] })
  expect((await ask('POST', `/webhooks/${id}/enable`)).told).toEqual(view)
  const path = join(service.dataDir, 'webhooks', id, 'webhook.json')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await ask('DELETE', `/webhooks/${id}`)).status).toBe(204)
  expect((await ask('GET', `/webhooks/${id}`)).status).toBe(404)
  expect((await ask('DELETE', `/webhooks/${id}`)).status).toBe(404)
  await expect(stat(path)).rejects.toThrow()
  const audited = await readFile(join(service.dataDir, 'audit.jsonl'), 'utf8')
  expect(audited).toContain(`"event":"webhook made","by":{"token":`)
  for (const each of [secret, rotated]) expect(audited + service.logged.join('')).not.toContain(each.slice(8, 24))
})

test('an invalid webhook is refused with the broken rule, and not created', async () => {
  const refused = async (body: object) => {
    const { status, told } = await ask('POST', '/webhooks', body)
    expect(status).toBe(400)
    return told.errors.map(({ parameter, rule }) => `${parameter} ${rule}`).join()
  }
  expect(await refused({ url: 'ftp://example.org/' })).toContain('url must be an address such as')
  expect(await refused({ url: 'https://a:b@example.org/' })).toContain('url must hold no user')
  expect(await refused({ url: receiving.url, events: ['job.done'] })).toContain('events.0 ')
  expect(await refused({ url: receiving.url, events: [] })).toContain('events ')
  expect(await refused({ url: receiving.url, studies: ['STUDY'] })).toContain('studies.0 ')
  expect(await refused({ url: receiving.url, scret: 'x' })).toContain('scret')
  expect((await ask('GET', '/webhooks')).told).toEqual({ webhooks: [] })
})

test('webhooks are for operators of all studies', async () => {
  const tokens = openTokens(service.dataDir)
  const { token } = await tokens.create({ role: 'ops', studies: [STUDY], expiresAt: null, now: new Date() })
  await until(
    async () => (await fetch(`${service.url}/api2/studies`, { headers: { 'x-auth-token': token } })).status === 200,
  )
  for (const each of [service.read, service.write, token])
    expect((await ask('GET', '/webhooks', undefined, each)).status).toBe(403)
})

describe('what happens here', () => {
  test('is told as the document has it: jobs, studies that come, grow and go, without a word about who took part', async () => {
    const ofOther = (await make({ studies: [OTHER_STUDY], events: ['job.succeeded'] })).id
    const { id } = await make()
    const from = receiving.came.length
    const told = (type: string) => receiving.came.slice(from).filter(({ body }) => body.type === type)
    const fixations = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?filter=participant_age%20%3C%2099`
    expect((await service.get(fixations)).status).toBe(200)
    await until(async () => told('job.succeeded').length === 1)
    expect((await ask('GET', `/webhooks/${ofOther}`)).told.waiting).toBe(0)
    expect((await ask('GET', `/webhooks/${ofOther}/deliveries`)).told).toEqual({ deliveries: [] })
    const { job, study } = told('job.succeeded')[0].body.data as Record<string, { id: string; href: string }>
    expect(study.id).toBe(STUDY)
    expect((await service.get(job.href)).status).toBe(200)
    const headers = { 'x-auth-token': service.write, 'content-type': 'application/json' }
    const path = `${service.url}/api2/studies/${STUDY}/participants`
    for (const n of [1, 2, 3])
      await fetch(path, { method: 'POST', headers, body: JSON.stringify(participantOf(n, [ITEM])) })
    const current = await service.parts.studies.currentId(STUDY)
    await until(async () => told('study.published').some(({ body }) => body.data.snapshot === current))
    await removeStudy({ dataDir: service.dataDir, studyId: OTHER_STUDY, now: new Date() })
    await until(async () => told('study.removed').length === 1)
    const names: Record<string, string> = {
      'job.succeeded': 'JobSucceededEvent',
      'study.published': 'StudyPublishedEvent',
      'study.removed': 'StudyRemovedEvent',
    }
    for (const { body } of receiving.came.slice(from)) contract.checkValue(names[body.type], body)
    const all = JSON.stringify(receiving.came.slice(from).map(({ body }) => body))
    expect(all).not.toMatch(/Caf|研究|Anonymous|participant|"p1"|_age/)
    await ask('DELETE', `/webhooks/${id}`)
  })

  test('waits on the disk for a receiver that is down, and is counted', async () => {
    const { id } = await make({ events: ['job.succeeded'] })
    status = 500
    const from = receiving.came.length
    expect((await service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/saccades`)).status).toBe(200)
    await until(async () => receiving.came.length > from)
    await until(async () => (await ask('GET', `/webhooks/${id}/deliveries`)).told.deliveries.length > 0)
    expect((await ask('GET', `/webhooks/${id}`)).told.waiting).toBe(1)
    status = 200
    await ask('DELETE', `/webhooks/${id}`)
  })
})
