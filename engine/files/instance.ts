import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import { createDurably, isCode } from './durable.ts'

/**
 * Returns the id of a data directory, 16 hex digits, made once and kept in it. Whatever is shared between
 * installations, such as a queue server, is separated by it.
 *
 * @param dataDir made if need be
 * @throws ServiceError corrupt
 */
export async function instanceId(dataDir: string): Promise<string> {
  const path = join(dataDir, 'instance')
  let text = await readText(path)
  if (text === null) {
    await mkdir(dataDir, { recursive: true })
    // Of several that begin at once, one makes it and all read the same.
    await createDurably(path, `${randomBytes(8).toString('hex')}\n`)
    text = await readFile(path, 'utf8')
  }
  if (/^[0-9a-f]{16}\n$/.test(text)) return text.trim()
  throw new ServiceError('corrupt', 'the file `instance` in the data directory is damaged: delete it and start again')
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}
