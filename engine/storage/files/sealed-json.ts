import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { isShortage } from '../../model/system-errors.ts'
import { readText } from './optional-files.ts'

/**
 * Sealed files: JSON with a checksum, `sha256`, over its other content and its subject. So a damaged file is detected,
 * and so is one that was put in the place of another.
 */

/** Rule that a file without a checksum breaks. */
export const UNSEALED = 'has no checksum: an earlier version of Gazette wrote it'

/** Subject of a sealed file, or how its content tells it. */
type Subject = string | ((content: Record<string, unknown>) => string)

/** Returns the text of a sealed file. @param subject what it is about, which its reader knows too */
export function seal(content: object, subject: string): string {
  const sha256 = createHash('sha256')
    .update(`${subject}\n${JSON.stringify(content)}`)
    .digest('hex')
  return `${JSON.stringify({ ...content, sha256 }, null, 2)}\n`
}

/**
 * Reads a sealed file; null if it does not exist.
 *
 * @param isFormer whether content without a checksum is what an earlier version wrote, and is taken as it is
 * @throws ServiceError corrupt when it is not what was written, or cannot be read
 */
export async function readSealed<T extends object>(
  path: string,
  subject: Subject,
  isFormer: (content: Record<string, unknown>) => boolean = () => false,
): Promise<T | null> {
  const text = await readText(path).catch((error: NodeJS.ErrnoException) => {
    throw isShortage(error) ? error : damage(basename(path), `cannot be read (${error.code})`)
  })
  return text === null ? null : unseal(text, basename(path), subject, isFormer)
}

/**
 * Verifies a sealed text and returns its content.
 *
 * @param name what it is called, for the sentence
 * @throws ServiceError corrupt
 */
export function unseal<T extends object>(
  text: string,
  name: string,
  subject: Subject,
  isFormer: (content: Record<string, unknown>) => boolean = () => false,
): T {
  const { sha256, ...content } = parsed(text)
  if (seal(content, typeof subject === 'string' ? subject : subject(content)) === text) return content as T
  const isUnsealed = sha256 === undefined && Object.keys(content).length > 0
  if (isUnsealed && isFormer(content)) return content as T
  throw damage(name, isUnsealed ? UNSEALED : 'is not what was written')
}

function parsed(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}

function damage(name: string, what: string): ServiceError {
  return new ServiceError('corrupt', `${name} ${what}`)
}
