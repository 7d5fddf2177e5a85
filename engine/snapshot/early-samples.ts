import { join } from 'node:path'
import type { DuckDBValue } from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { listValue, readParquet } from '../duckdb/duckdb.ts'
import { queryRows } from '../duckdb/query.ts'
import { stopReason } from '../model/errors.ts'
import type { SampleFile, Snapshot } from '../model/study.ts'
import { forEach } from '../storage/concurrency/side-by-side.ts'
import { studiesDirectoryOf } from '../storage/files/layout.ts'
import { withSampleFile } from './pin-samples.ts'
import { verifyFile } from './verify.ts'

/** Samples of tests before item onset, of tests that have any: the test's file and ordinal, and how many they are. */
type EarlySamples = { files: number[]; ordinals: number[]; counts: number[] }

type OfFile = [ordinal: number, count: number][]

/**
 * Cache by the hash of a sample file, which a growing study has in many snapshots; most files have no such samples. At
 * most 100,000 files: an entry itself counts as 40 tests, and no table for so many is made before they come.
 */
const known = new LRUCache<string, OfFile>({ maxSize: 4_000_000, sizeCalculation: (own) => 40 + own.length })
const AT_ONCE = 4

/**
 * Counts the samples before item onset, which the table of tests does not tell: it counts all that were recorded. Files
 * are read once.
 *
 * @throws ServiceError corrupt, overloaded; as `stopReason` when `stop` aborts
 */
async function earlySamples(snapshot: Snapshot, stop: AbortSignal): Promise<EarlySamples> {
  const { sampleFiles } = snapshot.manifest
  const found = new Map<SampleFile, OfFile>()
  await forEach(sampleFiles, AT_ONCE, async (file) => {
    if (stop.aborted) throw stopReason(stop)
    const own = known.get(file.sha256) ?? (await withSampleFile(snapshot, file, () => earlyIn(snapshot, file)))
    known.set(file.sha256, own)
    found.set(file, own)
  })
  const all = sampleFiles.flatMap((file, f) => found.get(file)!.map(([ordinal, count]) => [f, ordinal, count]))
  const [files, ordinals, counts] = [0, 1, 2].map((place) => all.map((row) => row[place]))
  return { files, ordinals, counts }
}

/** Returns whether all samples before item onset have been counted, so that no sample file needs to be read. */
export function knowsEarlySamples({ manifest }: Snapshot): boolean {
  return manifest.sampleFiles.every(({ sha256 }) => known.has(sha256))
}

/** Returns `earlySamples` as the values that `WITH_EARLY` binds. */
export async function earlyValues(snapshot: Snapshot, stop: AbortSignal): Promise<Record<string, DuckDBValue>> {
  const { files, ordinals, counts } = await earlySamples(snapshot, stop)
  return { earlyFiles: listValue(files), earlyOrdinals: listValue(ordinals), earlyCounts: listValue(counts) }
}

const EARLY = `SELECT test_ordinal, count(*)::INTEGER FROM ${readParquet()} WHERE t_us < 0 GROUP BY test_ordinal`

async function earlyIn({ directory }: Snapshot, file: SampleFile): Promise<OfFile> {
  const path = join(directory, file.name)
  verifyFile(path, file.sha256)
  const rows = await queryRows(studiesDirectoryOf(directory), EARLY, { path })
  return rows.map(([ordinal, count]) => [Number(ordinal), Number(count)])
}
