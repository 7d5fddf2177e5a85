import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { isCode } from '../engine/store/durable.ts'

/** Who holds a lock. A process id alone says little: it is reused, and means nothing on another machine. */
type Owner = { place: string; pid: number; startedAt: string; nonce: string }

export type Lock = {
  /** False once another process has taken it, as it may when this one stood still for long. */
  isHeld: () => Promise<boolean>
  release: () => Promise<void>
}

const BEAT_MS = 5000
/** An owner whose process cannot be looked up is dead when it has not touched the file for this long. */
const SILENT_MS = 30_000

/**
 * Takes a lock file, also from a dead owner; null when a living process holds it. It is touched every 5 s until released.
 *
 * @param path its directory is made if need be
 */
export async function takeLock(path: string): Promise<Lock | null> {
  await mkdir(dirname(path), { recursive: true })
  const nonce = randomBytes(9).toString('hex')
  const aside = `${path}.${nonce}.tmp`
  const mine: Owner = { place, pid: process.pid, startedAt: startOf(process.pid), nonce }
  await writeFile(aside, JSON.stringify(mine))
  try {
    for (let tries = 0; tries < 5; tries++) {
      if (await linked(aside, path)) return heldLock(path, nonce)
      const theirs = await readOwner(path)
      if (theirs === null) continue
      if ((await isAlive(path, theirs)) || !(await inherited(path, theirs, aside))) return null
      return heldLock(path, nonce)
    }
    return null
  } finally {
    await rm(aside, { force: true })
  }
}

/** Replaces a dead owner's lock, which only one may do: whoever holds the lock on that, named after the owner. */
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

function heldLock(path: string, nonce: string): Lock {
  const isHeld = async () => (await readOwner(path))?.nonce === nonce
  const beat = setInterval(async () => {
    const now = new Date()
    if (await isHeld().catch(() => false)) await utimes(path, now, now).catch(() => undefined)
  }, BEAT_MS)
  beat.unref()
  return {
    isHeld,
    release: async () => {
      clearInterval(beat)
      if (await isHeld()) await rm(path, { force: true })
    },
  }
}

async function isAlive(path: string, { place: theirPlace, pid, startedAt }: Owner): Promise<boolean> {
  if (theirPlace === place) {
    if (!isRunning(pid)) return false
    if (startedAt !== '') return startOf(pid) === startedAt
  }
  try {
    return Date.now() - (await stat(path)).mtimeMs < SILENT_MS
  } catch {
    return false
  }
}

async function readOwner(path: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    // Not a lock of ours, or one cut short by a power failure: nobody holds that.
    if (error instanceof SyntaxError) return { place: '', pid: 0, startedAt: '', nonce: 'unreadable' }
    throw error
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

function isRunning(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

/** When a process started, in ticks since boot; '' where the system does not tell. */
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

/** Where a process id means something: this boot of this machine, this container. */
const place = (() => {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
})()
