import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { hashFile } from '../../storage/files/hash-file.ts'
import { isThere } from '../../storage/files/optional-files.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import type { Copied } from './send-files.ts'

/** Folder for files of studies and jobs that are not complete yet; an interrupted copy resumes with them. */
export const RECEIVING = '.copying'

/**
 * Fetches an object into a directory, verifies its hash and syncs it. A file that an earlier try fetched is reused.
 *
 * @returns the path of the file, named by its hash
 * @throws ServiceError corrupt, not_found
 */
export async function receiveFile(
  store: ObjectStore,
  { key, sha256 }: { key: string; sha256: string },
  directory: string,
  copied: Copied,
): Promise<string> {
  const path = join(directory, sha256)
  if ((await isThere(path)) && (await hashFile(path)) === sha256) {
    copied.known++
    return path
  }
  await mkdir(dirname(path), { recursive: true })
  const stream = await store.get(key)
  if (stream === null) throw new ServiceError('not_found', `${key} is not in ${store.name}`)
  const aside = `${path}.part`
  await rm(aside, { force: true })
  const file = await open(aside, 'wx')
  const hash = createHash('sha256')
  try {
    for await (const bytes of stream) {
      hash.update(bytes)
      copied.bytes += bytes.length
      await file.writeFile(bytes)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  if (hash.digest('hex') !== sha256)
    throw new ServiceError('corrupt', `${key} in ${store.name} is not what its manifest promises`)
  await rename(aside, path)
  copied.files++
  return path
}
