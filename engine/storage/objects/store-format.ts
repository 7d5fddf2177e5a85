import { FORMAT_FILE, markIn, markText, refuseLater } from '../files/data-format.ts'
import { type ObjectStore, readObject } from './object-store.ts'

/**
 * Refuses a store that a later version of Gazette has served, before anything in it is changed, and marks one without a
 * mark with this version's format.
 *
 * @throws ServiceError other_format, corrupt, store_away
 */
export async function checkStoreFormat(store: ObjectStore): Promise<void> {
  const text = await readObject(store, FORMAT_FILE)
  if (text === null) await store.putIfAbsent(FORMAT_FILE, markText())
  else refuseLater(store.name, markIn(text.toString()))
}
