import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { gazeOfEye } from '../../compute/eyes.ts'
import type { Samples } from '../../compute/gaze.ts'
import { exportOf, readsGaze } from '../../exports/registry.ts'
import { ServiceError } from '../../model/errors.ts'
import { type ChosenEye, columnsOfEye } from '../../model/eye-columns.ts'
import {
  type KeptArrays,
  NO_SAMPLES,
  readSamples,
  type SampleColumn,
  type SamplesPlace,
} from '../../snapshot/read-samples.ts'
import { verifyFile } from '../../snapshot/verify.ts'
import type { ShardInput } from './shard-input.ts'

/** Reused arrays for large shards: a thread computes one shard at a time. */
const kept: KeptArrays = new Map()

/** LRU cache of samples, up to 32 MiB: the same few tests are often requested again, and snapshots are immutable. */
const recent = new LRUCache<string, Samples>({ maxSize: 1 << 22, sizeCalculation: valuesOf })

/** Largest shard of an export that is cached: larger shards follow each other and would only evict each other. */
export const RECENT_ROWS_MAX = 65_536

/**
 * Returns the samples of a shard, valid until the next call; empty if no column is needed.
 *
 * @param recentRowsMax largest shard, in samples, that is cached
 * @throws as `readSamples`
 */
export async function samplesOfShard(
  { shard, tables, file, plan }: ShardInput,
  reads: SampleColumn[],
  recentRowsMax: number,
): Promise<Samples> {
  if (reads.length === 0 || shard.rowCount === 0) return NO_SAMPLES
  if (file === null)
    throw new ServiceError('corrupt', `a test has its samples in file ${shard.file}, and there is none`)
  const { firstOrdinal, lastOrdinal, fromRow, rowCount } = shard
  const place = { directory: tables.directory, file, firstOrdinal, lastOrdinal, fromRow, rowCount }
  const eye = readsGaze(exportOf(plan.export)) ? plan.parameters.eye : undefined
  if (rowCount > recentRowsMax) return readWith(eye, place, reads, kept)
  // The key is the file's hash, since snapshots of a growing study share files; but the file must still exist and be
  // intact.
  verifyFile(join(tables.directory, file.name), file.sha256)
  const key = [file.sha256, fromRow, rowCount, eye, ...reads].join('\n')
  const known = recent.get(key) ?? (await readWith(eye, place, reads))
  recent.set(key, known)
  return known
}

/** Reads samples with the gaze of the chosen eyes or, without a choice, the recorded gaze. */
async function readWith(
  eye: ChosenEye | undefined,
  place: SamplesPlace,
  reads: SampleColumn[],
  into?: KeptArrays,
): Promise<Samples> {
  if (eye === undefined || !reads.includes('gazeXPx')) return readSamples(place, reads, into)
  const others = reads.filter((column) => column !== 'gazeXPx' && column !== 'gazeYPx')
  const samples = await readSamples(place, [...new Set([...others, ...columnsOfEye(eye)])], into)
  const [gazeXPx, gazeYPx] = [new Float64Array(samples.n), new Float64Array(samples.n)]
  gazeOfEye(samples.eyes!, eye, gazeXPx, gazeYPx)
  return { ...samples, gazeXPx, gazeYPx }
}

function valuesOf(samples: Samples): number {
  const { tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick, eyes = {} } = samples
  const columns = [tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick, ...Object.values(eyes)]
  return columns.reduce((sum, { length }) => sum + length, 1)
}
