import { type JobEnd, outcomeOf } from '../../engine/jobs/record/state.ts'
import { createWebhook, EVENT_TYPES } from '../../engine/webhooks/webhook.ts'
import { type DeliveryParts, startDeliveries } from '../../worker/webhooks/deliver.ts'
import { jobFile, planOf } from './job-files.ts'
import { currentOf } from './stored.ts'
import type { Process, World } from './world.ts'

/** A webhook that is told of all events, and its receiver, which fails now and then as long as anything does. */

type Body = { type: string; data: { job?: { id: string; attempt: number; state: string }; snapshot?: string | null } }

/** Messages that a receiver has accepted. */
export type Received = { jobs: Set<string>; snapshots: Set<string | null> }

const FAILS = 0.3
/** Rather often than late: no world lasts for days. */
const SCHEDULE_MS = Array<number>(60).fill(2000)

export async function makeWebhook(world: World, { records }: Process): Promise<void> {
  const about = { url: 'https://example.org/hook', name: 'all', events: [...EVENT_TYPES], now: new Date() }
  await createWebhook(records, about)
  world.received = { jobs: new Set(), snapshots: new Set() }
}

export function startDelivering(world: World, process: Process, log: DeliveryParts['log']): void {
  if (world.received === null) return
  const config = { dataDir: process.dataDir, webhookNetworks: '' }
  startDeliveries({ ...process, config, log, scheduleMs: SCHEDULE_MS, send: sending(world, process) })
}

function sending(world: World, { client }: Process): NonNullable<DeliveryParts['send']> {
  const { timeline, random, disk } = world
  return (_webhook, { body }) =>
    new Promise((resolve) => {
      timeline.after(random.below(800), () => {
        if (client.isDead) return
        const fails = disk.faults > 0 && random.chance(FAILS)
        // One that fails may have taken it.
        if (!fails || random.chance(0.5)) receive(world, JSON.parse(body) as Body)
        resolve({ status: fails ? 500 : 204, error: fails ? 'answered 500' : null, ms: 1, retryAfterMs: null })
      })
    })
}

/** Nobody is told of an end that is not so. */
function receive(world: World, { type, data: { job, snapshot = null } }: Body): void {
  if (job === undefined) {
    world.received?.snapshots.add(type === 'study.removed' ? null : snapshot)
    return
  }
  world.received?.jobs.add(`${job.id} ${job.attempt}`)
  const end = jobFile(world, job.id, `${job.attempt}.end.json`)
  const plan = planOf(world, job.id)
  if (plan === null || plan.attempt > job.attempt) return
  const state = end === null ? 'open' : outcomeOf(JSON.parse(end.toString()) as JobEnd)
  if (state !== job.state)
    world.faults.push(`a webhook was told that ${job.id} ${job.attempt} ${job.state}, and it is ${state}`)
}

export function areAllTold({ disk, bucket, isInBucket }: World): boolean {
  const paths = isInBucket ? [...bucket.objects.keys()] : disk.everything().map(([path]) => path.slice(1))
  return !paths.some((path) => /^webhooks\/.*\/messages\/.*\.json$/.test(path))
}

/** Every end of a job, and what each study is now, was told. */
export function checkTold(world: World): void {
  const { received, asked, currents, faults } = world
  if (received === null) return
  if (!areAllTold(world)) faults.push('a webhook has messages that were not delivered')
  for (const id of asked.keys()) {
    const attempt = planOf(world, id)?.attempt
    const end = attempt && jobFile(world, id, `${attempt}.end.json`)
    if (!end) continue
    const { state, error } = JSON.parse(end.toString()) as JobEnd
    const isToldOf = state === 'succeeded' || state === 'failed' || (state === 'expired' && error?.code !== 'corrupt')
    if (isToldOf && !received.jobs.has(`${id} ${attempt}`)) faults.push(`no webhook was told of ${id} ${attempt}`)
  }
  for (const studyId of currents.keys()) {
    const current = currentOf(world, studyId)
    if (!received.snapshots.has(current)) faults.push(`no webhook was told that ${studyId} is ${current}`)
  }
}
