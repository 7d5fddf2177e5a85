import { columnsOf } from '../exports/columns/columns-of.ts'
import { settingsNotes } from '../exports/columns/notes.ts'
import { studyFacts } from '../exports/columns/study-facts.ts'
import { exportOf } from '../exports/registry.ts'
import { formatOf } from '../formats/formats.ts'
import type { Plan } from '../model/plan.ts'
import type { Snapshot } from '../model/study.ts'
import { withSampleFile } from '../snapshot/pin-samples.ts'
import type { Selection } from '../snapshot/selection.ts'
import type { ShardResult } from './pool/export-thread.ts'
import type { EnginePool } from './pool/pool.ts'
import { type Codes, type Dictionaries, makeDictionaries } from './shards/dictionaries.ts'
import { closeEarlyBlocks, type EarlyBlocks } from './shards/early-blocks.ts'
import { shardInput } from './shards/shard-input.ts'
import type { Shard } from './shards/shards.ts'

/** A plan, the snapshot of its study, and the tests that it selects. */
export type Selected = { plan: Plan; snapshot: Snapshot; selection: Selection }

/** Returns the dictionaries of an export's file; null for formats without them. @throws as `makeDictionaries` */
export async function dictionariesOf(sources: Selected[]): Promise<Dictionaries | null> {
  const [{ plan, snapshot }] = sources
  if (!formatOf(plan).hasDictionaries) return null
  return makeDictionaries(columnsOf(exportOf(plan.export), studyFacts(snapshot), plan.parameters), sources)
}

/**
 * Returns a function that computes a shard of an export on the pool.
 *
 * @param gzip whether to compress its bytes, too
 * @returns a function of the shard, of an abort flag (nonzero to stop), of whether its first row has the notes of the
 *   file, and of where to announce finished blocks, if anywhere: blocks that were taken early are not in the result
 */
export function shardComputer(
  { plan, snapshot, pool, isUrgent, maxBytes = Number.POSITIVE_INFINITY }: ShardSource,
  codes: Codes | null,
  gzip: boolean,
): (shard: Shard, stop: Int32Array, hasNotes: boolean, early?: EarlyBlocks | null) => Promise<ShardResult> {
  const entry = exportOf(plan.export)
  const notes = settingsNotes(plan)
  const needsAois = entry.needsAois === true
  const aoiIndexes = codes ? aoiIndexesOf(snapshot) : {}
  return async (shard, stop, hasNotes, early = null) => {
    const input = shardInput(shard, plan, snapshot, stop, needsAois)
    const task = { ...input, notes: hasNotes ? notes : null, codes, aoiIndexes, early, gzip, maxBytes }
    const file = entry.reads.length > 0 ? input.file : null
    const result = await withSampleFile(snapshot, file, () => pool.compute(task, isUrgent))
    if (early) result.blocks.splice(0, closeEarlyBlocks(early))
    return result
  }
}

type ShardSource = {
  plan: Plan
  snapshot: Snapshot
  pool: Pick<EnginePool, 'compute'>
  isUrgent: boolean
  maxBytes?: number
}

/** Returns, by item, the indexes of its AOIs among those of the study. */
function aoiIndexesOf({ study }: Snapshot): Record<string, number[]> {
  const indexes: Record<string, number[]> = {}
  for (const [index, { itemId }] of study.aois.entries()) {
    indexes[itemId] ??= []
    indexes[itemId].push(index)
  }
  return indexes
}
