import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ServiceError } from '../../engine/model/errors.ts'
import { isCode } from '../../engine/model/system-errors.ts'
import { makeDirectory } from '../../engine/storage/files/durable.ts'
import { isAddress, shownAddress } from './object-addresses.ts'

/**
 * Creates a folder atomically: fills a temporary folder, then renames it. A failure leaves nothing behind.
 *
 * @param output as given: new, or empty
 * @param what goes there, for messages, such as "a bundle"
 * @throws ServiceError usage if something exists there; errors of `fill`; a system's error
 */
export async function makeFolder<T>(output: string, what: string, fill: (directory: string) => Promise<T>): Promise<T> {
  if (isAddress(output))
    throw new ServiceError('usage', `${shownAddress(output)} is not a folder: ${what} needs a folder on this machine`)
  const directory = resolve(output)
  await needEmpty(directory, output, what)
  await makeDirectory(dirname(directory))
  const aside = await mkdtemp(`${directory}.part-`)
  try {
    const made = await fill(aside)
    await rename(aside, directory)
    return made
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

async function needEmpty(directory: string, output: string, what: string): Promise<void> {
  try {
    if ((await readdir(directory)).length === 0) return
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    if (!isCode(error, 'ENOTDIR')) throw error
  }
  throw new ServiceError('usage', `${output} already exists: ${what} needs a new or an empty folder`)
}
