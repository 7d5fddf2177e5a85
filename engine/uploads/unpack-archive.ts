import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { gunzipSync, constants as zlib } from 'node:zlib'
import { ServiceError } from '../model/errors.ts'
import { isCode } from '../model/system-errors.ts'
import { openZipParts } from '../recordings/workbook/zip-parts.ts'
import { makeDirectory } from '../storage/files/durable.ts'
import { withPlain } from '../storage/files/plain-file.ts'
import { openRules, type Unpacking } from './archive-rules.ts'
import { untar } from './untar.ts'
import { unzip } from './unzip.ts'

type ArchiveKind = 'zip' | 'tar' | 'tar.gz'

const TAR_BLOCK = 512
const HEAD_BYTES = 1 << 14
const OFFICE_PART = '[Content_Types].xml'

/** Detects an archive by its first bytes; null for any other file, for folders, and if nothing exists. */
export async function archiveKind(path: string): Promise<ArchiveKind | null> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) return null
  const head = await withPlain(path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  })
  if (head.subarray(0, 2).toString('latin1') === 'PK') return (await isOfficeFile(path)) ? null : 'zip'
  if (isTar(head)) return 'tar'
  return head[0] === 0x1f && head[1] === 0x8b && isTar(unzipped(head)) ? 'tar.gz' : null
}

/**
 * Returns whether a zip is a spreadsheet or the like, which users see as one file: it is read as a recording, or
 * refused.
 */
async function isOfficeFile(path: string): Promise<boolean> {
  if (/\.(xls[xmb]|ods)$/i.test(path)) return true
  return withPlain(path, async (file) => (await openZipParts(file)).has(OFFICE_PART)).catch(() => false)
}

/** Returns true if the first header has the magic number of POSIX tar. */
function isTar(head: Buffer): boolean {
  return head.length >= TAR_BLOCK && head.subarray(257, 262).toString('latin1') === 'ustar'
}

function unzipped(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: 1 << 25 }).subarray(0, TAR_BLOCK)
  } catch {
    return Buffer.alloc(0)
  }
}

/**
 * Unpacks only regular files, into a new folder. The sizes in an archive's headers are checked against the limits
 * before anything is written, and the actual sizes against the headers.
 *
 * @param directory absolute; created here
 * @param maxBytes of all files together
 * @returns files that operating systems had added, which are ignored
 * @throws ServiceError usage for links, devices, names that lead elsewhere, encryption, damage and bombs; canceled
 */
export async function unpackArchive({ kind, ...unpacking }: Unpacking & { kind: ArchiveKind }): Promise<string[]> {
  const { path, directory, signal } = unpacking
  await makeDirectory(directory, 0o700)
  const rules = await openRules(unpacking)
  try {
    await (kind === 'zip' ? unzip(unpacking, rules) : untar(unpacking, rules, kind === 'tar.gz'))
  } catch (error) {
    if (signal?.aborted) throw new ServiceError('canceled', 'the import was stopped', { cause: error })
    if (error instanceof ServiceError || isCode(error, 'ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE')) throw error
    // The libraries' messages may contain paths of this machine.
    throw new ServiceError('usage', `${basename(path)} is a damaged or truncated archive: create it again`, {
      cause: error,
    })
  }
  return rules.left
}
