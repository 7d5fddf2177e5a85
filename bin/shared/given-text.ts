import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { refusalOf } from '../terminal/file-refusals.ts'

/** Reads a given text file, or standard input for `-`. @throws ServiceError usage */
export async function readGiven(path: string): Promise<string> {
  if (path === '-') return text(process.stdin)
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw refusalOf(error, path, 'read') ?? error
  }
}
