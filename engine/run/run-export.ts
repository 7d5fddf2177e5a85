import { columnsOf } from '../exports/columns-of.ts'
import type { ExportEntry, Sums } from '../exports/export-entry.ts'
import { settingsNotes, withNotes } from '../exports/notes.ts'
import { exportOf } from '../exports/registry.ts'
import { studyFacts } from '../exports/study-facts.ts'
import type { ShardEnd } from '../formats/encoder.ts'
import { formatOf } from '../formats/formats.ts'
import { type FormatCode, loadFormat } from '../formats/load.ts'
import { ServiceError } from '../model/errors.ts'
import type { Plan } from '../model/plan.ts'
import type { Snapshot } from '../model/study.ts'
import { checkSampleCounts, countSamples, type Selection } from '../snapshot/selection.ts'
import { type DeflatedPiece, deflatePiece, GZIP_HEADER, startMember } from '../text/gzip.ts'
import { createSink } from '../text/sink.ts'
import { type Dictionaries, knownCodes } from './dictionaries.ts'
import { selectPlanned } from './estimate.ts'
import type { ShardResult } from './export-thread.ts'
import { computeInOrder } from './in-order.ts'
import type { EnginePool } from './pool.ts'
import { dictionariesOf, shardComputer } from './shard-computer.ts'
import { cutShards, type Shard } from './shards.ts'

/**
 * The next bytes of the file and, if asked for, of its gzip twin. Either may be empty; both are whole at the end. They stay what they
 * are until the next block is asked for: then their memory is used again.
 */
export type Block = { bytes: Uint8Array; gzip: Uint8Array }

/** `rows` without the header. */
export type RunProgress = { samplesDone: number; samplesTotal: number; rows: number; bytes: number }

export type RunOptions = {
  plan: Plan
  snapshot: Snapshot
  pool: Pick<EnginePool, 'threads' | 'compute' | 'bytesOf' | 'reuse'>
  signal: AbortSignal
  /** Whether to make the gzip twin in the same pass, where the format has one. */
  gzip: boolean
  onProgress?: (progress: RunProgress) => void
  /** Whether a client waits for it, so that its shards go before those of jobs. */
  isUrgent?: boolean
  /** Shards under way at once; by default one more than threads. Changes no byte. */
  lookAhead?: number
}

const NOTHING = new Uint8Array(0)

/**
 * Computes an export and yields its bytes in order; there is no other way to make a file. The generator ends only when the file is
 * whole; anything else throws. A reader that stops early stops the work.
 *
 * @throws ServiceError corrupt when a shard's rows differ from the manifest, canceled when `signal` aborts
 */
export async function* runExport(options: RunOptions): AsyncGenerator<Block, RunProgress> {
  const { plan, snapshot, pool, onProgress } = options
  if (options.signal.aborted) throw new ServiceError('canceled', 'the export was canceled')
  const entry = exportOf(plan.export)
  const columns = columnsOf(entry, studyFacts(snapshot))
  const format = await loadFormat(plan.format ?? 'csv')
  await checkSampleCounts(snapshot)
  const selection = await selectPlanned(plan, snapshot)
  const dictionaries = await dictionariesOf(plan, snapshot, selection)
  const gzip = options.gzip && formatOf(plan).hasTwin
  const frame = format.frame({
    columns,
    about: aboutFile(plan, entry),
    dictionaries: dictionaries?.values ?? {},
  })
  const progress = { samplesDone: 0, samplesTotal: countSamples(selection), rows: 0, bytes: 0 }
  const member = gzip ? startMember() : null
  const emit = (bytes: Uint8Array, piece?: DeflatedPiece): Block => {
    progress.bytes += bytes.length
    return { bytes, gzip: member ? member.add(piece ?? deflatePiece(bytes)) : NOTHING }
  }

  if (member) yield { bytes: NOTHING, gzip: GZIP_HEADER }
  if (frame.head.length > 0) yield emit(frame.head)
  const ends: { offset: number; end: ShardEnd; rows: number }[] = []
  const parts: Sums[] = []
  for await (const { shard, result } of shardResults(options, selection, dictionaries, gzip)) {
    ends.push({ offset: progress.bytes, end: result.end, rows: result.rows })
    yield* emitBlocks(result, emit, pool)
    if (result.sums) parts.push(result.sums)
    progress.samplesDone += shard.sampleCount
    progress.rows += result.rows
    onProgress?.({ ...progress })
  }
  if (entry.kind === 'sums') {
    const { blocks, rows, end } = combine(entry, options, parts, format, dictionaries)
    ends.push({ offset: progress.bytes, end, rows })
    for (const block of blocks) yield emit(block)
    progress.rows += rows
  }
  const tail = frame.tail(ends, progress.bytes)
  if (tail.length > 0) yield emit(tail)
  if (member) yield { bytes: NOTHING, gzip: member.end() }
  onProgress?.({ ...progress })
  return progress
}

/** Returns facts about the file, for formats that hold metadata. */
function aboutFile(plan: Plan, { name, title }: ExportEntry): Record<string, string> {
  return { export: name, title, study: plan.studyId, snapshot: plan.snapshotId, gazette: plan.version }
}

/**
 * Has shards computed, and yields their results in order. The notes of the file go into its first row, in whichever
 * shard that is.
 */
async function* shardResults(
  { plan, snapshot, pool, signal, isUrgent = false, lookAhead = pool.threads + 1 }: RunOptions,
  selection: Selection,
  dictionaries: Dictionaries | null,
  gzip: boolean,
): AsyncGenerator<{ shard: Shard; result: ShardResult }> {
  const compute = shardComputer({ plan, snapshot, pool, isUrgent }, dictionaries, gzip)
  const drop = ({ blocks }: ShardResult) => blocks.forEach(pool.reuse)
  let hasRows = false
  const results = computeInOrder({
    shards: cutShards(selection),
    compute: (shard, stop) => compute(shard, stop, shard.first === 0),
    lookAhead,
    signal,
    what: 'export',
    drop,
  })
  for await (const { shard, result, stop } of results) {
    const isFirst: boolean = !hasRows && result.rows > 0
    hasRows ||= isFirst
    if (isFirst && shard.first > 0) {
      // All shards before it turned out to be empty: it is computed anew, with the notes.
      drop(result)
      yield { shard, result: await compute(shard, stop, true) }
    } else yield { shard, result }
  }
}

/** Yields a shard's blocks, and gives back their memory one by one: all of a shard's are tens of MiB. */
export function* emitBlocks(
  { blocks, pieces }: ShardResult,
  emit: (bytes: Uint8Array, piece?: DeflatedPiece) => Block,
  { bytesOf, reuse }: RunOptions['pool'],
): Generator<Block> {
  let left = 0
  try {
    for (; left < blocks.length; left++) {
      yield emit(bytesOf(blocks[left]), pieces[left])
      reuse(blocks[left])
      blocks[left] = NOTHING
      if (left < pieces.length) pieces[left] = { ...pieces[left], deflated: NOTHING }
    }
  } finally {
    for (const block of blocks.slice(left)) reuse(block)
  }
}

/** Adds up the shards' sums, and encodes the rows that come of them. */
function combine(
  { combine: rowsOf, columns }: ExportEntry & { kind: 'sums' },
  { plan, snapshot: { study } }: RunOptions,
  parts: Sums[],
  { encoder: encoderOf }: FormatCode,
  dictionaries: Dictionaries | null,
): { blocks: Uint8Array[]; rows: number; end: ShardEnd } {
  const blocks: Uint8Array[] = []
  const sink = createSink((finished) => void blocks.push(finished.slice()))
  const known = dictionaries && knownCodes(columns, dictionaries.codes)
  if (known) {
    known.know('study', 0, { studyId: study.id })
    for (const [index, item] of study.items.entries()) known.know('item', index, { item })
    for (const [index, aoi] of study.aois.entries())
      known.know('aoi', index, { aoi, item: study.items.find(({ id }) => id === aoi.itemId)! })
  }
  const encoder = encoderOf({ columns, formulaGuard: plan.formulaGuard, sink, dictionaries: known?.dictionaries ?? {} })
  let rows = 0
  for (const made of rowsOf(study, plan, parts)) {
    encoder.write(rows === 0 ? withNotes(made, columns, settingsNotes(plan)) : made)
    rows += made.n
  }
  return { blocks, rows, end: encoder.end() }
}
