import { addAbortSignal, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { Block, RunProgress } from '../../run/run-export.ts'
import { type Member, type PackageOptions, takeMembers } from './package-members.ts'

/** The first day that a ZIP file can tell, in whatever time zone: equal plans give equal bytes. */
const NO_TIME = new Date(1980, 0, 1)
const MODE = 0o100644
/** A file as long as this may need the 64-bit fields, which some programs for ZIP files do not know: only then. */
const LONG_BYTES = 2 ** 31

const NOTHING = new Uint8Array(0)

/**
 * Computes a package and yields the bytes of its ZIP file in order, as `runExport` does for a table: it ends only when
 * the file is whole; anything else throws. A reader that stops early stops the work. The bytes depend on the plan and
 * on zlib.
 */
export async function* zipPackage(options: PackageOptions): AsyncGenerator<Block, RunProgress> {
  const zip = new ZipFile()
  const out = zip.outputStream as Readable
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const filled = takeMembers({ ...options, signal }, (member) => add(zip, member, signal))
  // An error while filling ends the output stream.
  filled.then(() => zip.end()).catch((error) => out.destroy(error))
  try {
    for await (const bytes of out) yield { bytes, gzip: NOTHING }
    return await filled
  } finally {
    stop.abort()
    out.destroy()
    await filled.catch(() => undefined)
  }
}

/** Adds a file, and waits until it has been read. */
async function add(zip: ZipFile, { path, isCompressed, bytesMax, bytes }: Member, signal: AbortSignal): Promise<void> {
  const stream = addAbortSignal(signal, Readable.from(bytes, { objectMode: false }))
  zip.addReadStream(stream, path, {
    mtime: NO_TIME,
    forceDosTimestamp: true,
    mode: MODE,
    compress: isCompressed,
    forceZip64Format: bytesMax > LONG_BYTES,
  })
  await finished(stream, { writable: false })
}
