import { createHash } from 'node:crypto'
import { setImmediate as giveWay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ServiceError } from '../model/errors.ts'
import { VERSION } from '../model/version.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'
import type { IndexedJob } from './job-index.ts'

/**
 * All jobs of a store in one object, `index/jobs/<ms>`, as one process had them in its index at that time: so another that starts reads
 * this and what has changed since, not each job. It is no truth: without it, or with a damaged one, each job is read. The highest time
 * wins, so that whoever writes late hides nothing.
 */

const LISTS = 'index/jobs/'
/** Jobs that are turned into text or back before others get their turn. */
const AT_ONCE = 500
const CLOCKS_DIFFER_MS = 60_000
/** Level 1 is fast enough, and JSON of jobs has much in common. */
const packed = (text: string) => promisify(gzip)(text, { level: 1 })
const unpacked = promisify(gunzip)

/** Writes the list of all jobs, as they were at a time, and removes earlier ones. */
export async function writeJobList(
  store: ObjectStore,
  atMs: number,
  jobs: ReadonlyMap<string, IndexedJob>,
): Promise<void> {
  const lines: string[] = []
  for (const [id, job] of jobs) {
    lines.push(`${JSON.stringify([id, job])}\n`)
    if (lines.length % AT_ONCE === 0) await giveWay()
  }
  const text = lines.join('')
  const head = JSON.stringify({ version: VERSION, jobs: jobs.size, sha256: hashOf(text) })
  await store.put(`${LISTS}${stamped(atMs)}`, await packed(`${head}\n${text}`))
  for (const listMs of await listTimes(store)) if (listMs < atMs) await store.delete(`${LISTS}${stamped(listMs)}`)
}

/** Reads the newest list; null when there is none that this version wrote whole. */
export async function readJobList(store: ObjectStore): Promise<{ atMs: number; jobs: Map<string, IndexedJob> } | null> {
  const atMs = await newestListMs(store)
  const bytes = atMs === null ? null : await readObject(store, `${LISTS}${stamped(atMs)}`)
  if (atMs === null || bytes === null) return null
  try {
    const text = (await unpacked(bytes)).toString()
    const end = text.indexOf('\n') + 1
    const { version, sha256 } = JSON.parse(text.slice(0, end)) as { version: string; sha256: string }
    if (version !== VERSION || sha256 !== hashOf(text.slice(end))) return null
    const jobs = new Map<string, IndexedJob>()
    for (const line of text.slice(end).split('\n')) {
      if (line !== '') jobs.set(...(JSON.parse(line) as [string, IndexedJob]))
      if (jobs.size % AT_ONCE === 0) await giveWay()
    }
    return { atMs, jobs }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    return null
  }
}

/** Returns the time of the newest list, in ms since the epoch; null without any. One from the future hides nothing: a clock was wrong. */
export async function newestListMs(store: ObjectStore): Promise<number | null> {
  const latestMs = Date.now() + CLOCKS_DIFFER_MS
  return (await listTimes(store)).findLast((ms) => ms <= latestMs) ?? null
}

async function listTimes(store: ObjectStore): Promise<number[]> {
  const times: number[] = []
  for await (const { key } of store.list(LISTS)) times.push(Number(key.slice(LISTS.length)))
  return times.filter(Number.isSafeInteger).sort((a, b) => a - b)
}

function stamped(ms: number): string {
  return String(ms).padStart(13, '0')
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
