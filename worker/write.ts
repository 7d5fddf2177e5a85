import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Block, RunProgress } from '../engine/run.ts'
import type { PartFiles } from '../engine/store/jobs.ts'

/** What was written, counted and hashed on the way; SHA-256 in hex. */
export type Written = RunProgress & { gzipBytes: number | null; sha256: string; gzipSha256: string | null }

/** Less than a block of an export, which so is written as it is, without a copy. */
const GATHERED_BYTES = 1 << 19

/**
 * Writes an export's blocks to its two part files, or to one where its format has no twin, synced. When anything fails, neither is left.
 *
 * @throws what the blocks throw; a system's error, such as ENOSPC, when writing fails
 */
export async function writeParts(
  blocks: AsyncGenerator<Block, RunProgress>,
  parts: PartFiles,
  { hasTwin = true } = {},
): Promise<Written> {
  const files: PartWriter[] = []
  try {
    const csv = await openPart(parts.csv)
    files.push(csv)
    const gzip = hasTwin ? await openPart(parts.gzip) : null
    if (gzip) files.push(gzip)
    let step = await blocks.next()
    for (; !step.done; step = await blocks.next()) {
      await csv.write(step.value.csv, step.value.reuse)
      await gzip?.write(step.value.gzip)
    }
    const plain = await csv.finish()
    const coded = (await gzip?.finish()) ?? { bytes: null, sha256: null }
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
  /** @param done called when the bytes are written */
  write: (bytes: Uint8Array, done?: () => void) => Promise<void>
  finish: () => Promise<{ bytes: number; sha256: string }>
  discard: () => Promise<void>
}

/** Gathers to half a MiB, and writes one piece while the next is made. */
async function openPart(path: string): Promise<PartWriter> {
  const file = await open(path, 'wx')
  const hash = createHash('sha256')
  let gathered: Uint8Array[] = []
  let gatheredBytes = 0
  let whenWritten: (() => void)[] = []
  let bytes = 0
  let writing: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    const piece = gathered.length === 1 ? gathered[0] : Buffer.concat(gathered)
    const dones = whenWritten
    gathered = []
    gatheredBytes = 0
    whenWritten = []
    hash.update(piece)
    await writing
    writing = file.writeFile(piece).then(() => {
      for (const done of dones) done()
    })
    // Seen by whoever awaits it next; not an unhandled one until then.
    writing.catch(() => undefined)
  }

  return {
    write: async (block, done) => {
      if (block.length === 0) return
      gathered.push(block)
      if (done) whenWritten.push(done)
      gatheredBytes += block.length
      bytes += block.length
      if (gatheredBytes >= GATHERED_BYTES) await flush()
    },
    finish: async () => {
      await flush()
      await writing
      await file.sync()
      await file.close()
      return { bytes, sha256: hash.digest('hex') }
    },
    discard: async () => {
      await writing.catch(() => undefined)
      await file.close().catch(() => undefined)
      await rm(path, { force: true })
    },
  }
}
