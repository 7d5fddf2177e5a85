import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { extname } from 'node:path'
import type { ExportName, Format, Gazette, Options, StudyOrId } from './gazette.ts'

/**
 * Saves an export as a file, which appears only when it is complete.
 *
 * @param path its extension selects the format, as in the server's catalog: `.csv`, `.ndjson`, `.arrow`, `.parquet`,
 *   `.xlsx` or `.semicolon.csv`
 * @param options `knownTag`: entity tag of the existing file
 * @returns the entity tag of the file, and whether it was downloaded: not if `knownTag` is still current
 */
export async function saveExport(
  gazette: Gazette,
  name: ExportName,
  study: StudyOrId,
  path: string,
  options: Options & { knownTag?: string } = {},
): Promise<{ tag: string; isNew: boolean }> {
  const isSemicolon = path.toLowerCase().endsWith('.semicolon.csv')
  const format = isSemicolon ? 'csv-semicolon' : (extname(path).slice(1).toLowerCase() as Format)
  const part = `${path}.part`
  const file = await open(part, 'w')
  try {
    const write = async (block: Uint8Array, at: number) => {
      if (at === 0) await file.truncate(0)
      for (let written = 0; written < block.length; )
        written += (await file.write(block, written, block.length - written, at + written)).bytesWritten
    }
    const sha256 = async () => {
      const hash = createHash('sha256')
      for await (const block of createReadStream(part)) hash.update(block as Uint8Array)
      return hash.digest()
    }
    const tag = await gazette.download(name, study, format, { write, sha256 }, options)
    await file.close()
    if (tag === null) return { tag: options.knownTag ?? '', isNew: false }
    await rename(part, path)
    return { tag, isNew: true }
  } finally {
    await file.close().catch(() => {})
    await rm(part, { force: true })
  }
}
