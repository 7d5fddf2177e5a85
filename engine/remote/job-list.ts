import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Found } from '../jobs/record/read-job.ts'
import { VERSION } from '../model/version.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'

/**
 * All jobs of a store in one object, `index/jobs/<ms>`, as one process had them in its index at that time: so another
 * that starts reads this and what has changed since, not each job. It is no truth: without it, or with a damaged one,
 * each job is read. The highest time wins, so that whoever writes late hides nothing.
 */

/** A job as it was read; `askedBy` are the ids of tokens, of an open one alone. */
export type IndexedJob = Found & { askedBy: string[] }

const LISTS = 'index/jobs/'
/** Jobs that are turned into text, or back, before others get their turn. */
const AT_ONCE = 500
const CLOCKS_DIFFER_MS = 60_000
/** Level 1 is fast enough, and JSON of jobs has much in common. */
const LEVEL = 1

/** Trailer after the jobs: the version that wrote them, and the SHA-256 of the text written. */
type Seal = { version: string; sha256: string }

/**
 * Writes the list of all jobs, as they were at a time, and removes those before the last: somebody may be about to read
 * that.
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

/** Reads the newest list; null when there is none that this version wrote whole. */
export async function readJobList(store: ObjectStore): Promise<{ atMs: number; jobs: Map<string, IndexedJob> } | null> {
  const atMs = await newestListMs(store)
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
 * Returns the time of the newest list, in ms since the epoch; null without any. One from the future hides nothing: a
 * clock was wrong.
 */
export async function newestListMs(store: ObjectStore): Promise<number | null> {
  const latestMs = Date.now() + CLOCKS_DIFFER_MS
  return (await listTimes(store)).findLast((ms) => ms <= latestMs) ?? null
}

async function listTimes(store: ObjectStore): Promise<number[]> {
  const times: number[] = []
  for await (const { key } of store.list(LISTS)) times.push(Number(key.slice(LISTS.length)))
  return times.filter(Number.isSafeInteger).sort((a, b) => a - b)
}

/** Writes a time so that keys sort by it. @param ms since the epoch */
export function stamped(ms: number): string {
  return String(ms).padStart(13, '0')
}
