import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../model/errors.ts'
import { type ObjectStore, readObject } from './object-store.ts'

/** Writers that create the same key at once. */
const AT_ONCE = 4
const KEYS = 'probe/'
/** Age after which the object of a probe, or a temporary file, is a leftover of a killed process. */
const LEFT_BEHIND_MS = 3_600_000

/**
 * Checks that a store can be written and supports conditional creation: several writers create one key at once, of
 * which one must succeed, and another attempt must fail. Without that, processes would overwrite each other's work.
 *
 * @throws ServiceError invalid_setting, store_away
 */
export async function probeObjects(store: ObjectStore, now: Date): Promise<void> {
  const key = `${KEYS}${randomUUID()}`
  const attempts = Array.from({ length: AT_ONCE }, () => randomUUID())
  try {
    const created = await Promise.all(attempts.map((attempt) => store.putIfAbsent(key, attempt)))
    const isAgain = await store.putIfAbsent(key, randomUUID())
    const there = (await readObject(store, key))?.toString()
    const [first, ...others] = attempts.filter((_, i) => created[i])
    if (others.length === 0 && !isAgain && there === first)
      return await removeLeftBehind(store, new Date(now.getTime() - LEFT_BEHIND_MS))
  } catch (error) {
    // A store may also refuse a request that it does not know.
    if (!(error instanceof ServiceError) || !/\b(400|501)\b|NotImplemented/.test(error.message)) throw error
    throw unfit(store, `refuses it (${error.message})`, error)
  } finally {
    await store.delete(key).catch(() => undefined)
  }
  throw unfit(store, 'overwrites what is there')
}

/** Removes what processes left that were killed while they probed, or wrote an object. */
async function removeLeftBehind(store: ObjectStore, before: Date): Promise<void> {
  await store.tidy(before)
  for await (const { key, changedMs } of store.list(KEYS)) if (changedMs < before.getTime()) await store.delete(key)
}

function unfit({ name }: ObjectStore, what: string, cause?: unknown): ServiceError {
  const sentence = `${name} cannot be used: told to create a key only if it is not there (If-None-Match: *), it ${what}; docs/object-storage.md names stores that can`
  return new ServiceError('invalid_setting', sentence, { cause })
}
