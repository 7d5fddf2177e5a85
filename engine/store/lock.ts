import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ServiceError } from '../errors.ts'
import { createDurably, isCode, replaceDurably } from './durable.ts'
import { TEMPORARY_PREFIX } from './layout.ts'

/** Who holds a lock. The start time tells a process from a later one with the same pid; null where the system does not say. */
type Owner = { pid: number; startedAt: string | null; nonce: string }

const LOCK = 'lock'
const run = promisify(execFile)

/**
 * Runs `work` as the only import or removal of a study; leftovers of killed ones are removed first. A dead owner's lock is
 * taken over.
 *
 * @param directory the study's; made when it is not there, and removed again if nothing was published in it
 * @throws ServiceError busy when somebody alive holds it
 */
export async function withStudyLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const me: Owner = { pid: process.pid, startedAt: await startOf(process.pid), nonce: randomUUID() }
  const path = join(directory, LOCK)
  await acquire(path, me)
  try {
    await removeLeftovers(directory)
    return await work()
  } finally {
    await release(path, me)
    // Not empty when anything was ever published.
    await rmdir(directory).catch(() => {})
  }
}

/**
 * A lock is a file that appears whole or not at all. To replace a dead owner's, one must first hold the lock on doing that, named
 * after this owner, which nobody will ever need again; and since its holder may die too, that is the same function.
 */
async function acquire(path: string, me: Owner): Promise<void> {
  if (await createInside(path, me)) return
  const owner = await readOwner(path)
  if (owner === null) return acquire(path, me)
  if (await isAlive(owner)) throw new ServiceError('busy', 'another import or removal is at work on this study')
  const heir = join(dirname(path), `${basename(path)}-${owner.nonce}`)
  await acquire(heir, me)
  try {
    // Whoever replaced it in the meantime is done with the heir's lock, so that it could be had again.
    const now = await readOwner(path)
    if (now?.nonce !== owner.nonce) throw new ServiceError('busy', 'another import or removal is at work on this study')
    await replaceDurably(path, JSON.stringify(me))
  } finally {
    await release(heir, me)
  }
}

async function createInside(path: string, me: Owner): Promise<boolean> {
  for (;;) {
    try {
      return await createDurably(path, JSON.stringify(me))
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error
      await mkdir(dirname(path), { recursive: true })
    }
  }
}

async function release(path: string, me: Owner): Promise<void> {
  if ((await readOwner(path))?.nonce === me.nonce) await rm(path, { force: true })
}

/** null when there is no lock. One that cannot be read was never written by a living owner. */
async function readOwner(path: string): Promise<Owner | null> {
  let json: string
  try {
    json = await readFile(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
  try {
    const { pid, startedAt, nonce } = JSON.parse(json) as Owner
    if (Number.isInteger(pid) && /^[0-9a-f-]{36}$/.test(nonce)) return { pid, startedAt, nonce }
  } catch {
    // Not JSON: as unreadable as JSON of another shape.
  }
  return { pid: 0, startedAt: null, nonce: 'unreadable' }
}

async function isAlive({ pid, startedAt }: Owner): Promise<boolean> {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: alive, and somebody else's.
    if (isCode(error, 'ESRCH')) return false
  }
  const now = await startOf(pid)
  return startedAt === null || now === null || startedAt === now
}

/** When a process started, in words of the system that never repeat for a pid; null where it does not say. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ])
    // Field 22; the second, a name in brackets, may hold spaces.
    return `${boot.trim()} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return startFromPs(pid)
  }
}

async function startFromPs(pid: number): Promise<string | null> {
  try {
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' } })
    return stdout.trim() || null
  } catch {
    return null
  }
}

/** What a killed owner left: half-made snapshots, spilled data, files that never got their name, locks of heirs. */
async function removeLeftovers(directory: string): Promise<void> {
  const isLeftover = (name: string) =>
    name.startsWith(TEMPORARY_PREFIX) || name.endsWith('.tmp') || name.startsWith(`${LOCK}-`)
  const names = (await readdir(directory)).filter(isLeftover)
  await Promise.all(names.map((name) => rm(join(directory, name), { recursive: true, force: true })))
}
