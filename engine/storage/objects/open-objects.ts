import { ServiceError } from '../../model/errors.ts'
import { readStoreUrl, STORE_URL_RULE } from '../../model/store-url.ts'
import { openDirectory } from './directory-objects.ts'
import type { ObjectStore } from './object-store.ts'

/**
 * Opens the object store at a URL. The S3 client is loaded only for a bucket: it takes 0.2 s and 60 MiB.
 *
 * @param signal aborts whatever is under way
 * @throws ServiceError invalid_setting
 */
export async function openObjects(url: string, signal?: AbortSignal): Promise<ObjectStore> {
  const place = readStoreUrl(url)
  if (place === null) throw new ServiceError('invalid_setting', `an object store must be ${STORE_URL_RULE}`)
  if (place.kind === 'directory') return openDirectory(place.path)
  const { openS3 } = await import('./s3-objects.ts')
  return openS3(place, signal)
}
