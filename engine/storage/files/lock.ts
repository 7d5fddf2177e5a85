import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { link, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../model/errors.ts'
import { isCode, isDiskFull, nullIfAbsent } from '../../model/system-errors.ts'
import { stopwatch } from '../concurrency/intervals.ts'
import { makeDirectory } from './durable.ts'
import { fileAgeMs, touchFile } from './file-age.ts'
import { TEMPORARY_PREFIX } from './layout.ts'

/** Holder of a lock. A process id alone does not identify it: ids are reused, and mean nothing on another machine. */
type Owner = { place: string; pid: number; startedAt: string; nonce: string }

export type Lock = {
  /** Returns false if another process has taken the lock over, as it may when this one stalled. */
  isHeld: () => Promise<boolean>
  release: () => Promise<void>
}

const BEAT_MS = 5000
/** Time without a heartbeat after which an owner whose process cannot be looked up is dead. */
const SILENT_MS = 30_000
const STUDY_LOCK = 'lock'
/** Owner of an unreadable lock. Locks are created atomically, so no living owner wrote it. */
const UNREADABLE: Owner = { place: '', pid: 0, startedAt: '', nonce: 'unreadable' }

/**
 * Takes a lock file, also from a dead owner; null while a living process holds it. A heartbeat touches it every 5 s
 * until it is released.
 *
 * @param path its directory is made if need be
 * @throws ServiceError disk_full
 */
export async function takeLock(path: string): Promise<Lock | null> {
  const nonce = randomBytes(9).toString('hex')
  const aside = `${path}.${nonce}.tmp`
  try {
    await writeInside(aside, JSON.stringify({ place, pid: process.pid, startedAt: ownStart, nonce }))
    for (let tries = 0; tries < 5; tries++) {
      if (await linked(aside, path)) return await heldLock(path, nonce)
      const theirs = await readOwner(path)
      if (theirs === null) continue
      if ((await isAlive(path, theirs)) || !(await inherited(path, theirs, aside))) return null
      return await heldLock(path, nonce)
    }
    return null
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause
    throw new ServiceError('disk_full', 'the disk is full: there is no room for a lock', { cause })
  } finally {
    // The next owner of the lock removes any leftover; a lock that is held must not be lost for it.
    await rm(aside, { force: true }).catch(() => undefined)
  }
}

const LOOK_EVERY_MS = 8

/** Takes a lock as `takeLock`, with a timeout. @returns null when it is still held after `waitMs` */
export async function takeLockWithin(path: string, waitMs: number): Promise<Lock | null> {
  const waitedMs = stopwatch()
  let lock = await takeLock(path)
  while (lock === null && waitedMs() < waitMs) {
    await sleep(LOOK_EVERY_MS)
    lock = await takeLock(path)
  }
  return lock
}

/**
 * Runs `work` under the lock of a study, and before that removes leftovers of killed processes. The lock of a dead
 * owner is taken over.
 *
 * @param directory the study's; made when it is not there, and removed again if nothing was published in it
 * @param waitMs how long to wait for another
 * @throws ServiceError busy when a living process holds it, disk_full
 */
export async function withStudyLock<T>(directory: string, work: () => Promise<T>, waitMs = 0): Promise<T> {
  let lock: Lock | null = null
  try {
    lock = await takeLockWithin(join(directory, STUDY_LOCK), waitMs)
    if (lock === null) throw new ServiceError('busy', 'another import or removal is at work on this study')
    await removeLeftovers(directory)
    return await work()
  } finally {
    await lock?.release()
    // Not empty when anything was ever published.
    await rmdir(directory).catch(() => {})
  }
}

/**
 * Takes over the lock of a dead owner. Only one process may do so: the holder of a second lock, named after that owner.
 */
async function inherited(path: string, dead: Owner, aside: string): Promise<boolean> {
  const right = await takeLock(`${path}.${dead.nonce}`)
  if (right === null) return false
  try {
    // Another heir may have been here before, and be done with that right.
    if ((await readOwner(path))?.nonce !== dead.nonce) return false
    await rename(aside, path)
    return true
  } finally {
    await right.release()
  }
}

async function heldLock(path: string, nonce: string): Promise<Lock> {
  // Remove files of processes killed while they took the lock. A live one that loses its file finds the lock held.
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (name.startsWith(`${basename(path)}.`))
      await rm(join(dirname(path), name), { force: true }).catch(() => undefined)
  }
  const isHeld = async () => (await readOwner(path))?.nonce === nonce
  const beat = setInterval(async () => {
    if (await isHeld().catch(() => false)) await touchFile(path).catch(() => undefined)
  }, BEAT_MS)
  beat.unref()
  return {
    isHeld,
    release: async () => {
      clearInterval(beat)
      const remove = async () => {
        if (await isHeld()) await rm(path, { force: true })
      }
      // While this process lives, nobody else may take the lock: so retry until the removal works.
      await remove().catch(() => {
        const again = setInterval(() => {
          remove().then(
            () => clearInterval(again),
            () => undefined,
          )
        }, BEAT_MS).unref()
      })
    },
  }
}

async function isAlive(path: string, owner: Owner): Promise<boolean> {
  if (owner === UNREADABLE) return false
  if (owner.place === place) {
    if (!isRunning(owner.pid)) return false
    if (owner.startedAt !== '') return startOf(owner.pid) === owner.startedAt
  }
  try {
    return fileAgeMs((await stat(path)).mtimeMs) < SILENT_MS
  } catch (error) {
    // A disk that fails says nothing about the owner.
    return !isCode(error, 'ENOENT')
  }
}

/** Reads the owner of a lock; null if nobody holds it. */
async function readOwner(path: string): Promise<Owner | null> {
  const json = await readFile(path, 'utf8').catch(nullIfAbsent)
  if (json === null) return null
  try {
    const owner = JSON.parse(json) as Owner
    // The nonce becomes a part of a file's name.
    if (Number.isInteger(owner.pid) && /^[0-9a-f]+$/.test(owner.nonce)) return owner
  } catch {
    // Not JSON: as unreadable as JSON of another shape.
  }
  return UNREADABLE
}

/** Names the process that holds a lock, for a sentence: ` (process 1234)`; '' if nobody does. */
export async function holderText(path: string): Promise<string> {
  const owner = await readOwner(path)
  if (owner === null || owner === UNREADABLE) return ''
  return ` (process ${owner.pid}${owner.place === place ? '' : ' of another machine or container'})`
}

/** Writes a file into a lock's directory, which its last owner may remove at any moment. */
async function writeInside(path: string, text: string): Promise<void> {
  for (;;) {
    await makeDirectory(dirname(path))
    try {
      return await writeFile(path, text)
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error
    }
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST', 'ENOENT')) return false
    throw error
  }
}

/** Returns true if a process with that id runs on this machine. */
export function isRunning(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

/** Returns the start time of a process, in ticks since boot; '' where the system does not tell. */
function startOf(pid: number): string {
  try {
    // The second field is the program's name in parentheses, which may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[19] ?? ''
  } catch {
    return ''
  }
}

const ownStart = startOf(process.pid)

/** Scope in which a process id is unique: this boot of this machine, and this container. */
const place = (() => {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
})()

/** Identifies this process to others on this machine: boot and pid namespace, pid, start; '' where that is unknown. */
export const processMark = place.includes(' ') && ownStart !== '' ? `${place} ${process.pid} ${ownStart}` : ''

/** Returns true if a mark is of a process of this machine that has ended; false if it runs, or nobody here can tell. */
export function hasEnded(mark: string): boolean {
  const [pid, start] = mark.startsWith(`${place} `) ? mark.slice(place.length + 1).split(' ') : []
  if (start === undefined) return false
  const now = startOf(Number(pid))
  return now === '' ? !isRunning(Number(pid)) : now !== start
}

/** Returns true if a name in a study's directory is temporary, or a lock: a leftover, unless a process is at work. */
export function isLeftover(name: string): boolean {
  return isWork(name) || name.startsWith(STUDY_LOCK)
}

function isWork(name: string): boolean {
  return name.startsWith(TEMPORARY_PREFIX) || name.endsWith('.tmp')
}

/** Removes leftovers of killed owners: unfinished snapshots, spilled data, temporary files. */
async function removeLeftovers(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter(isWork)
  await Promise.all(names.map((name) => rm(join(directory, name), { recursive: true, force: true })))
}
