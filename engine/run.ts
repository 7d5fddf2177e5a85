import { encode, quote } from './csv/cells.ts'
import { type DeflatedPiece, deflatePiece, GZIP_HEADER, startMember } from './csv/gzip.ts'
import { createSink, finish } from './csv/sink.ts'
import { ServiceError } from './errors.ts'
import { aoiTexts } from './exports/context.ts'
import { settingsNotes } from './exports/notes.ts'
import { computeInOrder } from './in-order.ts'
import type { Plan } from './plan.ts'
import type { EnginePool } from './pool.ts'
import { type ExportEntry, findExport, type Sums } from './registry.ts'
import { countSelected, cutShards, type Shard, selectTests } from './select.ts'
import type { Item, Snapshot } from './study.ts'
import { numbersOf, type Rows } from './table.ts'
import type { ShardResult } from './thread.ts'

/**
 * The next bytes of the file and, if asked for, of its gzip twin. Either may be empty; both are whole at the end. They stay what they
 * are until the next block is asked for: then their memory is used again.
 */
export type Block = { csv: Uint8Array; gzip: Uint8Array }

/** `rows` without the header. */
export type RunProgress = { samplesDone: number; samplesTotal: number; rows: number; bytes: number }

export type RunOptions = {
  plan: Plan
  snapshot: Snapshot
  pool: Pick<EnginePool, 'threads' | 'compute' | 'bytesOf' | 'reuse'>
  signal: AbortSignal
  /** Whether to make the gzip twin in the same pass. */
  gzip: boolean
  onProgress?: (progress: RunProgress) => void
  /** Only these of the plan's tests, in the order of output: for a look at the first rows, or at one participant's. */
  tests?: Rows
  /** Whether somebody waits for it, and its shards go before those of jobs. */
  isUrgent?: boolean
  /** Shards under way at once; by default one more than threads. Changes no byte. */
  lookAhead?: number
}

/**
 * Computes an export and yields its bytes in order; there is no other way to make a CSV. The generator ends only when
 * the file is whole; anything else throws. Whoever stops reading early stops the work.
 *
 * @throws ServiceError corrupt when a shard's rows differ from the manifest, canceled when `signal` aborts
 */
export async function* runExport(options: RunOptions): AsyncGenerator<Block, RunProgress> {
  const { plan, snapshot, pool, signal, gzip, onProgress } = options
  const entry = findExport(plan.export)
  if (!entry) throw new ServiceError('not_found', `there is no export ${plan.export}`)
  if (signal.aborted) throw new ServiceError('canceled', 'the export was canceled')
  const tests = options.tests ?? selectTests(plan, snapshot)
  const progress: RunProgress = { samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 }
  const sampleCounts = numbersOf(snapshot.tables.tests, 'sampleCount')
  // By place: for...of makes an object a test.
  for (let i = 0; i < tests.length; i++) progress.samplesTotal += sampleCounts[tests[i]]
  const member = gzip ? startMember() : null
  const emit = (csv: Uint8Array, piece?: DeflatedPiece): Block => {
    progress.bytes += csv.length
    return { csv, gzip: member ? member.add(piece ?? deflatePiece(csv)) : NOTHING }
  }

  if (member) yield { csv: NOTHING, gzip: GZIP_HEADER }
  yield emit(encode(`${entry.columns.map(({ name }) => quote(name)).join(',')}\n`))
  const parts: Sums[] = []
  const needsAois = entry.columns.some(({ name }) => name.startsWith('aoi'))
  const results = computeInOrder({
    shards: cutShards(tests, snapshot),
    compute: (shard, stop, isFirst) => {
      const task = { ...shardTask(shard, plan, snapshot, stop, needsAois), isFirst, gzip }
      return pool.compute(task, options.isUrgent ?? false)
    },
    lookAhead: options.lookAhead ?? pool.threads + 1,
    signal,
    what: 'export',
    drop: ({ blocks }) => blocks.forEach(pool.reuse),
  })
  for await (const { shard, result } of results) {
    yield* emitShard(result, plan, progress, emit, pool)
    if (result.sums) parts.push(result.sums)
    progress.samplesDone += shard.sampleCount
    onProgress?.({ ...progress })
  }
  if (entry.kind === 'sums') yield* emitShard(combined(entry, options, parts), plan, progress, emit, pool)
  if (member) yield { csv: NOTHING, gzip: member.end() }
  onProgress?.({ ...progress })
  return progress
}

const NOTHING = new Uint8Array(0)

/** A shard's blocks, with the notes put in where the file's first row is. */
function* emitShard(
  { blocks, pieces, rows, notesBlock }: ShardResult,
  plan: Plan,
  progress: RunProgress,
  emit: (csv: Uint8Array, piece?: DeflatedPiece) => Block,
  { bytesOf, reuse }: Pick<EnginePool, 'bytesOf' | 'reuse'>,
): Generator<Block> {
  const hasFirstRow = progress.rows === 0 && rows > 0
  progress.rows += rows
  let left = 0
  try {
    for (; left < blocks.length; left++) {
      if (hasFirstRow && left === notesBlock) yield emit(encode(settingsNotes(plan)))
      yield emit(bytesOf(blocks[left]), pieces[left])
      // Let go of one by one: all of a shard's are tens of MiB.
      reuse(blocks[left])
      blocks[left] = NOTHING
      if (left < pieces.length) pieces[left] = { ...pieces[left], deflated: NOTHING }
    }
  } finally {
    for (const block of blocks.slice(left)) reuse(block)
  }
}

/** What a thread needs of the snapshot for one shard, and no more. */
export function shardTask(shard: Shard, plan: Plan, snapshot: Snapshot, stop: Int32Array, needsAois: boolean) {
  const { study, tables, manifest, directory } = snapshot
  const itemIndexes = numbersOf(tables.tests, 'itemIndex')
  const items: Record<number, Item> = {}
  for (const row of shard.testRows) items[itemIndexes[row]] ??= study.items[itemIndexes[row]]
  return {
    plan,
    shard,
    directory,
    file: manifest.sampleFiles[shard.file] ?? null,
    items,
    tables: { participants: tables.participants.source!, tests: tables.tests.source! },
    aois: needsAois ? aoiTexts(study.aois, Object.values(items)) : {},
    stop,
  }
}

function combined(
  entry: ExportEntry & { kind: 'sums' },
  { plan, snapshot, gzip }: RunOptions,
  parts: Sums[],
): ShardResult {
  const sink = createSink()
  entry.writeRows(snapshot, plan, parts, sink)
  const { rows, notesBlock } = sink
  const blocks = finish(sink)
  return { blocks, pieces: gzip ? blocks.map(deflatePiece) : [], rows, notesBlock, sums: null }
}

/** What an export will take, from the snapshot's counts alone. The bytes are an upper guess. */
export function estimateExport(plan: Plan, snapshot: Snapshot): { samples: number; bytes: number } {
  const entry = findExport(plan.export)
  if (!entry) throw new ServiceError('not_found', `there is no export ${plan.export}`)
  const counts = countSelected(plan, snapshot)
  const readsSamples = entry.reads.length > 0
  return { samples: readsSamples ? counts.samples : 0, bytes: 1024 + entry.estimateBytes(counts) }
}
