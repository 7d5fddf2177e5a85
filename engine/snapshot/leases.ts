import { randomBytes } from 'node:crypto'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileAgeMs, touchFile } from '../storage/files/file-age.ts'
import { namesIn } from '../storage/files/optional-files.ts'

/**
 * Leases of snapshots: a file tells that a process reads a snapshot that may no longer be current, so that nobody
 * deletes it. There is one for each process and snapshot, which is touched while it is held; that of a killed process
 * expires.
 */
export const LEASES = 'leases'
const TOUCH_EVERY_MS = 20_000
const RUNS_OUT_MS = 90_000
/** Delay before an unused lease ends, since the next reader usually comes soon. */
const LINGER_MS = 1000

type Lease = { readers: number; path: string; touching: NodeJS.Timeout; ending: NodeJS.Timeout | null }
const held = new Map<string, Lease>()

/**
 * Keeps a snapshot from being deleted until the returned function is called. If nothing can be written, reading goes on
 * without a lease.
 *
 * @param directory the snapshot's
 */
export async function leaseSnapshot(directory: string): Promise<() => void> {
  const known = held.get(directory)
  if (known) {
    known.readers++
    if (known.ending) clearTimeout(known.ending)
    known.ending = null
    return releaser(directory, known)
  }
  const folder = join(dirname(directory), LEASES)
  const path = join(folder, `${basename(directory)}.${randomBytes(6).toString('hex')}`)
  const touching = setInterval(() => void touchFile(path).catch(() => undefined), TOUCH_EVERY_MS).unref()
  const lease: Lease = { readers: 1, path, touching, ending: null }
  held.set(directory, lease)
  await mkdir(folder)
    .catch(() => undefined)
    .then(() => writeFile(path, ''))
    .catch(() => undefined)
  return releaser(directory, lease)
}

function releaser(directory: string, lease: Lease): () => void {
  let isReleased = false
  return () => {
    if (isReleased) return
    isReleased = true
    if (--lease.readers > 0) return
    lease.ending = setTimeout(() => void end(directory, lease), LINGER_MS).unref()
  }
}

async function end(directory: string, lease: Lease): Promise<void> {
  held.delete(directory)
  clearInterval(lease.touching)
  if (lease.ending) clearTimeout(lease.ending)
  await rm(lease.path, { force: true }).catch(() => undefined)
}

/** Ends all leases of this process before it exits. */
export async function endLeases(): Promise<void> {
  await Promise.all([...held].map(([directory, lease]) => end(directory, lease)))
}

/** Returns the snapshots of a study that processes read. */
export async function leasedSnapshots(studyDir: string): Promise<Set<string>> {
  const folder = join(studyDir, LEASES)
  const leased = new Set<string>()
  for (const name of await namesIn(folder)) {
    const touched = await stat(join(folder, name)).catch(() => null)
    if (touched === null) continue
    if (fileAgeMs(touched.mtimeMs) < RUNS_OUT_MS) leased.add(name.split('.')[0])
    else await rm(join(folder, name), { force: true })
  }
  return leased
}
