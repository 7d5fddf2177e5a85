import { open, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode } from '../model/system-errors.ts'
import { makeDirectory } from '../storage/files/durable.ts'

/**
 * Stores the last use of each token, to the minute, as the modification time of an empty file, so concurrent processes
 * cannot corrupt it.
 */
type TokenUses = {
  note: (id: string, now: Date) => void
  /** Returns the last use; null for never. */
  last: (id: string) => Promise<Date | null>
  forget: (id: string) => Promise<void>
}

/** Throttle: a process records a token's use at most this often. */
const NOTED_EVERY_MS = 60_000

/** Opens the last uses of a data directory's tokens. If a use cannot be written, it is dropped. */
export function openTokenUses(dataDir: string): TokenUses {
  const directory = join(dataDir, 'token-uses')
  const noted = new Map<string, number>()
  return {
    note: (id, now) => {
      const nowMs = now.getTime()
      // To either side, since a clock may be set back.
      if (Math.abs(nowMs - (noted.get(id) ?? Number.NEGATIVE_INFINITY)) < NOTED_EVERY_MS) return
      noted.set(id, nowMs)
      touch(directory, id, now).catch(() => undefined)
    },
    last: (id) =>
      stat(join(directory, id)).then(
        ({ mtime }) => mtime,
        () => null,
      ),
    forget: (id) => rm(join(directory, id), { force: true }),
  }
}

async function touch(directory: string, id: string, now: Date): Promise<void> {
  const path = join(directory, id)
  try {
    await utimes(path, now, now)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    await makeDirectory(directory, 0o700)
    await (await open(path, 'a', 0o600)).close()
    await utimes(path, now, now)
  }
}
