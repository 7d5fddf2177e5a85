import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Random } from '../../demo/random.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { patience } from '../patience.ts'
import { type Cluster, PATIENCE_MS, pause, type Wish } from './cluster.ts'

/** Observations of the clients of a run. `wrong` must stay empty. */
export type Tally = {
  asked: number
  answeredAtOnce: number
  promised: number
  succeeded: number
  failedOnFullDisk: number
  withdrawn: number
  refused: number
  unreachable: number
  downloads: number
  cuts: number
  left: number
  costByDamage: number
  wrong: string[]
}

export const emptyTally = (): Tally => ({
  asked: 0,
  answeredAtOnce: 0,
  promised: 0,
  succeeded: 0,
  failedOnFullDisk: 0,
  withdrawn: 0,
  refused: 0,
  unreachable: 0,
  downloads: 0,
  cuts: 0,
  left: 0,
  costByDamage: 0,
  wrong: [],
})

type Context = {
  cluster: Cluster
  token: string
  random: Random
  tally: Tally
  /** Returns whether the disk was recently full, so that jobs may have failed because of it. */
  wasFull: () => boolean
}

/** Longer than any answer is held, on a machine at rest. */
const ANSWERED_AFTER_MS = 30_000
const REFUSALS = [429, 503, 507]
/** Damage done before a promise may still be found after it. */
const DAMAGE_SHOWS_MS = 10_000

/** Asks for exports, one after another, until told to stop; then sees its last one to its end. */
export async function runClient(context: Context, isOver: () => boolean): Promise<void> {
  const { cluster, random, tally } = context
  while (!isOver()) {
    const wish = cluster.wishes[Math.floor(random.uniform() * cluster.wishes.length)]
    try {
      await wishFor(wish, context)
      if (random.uniform() < 0.1) await list(context)
    } catch (error) {
      if (error instanceof CostByDamage) tally.costByDamage++
      else tally.wrong.push(`${wish.name}: ${String((error as Error).stack)}`)
    }
    await pause(random.uniform() * 100)
  }
}

async function wishFor(wish: Wish, context: Context): Promise<void> {
  const { random, tally } = context
  tally.asked++
  const styles: Record<string, string>[] = [{ prefer: 'respond-async' }, { prefer: 'wait=1' }, {}]
  const coding = random.uniform() < 0.3 ? 'gzip' : 'identity'
  const headers = { ...styles[Math.floor(random.uniform() * styles.length)], 'accept-encoding': coding }
  const leavesAfterMs = random.uniform() < 0.1 ? random.uniform() * 500 : null
  const answer = await ask(context, wish.path, { headers, leavesAfterMs, isPartial: true })
  if (answer?.status === 200 && coding === 'identity') await checkPart(wish, answer.body, 0)
  if (answer === null || !answer.isWhole) {
    if (leavesAfterMs === null) tally.unreachable++
    else tally.left++
    return pause(200)
  }
  if (answer.status === 200) {
    checkWhole(wish, coding === 'gzip' ? gunzipSync(answer.body) : answer.body, tally)
    // So that it is computed again.
    return random.uniform() < 0.7 ? withdraw(wish, context, null) : undefined
  }
  if (answer.status === 202) return follow(wish, JSON.parse(answer.body.toString()) as JobView, context)
  if (REFUSALS.includes(answer.status)) {
    tally.refused++
    if (answer.header('retry-after') === undefined && answer.status !== 507)
      throw new Error('refused without Retry-After')
    return pause(300)
  }
  if (isGone(answer.status)) return pause(300)
  if (failedOfFullDisk(answer, context)) return pause(300)
  throw new Error(`asked, answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`)
}

/** Somebody else withdrew while this one was held, and before it had been promised anything. */
const isGone = (status: number) => status === 410

function failedOfFullDisk({ status }: Answer, { wasFull }: Context): boolean {
  return status >= 500 && wasFull()
}

function checkWhole(wish: Wish, body: Buffer, tally: Tally): void {
  tally.answeredAtOnce++
  if (!isRight(wish, body)) throw new Error(`200 with ${body.length} bytes that are not those of the file`)
}

/** Asks for a file, plain and coded, until both are given whole; whatever came before, they must be right. */
export async function askUntilRight(wish: Wish, context: Pick<Context, 'cluster' | 'token'>): Promise<void> {
  for (const coding of ['identity', 'gzip']) {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const answer = await fetchOrNot(context, wish.path, { headers: { 'accept-encoding': coding } })
      if (answer?.status === 200) {
        const body = coding === 'gzip' ? gunzipSync(answer.body) : answer.body
        if (!isRight(wish, body))
          throw new Error(`${wish.name} (${coding}): 200 with other bytes than those of the file`)
        break
      }
      if (Date.now() > deadline) throw new Error(`${wish.name} (${coding}): not given in time, but ${answer?.status}`)
      await pause(200)
    }
  }
}

function isRight(wish: Wish, body: Buffer): boolean {
  return createHash('sha256').update(body).digest('hex') === wish.sha256
}

/** Checks the bytes that arrived before the connection broke. */
async function checkPart(wish: Wish, body: Buffer, start: number): Promise<void> {
  const file = await open(wish.peaceful, 'r')
  try {
    const right = Buffer.alloc(body.length)
    await file.read(right, 0, right.length, start)
    if (!right.equals(body)) throw new Error(`${body.length} bytes from ${start} on that are not those of the file`)
  } finally {
    await file.close()
  }
}

/** Whatever is damaged, the list of jobs is given. */
async function list(context: Context): Promise<void> {
  const answer = await ask(context, '/api2/jobs')
  if (answer !== null && answer.status !== 200 && !REFUSALS.includes(answer.status))
    throw new Error(`asked for all jobs, answered ${answer.status}: ${answer.body.toString().slice(0, 300)}`)
}

/** Damage on disk has destroyed the plan or file of a promised job, which is requested again. */
class CostByDamage extends Error {}

function unlessDamaged({ jobId }: Wish, { cluster }: Context, sinceMs: number, what: string): Error {
  const isStruck = (cluster.damagedAt.get(jobId) ?? 0) > sinceMs - DAMAGE_SHOWS_MS
  return isStruck ? new CostByDamage(what) : new Error(what)
}

/** From the promise to the whole file, and perhaps to taking it back. */
async function follow(wish: Wish, promised: JobView, context: Context): Promise<void> {
  const { random, tally } = context
  const promisedMs = Date.now()
  tally.promised++
  if (promised.id !== wish.jobId) throw new Error(`promised ${promised.id} for ${wish.jobId}`)
  if (random.uniform() < 0.15) {
    await pause(random.uniform() * 800)
    return withdraw(wish, context, promisedMs)
  }
  const job = await untilEnded(wish, context, promisedMs)
  if (job.state === 'failed' && context.wasFull() && job.error?.status === 507) {
    tally.failedOnFullDisk++
    return
  }
  if (job.state !== 'succeeded')
    throw unlessDamaged(wish, context, promisedMs, `promised, and then ${job.state}: ${JSON.stringify(job.error)}`)
  tally.succeeded++
  if (job.file?.sha256 !== wish.sha256) throw new Error('the job names another SHA-256')
  if (random.uniform() < 0.5) await download(wish, job, context, promisedMs)
  if (random.uniform() < 0.8) await withdraw(wish, context, promisedMs)
}

async function untilEnded(wish: Wish, context: Context, promisedMs: number): Promise<JobView> {
  const { random } = context
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    if (Date.now() > deadline) throw new Error('promised, and not ended in time')
    const answer =
      random.uniform() < 0.2 ? await lastEvent(wish, context) : await ask(context, `/api2/jobs/${wish.jobId}`)
    if (answer?.status === 200) {
      const job = JSON.parse(answer.body.toString()) as JobView
      if (!['queued', 'running'].includes(job.state)) return job
    } else if (answer !== null && answer.status < 500)
      throw unlessDamaged(wish, context, promisedMs, `promised, and then ${answer.status}`)
    await pause(100 + random.uniform() * 300)
  }
}

/** The last job that an event stream told of, before it ended or broke. */
async function lastEvent(wish: Wish, context: Context): Promise<Answer | null> {
  const seen = await ask(context, `/api2/jobs/${wish.jobId}/events`, { leavesAfterMs: 3000, isPartial: true })
  const last = seen?.body
    .toString()
    .split('\n\n')
    .filter((event) => event.includes('data: '))
    .at(-1)
  const text = last === undefined ? undefined : /data: (.*)$/s.exec(last)?.[1]
  // The last of a stream that broke may be cut short.
  if (seen === null || text === undefined || !text.endsWith('}')) return null
  return { ...seen, body: Buffer.from(text) }
}

/** Downloads in pieces, cut off at random places, each resumed where the last one broke. */
async function download(wish: Wish, job: JobView, context: Context, promisedMs: number): Promise<void> {
  const { random, tally } = context
  tally.downloads++
  const hash = createHash('sha256')
  const total = job.file!.bytes
  const deadline = Date.now() + PATIENCE_MS
  for (let at = 0; at < total; ) {
    if (Date.now() > deadline) throw new Error('a download did not come to its end')
    const isCut = random.uniform() < 0.7
    const cutAfter = isCut ? Math.ceil((random.uniform() * total) / 2) : Number.POSITIVE_INFINITY
    const headers = { range: `bytes=${at}-`, 'if-range': `"${wish.jobId.slice(1)}"`, 'accept-encoding': 'identity' }
    const answer = await ask(context, job.file!.href, { headers, isPartial: true, cutAfter })
    if (answer === null || answer.status >= 500) {
      await pause(150)
      continue
    }
    if (answer.status !== 206)
      throw unlessDamaged(wish, context, promisedMs, `resumed at ${at} of ${total}, answered ${answer.status}`)
    await checkPart(wish, answer.body, at)
    if (isCut) tally.cuts++
    hash.update(answer.body)
    at += answer.body.length
  }
  if (hash.digest('hex') !== wish.sha256) throw new Error('a resumed download is another file')
}

/** @param promisedMs null for what was computed at once: without a queue, that is no job */
async function withdraw(wish: Wish, context: Context, promisedMs: number | null): Promise<void> {
  const answer = await ask(context, `/api2/jobs/${wish.jobId}`, { method: 'DELETE' })
  if (answer === null || answer.status >= 500) return
  if (answer.status === 404 && promisedMs === null) return
  const since = promisedMs ?? Date.now()
  if (answer.status !== 204) throw unlessDamaged(wish, context, since, `withdrawn, answered ${answer.status}`)
  context.tally.withdrawn++
  const after = await ask(context, `/api2/jobs/${wish.jobId}`)
  if (after !== null && after.status !== 200 && after.status < 500)
    throw unlessDamaged(wish, context, since, `withdrawn, and then ${after.status} instead of a job that can be read`)
}

/** `isWhole`: to its last byte. */
export type Answer = { isWhole: boolean; status: number; header: (name: string) => string | undefined; body: Buffer }

/** Requests like a client: whatever dies, the answer must be right, or say that it comes later. */
async function ask(context: Context, path: string, options: Parameters<typeof fetchOrNot>[2] = {}) {
  const answer = await fetchOrNot(context, path, options)
  if (answer !== null && answer.status >= 500 && !failedOfFullDisk(answer, context)) {
    const what = `${options.method ?? 'GET'} ${path}, answered ${answer.status}`
    if (answer.status !== 503) throw new Error(`${what}: ${answer.body.toString().slice(0, 500)}`)
    if (answer.header('retry-after') === undefined) throw new Error(`${what} without Retry-After`)
  }
  return answer
}

let turns = 0

/** Uses several servers in turn, like a load balancer. */
function nextUrl({ residents }: Cluster): string {
  const urls = residents.map(({ url }) => url).filter((url) => url !== null)
  return urls[turns++ % urls.length]
}

/** null when the server could not be reached, or, unless a part will do, broke off in the middle. */
export function fetchOrNot(
  { cluster, token }: Pick<Context, 'cluster' | 'token'>,
  path: string,
  {
    method = 'GET',
    headers = {},
    leavesAfterMs = null,
    isPartial = false,
    cutAfter = Number.POSITIVE_INFINITY,
  }: {
    method?: string
    headers?: Record<string, string>
    leavesAfterMs?: number | null
    isPartial?: boolean
    cutAfter?: number
  },
): Promise<Answer | null> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    let seen: IncomingMessage | null = null
    const finish = (isWhole: boolean) => {
      clearTimeout(timer)
      req.destroy()
      if (seen === null || !(isWhole || isPartial)) return resolve(null)
      const { statusCode = 0, headers: said } = seen
      const body = Buffer.concat(pieces).subarray(0, Math.min(bytes, cutAfter))
      resolve({ isWhole, status: statusCode, header: (name) => said[name]?.toString(), body })
    }
    const options = { method, agent: false, headers: { 'x-auth-token': token, ...headers } }
    const req = request(nextUrl(cluster) + path, options, (response) => {
      seen = response
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        bytes += piece.length
        if (bytes >= cutAfter) finish(true)
      })
      response.on('end', () => finish(response.complete))
      response.on('error', () => finish(false))
      response.on('close', () => finish(response.complete))
    })
    req.on('error', () => finish(false))
    const answeredAfterMs = ANSWERED_AFTER_MS * patience()
    const timer = setTimeout(() => {
      if (leavesAfterMs !== null) return finish(false)
      req.destroy()
      reject(new Error(`${method} ${path}: no whole answer in ${answeredAfterMs / 1000} s`))
    }, leavesAfterMs ?? answeredAfterMs)
    req.end()
  })
}
