import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { ServiceError } from '../../engine/model/errors.ts'
import { refusalOf } from '../terminal/file-refusals.ts'

/** Reads a given text file, or standard input for `-`. @throws ServiceError usage */
export async function readGivenText(path: string): Promise<string> {
  const bytes = await bytesOf(path)
  if (!isUtf8(bytes)) throw new ServiceError('usage', `${path === '-' ? 'standard input' : path} must be UTF-8`)
  return bytes.toString('utf8')
}

async function bytesOf(path: string): Promise<Buffer> {
  if (path === '-') return buffer(process.stdin)
  try {
    return await readFile(path)
  } catch (error) {
    throw refusalOf(error, path, 'read') ?? error
  }
}
