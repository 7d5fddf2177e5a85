import type { Plan } from './plan.ts'
import type { EnginePool } from './pool.ts'
import type { Snapshot } from './study.ts'

/** The next bytes of the file and, if asked for, of its gzip twin. Either may be empty; both are whole at the end. */
export type Block = { csv: Uint8Array; gzip: Uint8Array }

/** `rows` without the header. */
export type RunProgress = { samplesDone: number; samplesTotal: number; rows: number; bytes: number }

/**
 * Computes an export and yields its bytes in order; there is no other way to make a CSV. The generator ends only when
 * the file is whole; anything else throws.
 *
 * @throws ServiceError corrupt when a shard's rows differ from the manifest, canceled when `signal` aborts
 */
// biome-ignore lint/correctness/useYield: the implementation follows
export async function* runExport(_options: {
  plan: Plan
  snapshot: Snapshot
  pool: EnginePool
  signal: AbortSignal
  gzip: boolean
  onProgress?: (progress: RunProgress) => void
}): AsyncGenerator<Block, RunProgress> {
  throw new Error('not yet')
}

/** What an export will take, from the snapshot's counts alone. */
export function estimateExport(_plan: Plan, _snapshot: Snapshot): { samples: number; bytes: number } {
  throw new Error('not yet')
}
