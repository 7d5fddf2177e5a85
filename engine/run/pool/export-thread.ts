import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
import { duckDbLibrary } from '../../duckdb/duckdb.ts'
import { loadFormats } from '../../formats/load.ts'
import { ServiceError } from '../../model/errors.ts'
import type { CopiedRange } from '../../storage/files/block-file.ts'
import { type DeflatedPiece, deflatePiece } from '../../text/gzip.ts'
import { type Blocks, copyToBlock, type Finished, isWorthSharing } from '../shards/blocks.ts'
import { announceBlock, waitForRoom } from '../shards/early-blocks.ts'
import { computeShard, type ShardOutcome, type ShardTask } from '../shards/shard.ts'
import { closeSpill, type Held, openSpill } from '../shards/spill.ts'
import { type Failed, failed, transfer } from './thread-answers.ts'
import type { ThreadSetup } from './threads.ts'

// Preloaded: if the process later ran out of file descriptors, Node could never load them, while a thread that cannot
// start is restarted.
const { alsoLoad, loadsFormats } = workerData as ThreadSetup
// Every task reads by DuckDB. A thread that is terminated while it loads it would crash the process, so it is loaded
// before the thread says that it has started.
duckDbLibrary()
await Promise.all([loadsFormats && loadFormats(), ...alsoLoad.map((path) => import(pathToFileURL(path).href))])

/** A shard of an export, as a task for a thread. */
type ThreadTask = ShardTask & {
  gzip: boolean
  /** Largest number of bytes; the task fails as soon as it exceeds it. */
  maxBytes: number
  /** Shared memory for finished blocks, and the number of the task that owns them. */
  shared: { blocks: Blocks; owner: number }
}

/** Positions at which a block's bytes, uncompressed and compressed, are already stored. */
export type BlockPlaces = { bytes?: CopiedRange; gzip?: CopiedRange }

/** Piece of the gzip version, perhaps spilled to disk. */
export type KeptPiece = Omit<DeflatedPiece, 'deflated'> & { deflated: Held }

/**
 * Result of a task: the bytes of a shard in order, also compressed if requested. `places` are for blocks that are
 * already in files; `spill` is the file to close after reading, and `release` frees further memory then.
 */
export type ShardResult = ShardOutcome & {
  blocks: Finished[]
  pieces: KeptPiece[]
  places?: BlockPlaces[]
  spill?: number
  release?: () => void
}

export type ShardAnswer = { result: ShardResult } | Failed

/** Computes one shard on this thread and, if requested, compresses it. */
export async function computeShardInThread(task: ThreadTask): Promise<unknown> {
  const blocks: Finished[] = []
  const pieces: KeptPiece[] = []
  const spill = openSpill(task.tables.directory)
  let mayWait = true
  let bytes = 0
  const take = (finished: Uint8Array) => {
    bytes += finished.length
    if (bytes > task.maxBytes) throw new ServiceError('too_large', 'the answer outgrew its estimate')
    if (task.gzip) {
      const piece = deflatePiece(finished)
      pieces.push({ ...piece, deflated: spill.keep(piece.deflated) })
    }
    const { blocks: memory, owner } = task.shared
    if (task.early && mayWait) mayWait = waitForRoom(task.early, memory)
    // Small blocks, and those without a free place, are copied to memory that is transferred or, beyond some MiB,
    // spilled to disk.
    const block = (isWorthSharing(finished) && copyToBlock(finished, owner, memory)) || spill.keep(finished)
    if (task.early) announceBlock(task.early, block, blocks.length)
    blocks.push(block)
  }
  try {
    const outcome = await computeShard(task, take)
    const own = [...blocks, ...pieces.map(({ deflated }) => deflated)].filter((held) => held instanceof Uint8Array)
    const buffers = own.map(({ buffer }) => buffer as ArrayBuffer)
    return transfer({ result: { ...outcome, blocks, pieces, spill: spill.file() } }, buffers)
  } catch (error) {
    closeSpill(spill.file())
    return failed(error)
  }
}

/** No-op task that makes an empty pool start a thread. */
export function wake(): void {}
