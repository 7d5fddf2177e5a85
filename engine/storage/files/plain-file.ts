import { close, constants, createReadStream, fstat, open as openCallback, type ReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { isCode } from '../../model/system-errors.ts'
import { closing } from '../concurrency/closing.ts'

/**
 * Flags for opening untrusted files, of which only regular ones are opened. A link may lead to a file that we may read
 * and its author may not; a device or a pipe never ends. Windows has neither flag, and creating such links there needs
 * a privilege.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Rule for input files, to put after the file's name in a sentence. */
export const PLAIN_RULE = 'must be a plain file, not a link, a folder, a device or a pipe'

/** A file that is not regular, or is too large; `message` is the rule that it breaks. */
export class NotPlain extends Error {}

/** Opens a regular file for reading, following no link in its last part. @throws NotPlain */
export async function openPlain(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS).catch(throwNotPlain)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new NotPlain(PLAIN_RULE)
}

/**
 * Streams a regular file. A stream over a file descriptor may stay open to the end of the process if its reader stops
 * early.
 *
 * @throws NotPlain
 */
export async function streamPlain(path: string, highWaterMark: number): Promise<ReadStream> {
  const fd = await promisify(openCallback)(path, FLAGS).catch(throwNotPlain)
  if ((await promisify(fstat)(fd)).isFile()) return createReadStream(path, { fd, highWaterMark })
  await promisify(close)(fd)
  throw new NotPlain(PLAIN_RULE)
}

/** Throws NotPlain for the errors that Linux and BSD give for a link or a socket; rethrows all others. */
function throwNotPlain(error: unknown): never {
  throw isCode(error, 'ELOOP', 'EMLINK', 'ENXIO', 'EOPNOTSUPP') ? new NotPlain(PLAIN_RULE, { cause: error }) : error
}

/** Opens a regular file for as long as `work` needs it. @throws NotPlain; what `work` throws */
export async function withPlain<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  return closing(await openPlain(path), (file) => work(file))
}

/**
 * Reads a regular file whole.
 *
 * @throws NotPlain, also when it has more bytes than `maxBytes`, of which none is read then
 */
export function readPlain(path: string, maxBytes: number): Promise<Buffer> {
  return withPlain(path, async (file) => {
    const { size } = await file.stat()
    if (size > maxBytes) throw new NotPlain(`must have at most ${maxBytes} bytes, not ${size}`)
    const bytes = Buffer.alloc(size)
    let length = 0
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, size - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  })
}
