import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDirectory } from './durable.ts'
import { fileAgeMs } from './file-age.ts'
import { takeLock } from './lock.ts'
import { changedAt, namesIn, removeIfEmpty } from './optional-files.ts'

const PREFIX = 'intake-'
const LOCK = 'lock'
const UNLOCKED_MS = 60_000

/**
 * Creates a folder for temporary files in the data directory, which `close` removes, and removes those of killed
 * processes. If the data directory did not exist, and has nothing else at the end, `close` removes it too.
 *
 * @throws ServiceError disk_full
 */
export async function openScratch(dataDir: string): Promise<{ directory: string; close: () => Promise<void> }> {
  await removeDeadScratch(dataDir)
  const directory = join(dataDir, `${PREFIX}${randomUUID()}`)
  const created = await makeDirectory(directory, 0o700)
  const remove = async () => {
    await rm(directory, { recursive: true, force: true })
    for (let parent = dataDir; created !== undefined && parent.length >= created.length; parent = dirname(parent))
      await removeIfEmpty(parent)
  }
  try {
    const lock = await takeLock(join(directory, LOCK))
    return {
      directory: join(directory, 'files'),
      close: async () => {
        await lock?.release()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Runs `work` with a folder for temporary files. @throws ServiceError disk_full; what `work` throws */
export async function withScratch<T>(dataDir: string, work: (directory: string) => Promise<T>): Promise<T> {
  const { directory, close } = await openScratch(dataDir)
  try {
    return await work(directory)
  } finally {
    await close()
  }
}

/** Removes the folders of processes that are gone. */
export async function removeDeadScratch(dataDir: string): Promise<void> {
  for (const name of (await namesIn(dataDir)).filter((each) => each.startsWith(PREFIX))) {
    const directory = join(dataDir, name)
    // Made a moment ago, it has no lock yet; made by a process that died in that moment, it never gets one.
    const isLocked = (await namesIn(directory)).includes(LOCK)
    if (!isLocked && fileAgeMs((await changedAt(directory)) ?? 0) < UNLOCKED_MS) continue
    const lock = await takeLock(join(directory, LOCK))
    if (lock === null) continue
    // The lock goes last: another process that finds none removes the folder, too, and each trips over the other.
    for (const other of (await namesIn(directory)).filter((each) => !each.startsWith(LOCK)))
      await rm(join(directory, other), { recursive: true, force: true })
    await lock.release()
    await removeIfEmpty(directory)
  }
}
