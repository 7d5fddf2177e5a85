import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
import type { Place } from '../../files/block-file.ts'
import { loadFormats } from '../../formats/load.ts'
import { type DeflatedPiece, deflatePiece } from '../../text/gzip.ts'
import { type Blocks, copyToBlock, type Finished, isWorthSharing } from '../shards/blocks.ts'
import { announceBlock, waitForRoom } from '../shards/early-blocks.ts'
import { computeShard, type ShardOutcome, type ShardTask } from '../shards/shard.ts'
import { type Failed, failed, transfer } from './thread-answers.ts'
import type { ThreadSetup } from './threads.ts'

// A module that could not be loaded later, for want of open files, would stay so; a thread that cannot start is started again.
const { alsoLoad } = workerData as ThreadSetup
await Promise.all([loadFormats(), ...alsoLoad.map((path) => import(pathToFileURL(path).href))])

/** A shard of an export for a thread of the pool. */
type ThreadTask = ShardTask & {
  gzip: boolean
  /** Memory for full blocks, and the number that owns them. */
  shared: { blocks: Blocks; owner: number }
}

/** Where the bytes of a block lie already, and where they do deflated. */
export type BlockPlaces = { bytes?: Place; gzip?: Place }

/** The result of a thread: the bytes of a shard in order, and deflated if that was asked for. `places`, of blocks that are in files. */
export type ShardResult = ShardOutcome & { blocks: Finished[]; pieces: DeflatedPiece[]; places?: BlockPlaces[] }

export type ShardAnswer = { result: ShardResult } | Failed

/** Computes one shard on this thread, and if asked deflates it. */
export async function computeShardInThread(task: ThreadTask): Promise<unknown> {
  const blocks: Finished[] = []
  const pieces: DeflatedPiece[] = []
  let mayWait = true
  const take = (finished: Uint8Array) => {
    if (task.gzip) pieces.push(deflatePiece(finished))
    const { blocks: memory, owner } = task.shared
    if (task.early && mayWait) mayWait = waitForRoom(task.early, memory)
    // Small ones, and those that find no block, get memory to be transferred.
    const block = (isWorthSharing(finished) && copyToBlock(finished, owner, memory)) || finished.slice()
    if (task.early) announceBlock(task.early, block, blocks.length)
    blocks.push(block)
  }
  try {
    const outcome = await computeShard(task, take)
    const own = blocks.filter((block) => block instanceof Uint8Array)
    const buffers = [...own, ...pieces.map(({ deflated }) => deflated)].map(({ buffer }) => buffer as ArrayBuffer)
    return transfer({ result: { ...outcome, blocks, pieces } }, buffers)
  } catch (error) {
    return failed(error)
  }
}

/** Does nothing; but a pool that has no thread starts one for it. */
export function wake(): void {}
