import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { isCode } from './durable.ts'

/**
 * Files from strangers: only regular ones are opened. A link might lead to what the stranger may not read and we may, and a device
 * or a pipe never ends. Windows knows neither flag, nor such links without a right of their own.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** What a file must be; sentences say it after the file's name. */
export const PLAIN_RULE = 'must be a plain file, not a link, a folder, a device or a pipe'

/** A file that is none, or that is larger than it may be; `message` is the rule that it breaks. */
export class NotPlain extends Error {}

/** Returns whether a path is a regular file itself. @throws ENOENT and the like */
export async function isPlain(path: string): Promise<boolean> {
  return (await lstat(path)).isFile()
}

/** Opens a regular file for reading, following no link in its last part. @throws NotPlain */
export async function openPlain(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS).catch((error: unknown) => {
    // What Linux and BSD say of a link, and of a socket.
    throw isCode(error, 'ELOOP', 'EMLINK', 'ENXIO', 'EOPNOTSUPP') ? new NotPlain(PLAIN_RULE, { cause: error }) : error
  })
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new NotPlain(PLAIN_RULE)
}

/** Reads a regular file whole. @throws NotPlain, also when it has more bytes than `maxBytes`, of which none more is read */
export async function readPlain(path: string, maxBytes: number): Promise<Buffer> {
  const file = await openPlain(path)
  try {
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
  } finally {
    await file.close()
  }
}
