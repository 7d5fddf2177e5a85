import { createWriteStream } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Entry } from 'yauzl'
import { ServiceError } from '../model/errors.ts'
import { makeDirectory } from '../storage/files/durable.ts'
import { withPlain } from '../storage/files/plain-file.ts'
import { shownName } from '../storage/files/stored-names.ts'
import { DamagedZip, openZipEntries } from '../storage/files/zip-entries.ts'
import type { Rules, Unpacking } from './archive-rules.ts'

const UNIX_TYPE = 0o170000
const UNIX_FILE = 0o100000
const UNIX_LINK = 0o120000
const STORED = 0
const DEFLATED = 8

/** Unpacks a zip. All of its entries are validated before the first is written. */
export async function unzip({ path, directory, signal }: Unpacking, rules: Rules): Promise<void> {
  try {
    await withPlain(path, async (file) => {
      const zip = await openZipEntries(file, { strictFileNames: true })
      const taken: Entry[] = []
      for await (const entry of zip.list()) {
        const what = entry.fileName.endsWith('/') ? 'folder' : zipType(entry)
        if (rules.take(entry.fileName, entry.uncompressedSize, what) && what === null) taken.push(entry)
      }
      for (const entry of taken) {
        const to = join(directory, entry.fileName)
        await makeDirectory(dirname(to), 0o700)
        await pipeline(zip.stream(entry), createWriteStream(to, { flags: 'wx', mode: 0o600 }), { signal })
      }
    })
  } catch (error) {
    if (error instanceof DamagedZip)
      throw new ServiceError('usage', `${basename(path)} ${error.message}: create the archive again`, { cause: error })
    refuseName(error)
  }
}

/** Maps the library's error about a bad name; its text contains none of our paths. */
function refuseName(error: unknown): never {
  const message = error instanceof Error ? error.message : ''
  const named = /^(absolute path|invalid relative path|invalid characters in fileName): /.exec(message)
  if (named) {
    const name = message.slice(named[0].length)
    throw new ServiceError('usage', `the archive holds ${shownName(name)}, a name that leads elsewhere`, {
      cause: error,
    })
  }
  throw error
}

function zipType(entry: Entry): string | null {
  if (entry.isEncrypted()) return 'encrypted'
  if (![STORED, DEFLATED].includes(entry.compressionMethod)) return 'packed by a method other than deflate'
  const type = (entry.externalFileAttributes >>> 16) & UNIX_TYPE
  if (type === 0 || type === UNIX_FILE) return null
  return type === UNIX_LINK ? 'a link' : 'a device or a pipe'
}
