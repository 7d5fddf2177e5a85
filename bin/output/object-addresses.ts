import { ServiceError } from '../../engine/model/errors.ts'
import { OBJECT_URL_RULE, readStoreUrl } from '../../engine/model/store-url.ts'
import type { ObjectStore } from '../../engine/storage/objects/object-store.ts'

/** Target of an address. @param isFolder whether it ends in a slash; `key` then ends in one, too, or is '' */
type Found = { store: ObjectStore; key: string; isFolder: boolean }

/** Returns true if a file argument is an address. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z\d+.-]+:\//i.test(path)
}

/**
 * Runs `work` with a function that opens addresses such as `s3://bucket/name?region=eu-central-1`. Addresses in one
 * bucket share a client.
 *
 * @param signal aborts requests to them
 * @throws ServiceError usage for an invalid address
 */
export async function withAddresses<T>(
  work: (find: (address: string) => Promise<Found>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const stores = new Map<string, Promise<ObjectStore>>()
  const find = async (address: string): Promise<Found> => {
    const place = readStoreUrl(address)
    if (place?.kind !== 's3') throw new ServiceError('usage', `${shownAddress(address)} must be ${OBJECT_URL_RULE}`)
    const url = new URL(address)
    const isFolder = url.pathname === '' || url.pathname.endsWith('/')
    url.pathname = ''
    const { openObjects } = await import('../../engine/storage/objects/open-objects.ts')
    const store = stores.get(url.href) ?? openObjects(url.href, signal)
    stores.set(url.href, store)
    return { store: await store, key: isFolder ? place.prefix : place.prefix.slice(0, -1), isFolder }
  }
  try {
    return await work(find)
  } finally {
    for (const store of stores.values()) (await store).close()
  }
}

/** Returns an address without anything that may be secret. */
export function shownAddress(address: string): string {
  return address.replace(/\?.*/s, '').replace(/\/\/.*@/s, '//…@')
}

/** Writes an object that appears only when it is complete. @throws ServiceError usage for a folder */
export async function writeObject(
  address: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await withAddresses(async (find) => {
    const { store, key } = await oneObject(find, address)
    await store.compose(key, bytes)
  }, signal)
}

/** Returns true if an object exists at an address. @throws ServiceError usage for a folder */
export function isObjectThere(address: string, signal?: AbortSignal): Promise<boolean> {
  return withAddresses(async (find) => {
    const { store, key } = await oneObject(find, address)
    return (await store.head(key)) !== null
  }, signal)
}

async function oneObject(find: (address: string) => Promise<Found>, address: string): Promise<Found> {
  const found = await find(address)
  if (!found.isFolder) return found
  throw new ServiceError('usage', `${shownAddress(address)} names no object: add a name after the last slash`)
}
