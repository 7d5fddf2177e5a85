import { type StudyFacts, studyFacts } from '../../exports/columns/study-facts.ts'
import { aoiTexts } from '../../exports/columns/test-context.ts'
import type { Plan } from '../../model/plan.ts'
import type { Item, SampleFile, Snapshot } from '../../model/study.ts'
import type { TableFiles } from '../../snapshot/tables.ts'
import type { Shard } from './shards.ts'

/** The part of a snapshot that a thread needs for one shard: plain data, and shared memory. */
export type ShardInput = {
  plan: Plan
  shard: Shard
  tables: TableFiles
  /** The shard's sample file; null if its tests have no samples. */
  file: SampleFile | null
  /** Items by their index in the study. */
  items: Record<number, Item>
  /** AOIs by item: see `aoiTexts`. */
  aois: Record<string, string>
  facts: StudyFacts
  /** Abort flag: not 0 once the shard must stop. */
  stop: Int32Array
}

/** Returns the part of a snapshot that a thread needs for one shard. */
export function shardInput(
  shard: Shard,
  plan: Plan,
  snapshot: Snapshot,
  stop: Int32Array,
  needsAois: boolean,
): ShardInput {
  const { study, manifest, directory } = snapshot
  const { files, participantColumns } = manifest
  const items: Record<number, Item> = {}
  for (const index of shard.itemIndexes) items[index] ??= study.items[index]
  return {
    plan,
    shard,
    tables: { directory, manifest: { files, participantColumns } },
    file: manifest.sampleFiles[shard.file] ?? null,
    items,
    aois: needsAois ? aoiTexts(study.aois, Object.values(items)) : {},
    facts: studyFacts(snapshot),
    stop,
  }
}
