import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FilePlan, jobId, type Plan } from '../../engine/model/plan.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { startIndex } from '../../engine/run/parts/part-file.ts'
import type { PartBlock } from '../../engine/run/parts/run-part.ts'
import type { ShardResult } from '../../engine/run/pool/export-thread.ts'
import type { EnginePool, PoolTask } from '../../engine/run/pool/pool.ts'
import type { RunProgress } from '../../engine/run/run-export.ts'
import type { Shard } from '../../engine/run/shards/shards.ts'
import { withSampleFile } from '../../engine/snapshot/pin-samples.ts'
import type { JobContext } from '../../worker/tries/job-context.ts'
import { isDeadly, type World } from './world.ts'

/** A file of samples is a shard. */
type Task = { shard: { first: number }; notes: null; snapshot: Snapshot; plan: FilePlan }
const NOTHING: Uint8Array = new Uint8Array(0)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/**
 * Returns the bytes of a plan's file as an attempt at it must make them.
 *
 * @param samples contents of the files of samples
 */
export function exportOf(plan: FilePlan, attempt: number, samples: Buffer[]): Buffer {
  const head = Buffer.from(`${jobId(plan)}\n`)
  return Buffer.concat([head, ...samples.map((each) => shardOf(plan, attempt, each)), Buffer.from('end\n')])
}

function shardOf(plan: FilePlan, attempt: number, samples: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`attempt ${attempt} at ${jobId(plan)}\n`), samples])
}

/**
 * Stands in for the engine: gives bytes that tell of which plan, attempt and participants they are. Parts are real
 * files of parts.
 *
 * @param die ends the process; a deadly job does that
 */
export function computing(world: World, attempt: number, die: () => void): Pick<JobContext, 'pool' | 'blocksOf'> {
  const { timeline, random } = world
  async function compute(task: PoolTask): Promise<ShardResult> {
    const { shard, snapshot, plan } = task as unknown as Task
    const file = snapshot.manifest.sampleFiles[shard.first]
    const { name, sha256: expected } = file
    const samples = await withSampleFile(snapshot, file, () => readFile(join(snapshot.directory, name)))
    if (sha256(samples) !== expected) throw Object.assign(new Error('a body was cut'), { code: 'EIO' })
    // A thread computes for a while.
    await new Promise<void>((resolve) => timeline.after(random.below(random.chance(0.1) ? 4000 : 200), resolve))
    if (isDeadly(world, jobId(plan))) {
      die()
      await new Promise(() => {})
    }
    const sums = {} as ShardResult['sums']
    return {
      rows: 1,
      end: 'row',
      sums,
      blocks: [shardOf(plan, attempt, samples)],
      pieces: [],
    } as unknown as ShardResult
  }

  async function* blocksOf(
    ...[plan, { snapshot, pool, signal }, part]: Parameters<NonNullable<JobContext['blocksOf']>>
  ): AsyncGenerator<PartBlock, RunProgress> {
    const all = snapshot.manifest.sampleFiles.map((_, first) => first)
    const own = part ? all.filter((first) => Math.floor((first * part.of) / all.length) === part.number - 1) : all
    const index = part && startIndex(plan as Plan, part)
    const progress = { samplesDone: own.length, samplesTotal: own.length, rows: own.length, bytes: 0 }
    const block = (bytes: Uint8Array, plain = NOTHING): PartBlock => ({ bytes, gzip: part ? NOTHING : bytes, plain })
    if (!part) yield block(Buffer.from(`${jobId(plan)}\n`))
    for (const first of own) {
      const task = { shard: { first }, notes: null, snapshot, plan } as unknown as PoolTask
      const result = await pool.compute(task, false)
      signal.throwIfAborted()
      const note = index?.add({ first, sampleCount: 1 } as Shard, result)
      for (const bytes of result.blocks as unknown as Uint8Array[]) {
        note?.(bytes)
        yield block(bytes, bytes)
      }
    }
    yield block(index ? index.end() : Buffer.from('end\n'))
    return progress
  }
  const pool = { compute, giveWay: async () => undefined, threads: 1 } as unknown as EnginePool
  return { pool, blocksOf }
}
