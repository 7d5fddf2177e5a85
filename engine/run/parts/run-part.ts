import { ServiceError } from '../../model/errors.ts'
import type { Snapshot } from '../../model/study.ts'
import { withSampleFile } from '../../snapshot/pin-samples.ts'
import { checkSampleCounts, type Selection, sliceTests } from '../../snapshot/selection.ts'
import type { DeflatedPiece } from '../../text/gzip.ts'
import { selectPlanned } from '../estimate.ts'
import { computeInOrder } from '../in-order.ts'
import { type Block, dropWith, emitBlocks, type RunOptions, type RunProgress } from '../run-export.ts'
import { dictionariesOf, shardComputer } from '../shard-computer.ts'
import { cutShards, type Shard } from '../shards/shards.ts'
import { type Part, type PartFile, startIndex } from './part-file.ts'

const NOTHING = new Uint8Array(0)

/** Next bytes of a part's file; `plain` are the same bytes of the export's file, if the part's are compressed. */
export type PartBlock = Block & { plain: Uint8Array }

/**
 * Computes one part of an export and yields the bytes of its file, in order. `runExport` with `fromParts` composes the
 * export's file of all parts, with the same bytes for any number of parts.
 *
 * @param gzip of the options: whether the file will have a gzip version
 * @returns number of bytes of the export's file, without the overhead of the part
 * @throws as `runExport`
 */
export async function* runPart(
  { plan, snapshot, pool, signal, gzip, onProgress, lookAhead = pool.threads + 1 }: RunOptions,
  part: Part,
): AsyncGenerator<PartBlock, RunProgress> {
  if (signal.aborted) throw new ServiceError('canceled', 'the export was canceled')
  await checkSampleCounts(snapshot)
  const selection = await selectPlanned(plan, snapshot, signal)
  const codes = (await dictionariesOf([{ plan, snapshot, selection }]))?.codes[0] ?? null
  const compute = shardComputer({ plan, snapshot, pool, isUrgent: false }, codes, gzip)
  const shards = shardsOf([...cutShards(selection)], part)
  const samplesTotal = shards.reduce((sum, { sampleCount }) => sum + sampleCount, 0)
  const progress = { samplesDone: 0, samplesTotal, rows: 0, bytes: 0 }
  const index = startIndex(plan, part)
  const results = computeInOrder({
    shards,
    // The first row of the file has the notes; if that row is in a later shard, compose computes the shard again.
    compute: (shard, stop) => compute(shard, stop, shard.first === 0),
    lookAhead,
    signal,
    what: 'export',
    drop: dropWith(pool),
  })
  for await (const { shard, takeResult } of results) {
    const result = await takeResult()
    const note = index.add(shard, result)
    const emit = (bytes: Uint8Array, piece?: DeflatedPiece): PartBlock => {
      note(bytes, piece)
      progress.bytes += bytes.length
      return { bytes: piece?.deflated ?? bytes, gzip: NOTHING, plain: piece ? bytes : NOTHING }
    }
    yield* emitBlocks(result, emit, pool)
    progress.samplesDone += shard.sampleCount
    progress.rows += result.rows
    onProgress?.({ ...progress })
  }
  yield { bytes: index.end(), gzip: NOTHING, plain: NOTHING }
  onProgress?.({ ...progress })
  return progress
}

/**
 * Returns the tests of a part, in order: those of its shards. The parts of a plan have each of its tests once.
 *
 * @param selection of the plan
 */
export function testsOfPart(selection: Selection, part: Part): Selection {
  const shards = shardsOf([...cutShards(selection)], part)
  const [first, last] = [shards[0], shards.at(-1)]
  return first && last
    ? sliceTests(selection, first.first, last.first + last.testRows.length)
    : sliceTests(selection, 0, 0)
}

/** Number of samples of a part; a job has at most so many parts. */
const PART_SAMPLES = 4_000_000
const PARTS_MAX = 200

/**
 * Returns the number of parts for so many samples: at least 1, and at most one for each file of samples.
 *
 * @param splitSamples number of samples from which a job is split
 */
export function countParts(samples: number, { manifest }: Pick<Snapshot, 'manifest'>, splitSamples: number): number {
  const each = Math.min(PART_SAMPLES, splitSamples / 4)
  return Math.max(1, Math.min(PARTS_MAX, Math.ceil(samples / each), manifest.sampleFiles.length))
}

/** Cost of a test in samples, even if it has none. */
const SAMPLES_PER_TEST = 50

/** Returns the shards of a part: consecutive ones, with about as many samples as in every other part. Deterministic. */
function shardsOf(shards: Shard[], { number, of }: Part): Shard[] {
  const weights = shards.map(({ sampleCount, testRows }) => sampleCount + SAMPLES_PER_TEST * testRows.length)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let before = 0
  return shards.filter((_, i) => {
    const middle = before + weights[i] / 2
    before += weights[i]
    return Math.min(of - 1, Math.floor((middle / total) * of)) === number - 1
  })
}

/**
 * Returns the options with which `runExport` composes the file: shards come from parts instead of being computed, so no
 * sample files are fetched. Only the shard with the notes is computed again, if the first part has no row.
 *
 * @param pool computes that shard
 */
export function fromParts<P extends RunOptions['pool']>(
  parts: PartFile[],
  { pool, snapshot: { pin, ...snapshot } }: { pool: P; snapshot: Snapshot },
): { pool: P; snapshot: Snapshot } {
  const files = new Map(parts.flatMap((file) => file.firsts.map((first) => [first, file] as const)))
  const compute: P['compute'] = async (task, isUrgent) => {
    const { first } = task.shard
    if (task.notes !== null && first > 0) return withSampleFile({ pin }, task.file, () => pool.compute(task, isUrgent))
    const file = files.get(first)
    if (!file) throw new ServiceError('corrupt', 'a shard is in none of the parts')
    return file.read(first)
  }
  return { pool: { ...pool, compute }, snapshot }
}
