import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { PartFiles } from '../engine/jobs/job-paths.ts'
import type { Block, RunProgress } from '../engine/run.ts'
import { createBlockFile } from '../engine/store/block-file.ts'

/** What was written, counted and hashed on the way; SHA-256 in hex. */
export type Written = RunProgress & { gzipBytes: number | null; sha256: string; gzipSha256: string | null }

/**
 * Writes an export's blocks to its two part files, or to one where its format has no twin, synced. When anything fails, neither is left.
 *
 * @param giveWay between two blocks: hashing and copying one takes this thread half a millisecond
 * @throws what the blocks throw; a system's error, such as ENOSPC, when writing fails
 */
export async function writeParts(
  blocks: AsyncGenerator<Block, RunProgress>,
  parts: PartFiles,
  { hasTwin, giveWay }: { hasTwin: boolean; giveWay: () => Promise<void> },
): Promise<Written> {
  const files: PartWriter[] = []
  try {
    const csv = await openPart(parts.csv)
    files.push(csv)
    const gzip = hasTwin ? await openPart(parts.gzip) : null
    if (gzip) files.push(gzip)
    let step = await blocks.next()
    for (; !step.done; step = await blocks.next()) {
      await csv.write(step.value.csv)
      await gzip?.write(step.value.gzip)
      await giveWay()
    }
    const [plain, coded] = await Promise.all([csv.finish(), gzip?.finish() ?? { bytes: null, sha256: null }])
    return {
      ...step.value,
      bytes: plain.bytes,
      gzipBytes: coded.bytes,
      sha256: plain.sha256,
      gzipSha256: coded.sha256,
    }
  } catch (error) {
    await Promise.allSettled(files.map((file) => file.discard()))
    throw error
  } finally {
    // Stops the work behind it when it was the writing that failed.
    await blocks.return({ samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 }).catch(() => undefined)
  }
}

type PartWriter = {
  /** Resolves once the bytes are copied. */
  write: (bytes: Uint8Array) => Promise<void>
  finish: () => Promise<{ bytes: number; sha256: string }>
  discard: () => Promise<void>
}

async function openPart(path: string): Promise<PartWriter> {
  const file = await createBlockFile(path, 'wx')
  const hash = createHash('sha256')
  let bytes = 0
  return {
    write: async (block) => {
      hash.update(block)
      bytes += block.length
      await file.write(block)
    },
    finish: async () => {
      await file.finish()
      return { bytes, sha256: hash.digest('hex') }
    },
    discard: async () => {
      await file.abandon().catch(() => undefined)
      await rm(path, { force: true })
    },
  }
}
