import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { VERSION } from '../../model/version.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import type { FoundJob } from '../record/read-job.ts'

/**
 * List of all jobs of a bucket in one object, `index/jobs/<ms>`, as one process had them in its index at that time. A
 * starting process reads the list and the changes since, instead of each job. It is an index: without it, or if it is
 * damaged, each job is read. The highest time wins, so a late write hides nothing.
 */

/** A job as it was read; `askedBy` has the ids of the requesting tokens while the job is open. */
export type IndexedJob = FoundJob & { askedBy: string[] }

const LISTS = 'index/jobs/'
/** Number of jobs that are serialized or parsed before the event loop gets a turn. */
const AT_ONCE = 500
const CLOCKS_DIFFER_MS = 60_000
/** Level 1 is fast enough, and JSON of jobs has much in common. */
const LEVEL = 1

/** Trailer after the jobs: the version that wrote them, and the SHA-256 of the text written. */
type Seal = { version: string; sha256: string }

/**
 * Writes the list of all jobs as of a time, and deletes those older than the previous list, which somebody may be about
 * to read.
 */
export async function writeJobList(
  store: ObjectStore,
  { atMs, lastMs }: { atMs: number; lastMs: number },
  jobs: ReadonlyMap<string, IndexedJob>,
): Promise<void> {
  const all = [...jobs]
  const hash = createHash('sha256')
  const members: Buffer[] = []
  const add = (text: string) => members.push(gzipSync(text, { level: LEVEL }))
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const text = all
      .slice(from, from + AT_ONCE)
      .map((each) => `${JSON.stringify(each)}\n`)
      .join('')
    hash.update(text)
    add(text)
    await sleep(0)
  }
  add(JSON.stringify({ version: VERSION, sha256: hash.digest('hex') } satisfies Seal))
  await store.put(`${LISTS}${stamped(atMs)}`, Buffer.concat(members))
  for (const listMs of await listTimes(store)) if (listMs < lastMs) await store.delete(`${LISTS}${stamped(listMs)}`)
}

/** Reads the newest list; null without a whole one of this version. */
export async function readJobList(
  store: ObjectStore,
  nowMs: number,
): Promise<{ atMs: number; jobs: Map<string, IndexedJob> } | null> {
  const atMs = await newestListMs(store, nowMs)
  const bytes = atMs === null ? null : await readObject(store, `${LISTS}${stamped(atMs)}`)
  if (atMs === null || bytes === null) return null
  try {
    const text = gunzipSync(bytes).toString()
    const end = text.lastIndexOf('\n') + 1
    const { version, sha256 } = JSON.parse(text.slice(end)) as Seal
    if (version !== VERSION || sha256 !== createHash('sha256').update(text.slice(0, end)).digest('hex')) return null
    const lines = text.slice(0, end).split('\n').slice(0, -1)
    const jobs = new Map<string, IndexedJob>()
    for (let from = 0; from < lines.length; from += AT_ONCE) {
      for (const line of lines.slice(from, from + AT_ONCE)) jobs.set(...(JSON.parse(line) as [string, IndexedJob]))
      await sleep(0)
    }
    return { atMs, jobs }
  } catch {
    return null
  }
}

/**
 * Returns the time of the newest list, in ms since the epoch; null without any. Lists from the future, written with a
 * wrong clock, are ignored.
 */
export async function newestListMs(store: ObjectStore, nowMs: number): Promise<number | null> {
  const latestMs = nowMs + CLOCKS_DIFFER_MS
  return (await listTimes(store)).findLast((ms) => ms <= latestMs) ?? null
}

async function listTimes(store: ObjectStore): Promise<number[]> {
  const times: number[] = []
  for await (const { key } of store.list(LISTS)) times.push(Number(key.slice(LISTS.length)))
  return times.filter(Number.isSafeInteger).sort((a, b) => a - b)
}

/** Formats a time so that keys sort by it. @param ms since the epoch */
export function stamped(ms: number): string {
  return String(ms).padStart(13, '0')
}
