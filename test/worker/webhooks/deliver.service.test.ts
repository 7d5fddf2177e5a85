import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endJob } from '../../../engine/jobs/end-job.ts'
import { requestJob } from '../../../engine/jobs/request-job.ts'
import { withdrawInterest } from '../../../engine/jobs/withdraw-job.ts'
import { directoryHome } from '../../../engine/study/home.ts'
import { listDeliveries } from '../../../engine/webhooks/delivery-log.ts'
import { messageIds, readMessage } from '../../../engine/webhooks/message.ts'
import { notifyJob } from '../../../engine/webhooks/notify-job.ts'
import {
  createWebhook,
  EVENT_TYPES,
  enableWebhook,
  readWebhook,
  rotateSecret,
} from '../../../engine/webhooks/webhook.ts'
import { type DeliveryParts, startDeliveries } from '../../../worker/webhooks/deliver.ts'
import { uuid } from '../../engine/import/bundles.ts'
import { asked, failed, type JobFixture, openJobFixture, planOf, succeeded } from '../../engine/jobs/job-fixture.ts'
import { until } from '../../server/test-server.ts'
import { receive } from './receiving.ts'

const PROCESS = fileURLToPath(new URL('./process.mjs', import.meta.url))

let fixture: JobFixture
let stop: (() => Promise<void>)[]
beforeEach(async () => {
  fixture = await openJobFixture()
  stop = []
})
afterEach(async () => {
  for (const each of stop.reverse()) await each()
  await fixture.remove()
})

async function webhookTo(answer: Parameters<typeof receive>[0]) {
  const receiving = await receive(answer)
  stop.push(receiving.close)
  const made = { url: receiving.url, name: 'lab', events: [...EVENT_TYPES], now: new Date() }
  const webhook = await createWebhook(fixture.dataDir, made)
  receiving.secret.value = webhook.secrets[0].secret
  return { ...receiving, id: webhook.id }
}

function deliver(more: Partial<DeliveryParts> = {}) {
  const quiet = () => undefined
  const log = { debug: quiet, info: quiet, warn: quiet, error: (about: object) => console.error(about) }
  const config = { webhookNetworks: '127.0.0.0/8' }
  const deliveries = startDeliveries({
    config,
    ...directoryHome(fixture.dataDir),
    jobs: fixture.jobs,
    log,
    scheduleMs: [10, 10],
    lookEveryMs: 20,
    ...more,
  })
  stop.push(deliveries.close)
  return deliveries
}

/** Ends jobs of a study, one after the other. */
async function endJobs(count: number, study = 1): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const plan = planOf(`${study}${i}`.padStart(64, 'a'), uuid('d', study))
    const { id, attempt } = await requestJob(fixture.jobs, plan, asked())
    await endJob(fixture.jobs, id, attempt, {
      ...(i % 10 === 9 ? failed : succeeded),
      finishedAt: new Date().toISOString(),
    })
    ids.push(id)
  }
  return ids
}

test('two hundred messages arrive, though a third of the tries fails and the process is killed in the middle', async () => {
  const to = await webhookTo((n) => (n % 3 === 1 ? 500 : 204))
  const ids = (await Promise.all(Array.from({ length: 10 }, (_, i) => endJobs(20, i + 1)))).flat()
  const first = spawn(process.execPath, [PROCESS, fixture.dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  await until(async () => to.taken().length >= 60)
  first.kill('SIGKILL')
  await once(first, 'exit')
  expect((await messageIds(fixture.dataDir, to.id)).length).toBeGreaterThan(0)
  deliver({ scheduleMs: Array(20).fill(10) })
  await until(async () => (await messageIds(fixture.dataDir, to.id)).length === 0)
  const jobOf = ({ body }: (typeof to.came)[number]) => (body.data.job as { id: string }).id
  expect(new Set(to.taken().map(jobOf))).toEqual(new Set(ids))
  expect(new Set(to.taken().map(({ id }) => id)).size).toBe(ids.length)
  expect(to.came.length).toBeGreaterThan(280)
  expect(new Set(to.taken().map(({ body }) => body.type))).toEqual(new Set(['job.succeeded', 'job.failed']))
})

test('what is sent names ids and links, and is what the reference library verifies', async () => {
  const to = await webhookTo(() => 200)
  const [id] = await endJobs(1)
  deliver()
  await until(async () => to.came.length === 1)
  const [{ body, headers }] = to.came
  const study = uuid('d', 1)
  expect(body).toEqual({
    type: 'job.succeeded',
    timestamp: expect.stringMatching(/^20/),
    data: {
      job: { id, href: `/api2/jobs/${id}`, attempt: 1, state: 'succeeded', finishedAt: body.timestamp },
      export: 'fixations',
      study: { id: study, href: `/api2/studies/${study}` },
      snapshot: '10'.padStart(64, 'a'),
      file: { href: `/api2/jobs/${id}/file`, bytes: 4, rows: 1, sha256: succeeded.file?.plain.sha256 },
    },
  })
  expect(headers['content-type']).toBe('application/json')
  expect(headers['user-agent']).toMatch(/^Gazette\//)
})

describe('the end of a job', () => {
  const ending = (id: string) => ({
    id,
    attempt: 1,
    plan: planOf(),
    finishedAt: new Date().toISOString(),
    file: null,
    parts: null,
    errorCode: null,
  })

  test('is told only once it is written, and not at all if the job ended otherwise', async () => {
    const to = await webhookTo(() => 200)
    const late = await requestJob(fixture.jobs, planOf('b'.repeat(64)), asked())
    const canceled = await requestJob(fixture.jobs, planOf('c'.repeat(64)), asked())
    // As processes leave them that were killed before they wrote the end.
    for (const { id } of [late, canceled]) await notifyJob(fixture.dataDir, { ...ending(id), state: 'succeeded' })
    await withdrawInterest(fixture.jobs, canceled.id, 'all', new Date())
    deliver()
    await until(async () => (await messageIds(fixture.dataDir, to.id)).length === 1)
    expect(to.came).toEqual([])
    await endJob(fixture.jobs, late.id, 1, succeeded)
    await until(async () => to.came.length === 1)
    expect((to.came[0].body.data.job as { id: string }).id).toBe(late.id)
  })
})

describe('a receiver', () => {
  test('that asks to be left alone is, and one that is gone is left alone for good', async () => {
    const to = await webhookTo((n) => (n === 0 ? { status: 503, headers: { 'retry-after': '600' } } : 410))
    await endJobs(1)
    const [first] = await messageIds(fixture.dataDir, to.id)
    const deliveries = deliver()
    await until(async () => ((await readMessage(fixture.dataDir, to.id, first))?.tries ?? 0) === 1)
    const { nextAt } = (await readMessage(fixture.dataDir, to.id, first))!
    expect(Date.parse(nextAt!) - Date.now()).toBeGreaterThan(590_000)
    await deliveries.close()
    await endJobs(1, 2)
    deliver()
    await until(async () => (await readWebhook(fixture.dataDir, to.id))?.disabled?.why === 'gone')
    await endJobs(1, 3)
    expect(to.came).toHaveLength(2)
    expect(await messageIds(fixture.dataDir, to.id)).toHaveLength(2)
  })

  test('that is gone is not asked again, whoever looks at that moment', async () => {
    const gone: Awaited<ReturnType<typeof webhookTo>>[] = []
    for (let i = 0; i < 40; i++) gone.push(await webhookTo(() => 410))
    await endJobs(1)
    deliver({ lookEveryMs: 1, scheduleMs: [0, 0, 0] })
    for (const { id } of gone)
      await until(async () => (await readWebhook(fixture.dataDir, id))?.disabled?.why === 'gone')
    await setTimeout(200)
    expect(gone.map(({ came }) => came.length)).toEqual(gone.map(() => 1))
  })

  test('that redirects is not followed, and after the last try the message is given up and the webhook switched off', async () => {
    const to = await webhookTo(() => ({ status: 307, headers: { location: '/elsewhere' } }))
    await endJobs(1)
    deliver()
    await until(async () => (await readWebhook(fixture.dataDir, to.id))?.disabled?.why === 'failing')
    const tries = await listDeliveries(fixture.dataDir, to.id, 10)
    expect(tries.map(({ outcome, status, error }) => [outcome, status, error])).toEqual([
      ['given up', 307, 'answered 307'],
      ['failed', 307, 'answered 307'],
      ['failed', 307, 'answered 307'],
    ])
    expect(new Set(to.came.map(({ id }) => id)).size).toBe(1)
    await enableWebhook(fixture.dataDir, to.id)
    expect(await readWebhook(fixture.dataDir, to.id)).toMatchObject({ disabled: null })
  })

  test('gets what happened in a study in order, and the rest of it before what fails again and again', async () => {
    let isUp = false
    const to = await webhookTo((_n, { id }) => (id === bad && !isUp ? 500 : 200))
    const jobs = await endJobs(4)
    const all = await Promise.all(
      (await messageIds(fixture.dataDir, to.id)).map((id) => readMessage(fixture.dataDir, to.id, id)),
    )
    const bad = all.find((message) => message?.job?.id === jobs[1])!.id
    deliver({ scheduleMs: [10, 300, 300, 300, 300] })
    await until(async () => to.taken().length === 3)
    isUp = true
    await until(async () => to.taken().length === 4)
    const order = to.taken().map(({ body }) => jobs.indexOf((body.data.job as { id: string }).id))
    expect(order).toEqual([0, 2, 3, 1])
    expect(to.came.map(({ id }) => id === bad).slice(0, 3)).toEqual([false, true, true])
  })

  test('knows messages by the old secret for a day after a new one was made', async () => {
    const to = await webhookTo(() => 200)
    const { secrets } = await rotateSecret(fixture.dataDir, to.id, new Date())
    await endJobs(1)
    deliver()
    await until(async () => to.came.length === 1)
    const [{ headers }] = to.came
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2)
    to.secret.value = secrets[0].secret
    await endJobs(1, 2)
    await until(async () => to.came.length === 2)
    await rotateSecret(fixture.dataDir, to.id, new Date(Date.now() - 25 * 3_600_000))
    to.secret.value = (await readWebhook(fixture.dataDir, to.id))!.secrets[0].secret
    await endJobs(1, 3)
    await until(async () => to.came.length === 3)
    expect(String(to.came[2].headers['webhook-signature']).split(' ')).toHaveLength(1)
  })
})
