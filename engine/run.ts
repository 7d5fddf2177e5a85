import { encode, quote } from './csv/cells.ts'
import { type DeflatedPiece, deflatePiece, GZIP_HEADER, startMember } from './csv/gzip.ts'
import { createSink, finish } from './csv/sink.ts'
import { ServiceError } from './errors.ts'
import { aoiTexts } from './exports/context.ts'
import { settingsNotes } from './exports/notes.ts'
import type { Plan } from './plan.ts'
import type { EnginePool } from './pool.ts'
import { type ExportEntry, findExport, type Sums } from './registry.ts'
import { countSelected, cutShards, type Shard, selectTests } from './select.ts'
import type { Snapshot } from './study.ts'
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
  pool: Pick<EnginePool, 'threads' | 'compute' | 'reuse'>
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
  for (const row of tests) progress.samplesTotal += sampleCounts[row]
  const member = gzip ? startMember() : null
  const emit = (csv: Uint8Array, piece?: DeflatedPiece): Block => {
    progress.bytes += csv.length
    return { csv, gzip: member ? member.add(piece ?? deflatePiece(csv)) : NOTHING }
  }

  if (member) yield { csv: NOTHING, gzip: GZIP_HEADER }
  yield emit(encode(`${entry.columns.map(({ name }) => quote(name)).join(',')}\n`))
  const parts: Sums[] = []
  for await (const { shard, result } of computeInOrder(options, entry, cutShards(tests, snapshot))) {
    yield* emitShard(result, plan, progress, emit, pool.reuse)
    if (result.sums) parts.push(result.sums)
    progress.samplesDone += shard.sampleCount
    onProgress?.({ ...progress })
  }
  if (entry.kind === 'sums') yield* emitShard(combined(entry, options, parts), plan, progress, emit, pool.reuse)
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
  reuse: EnginePool['reuse'],
): Generator<Block> {
  const hasFirstRow = progress.rows === 0 && rows > 0
  progress.rows += rows
  let left = 0
  try {
    for (; left < blocks.length; left++) {
      if (hasFirstRow && left === notesBlock) yield emit(encode(settingsNotes(plan)))
      yield emit(blocks[left], pieces[left])
      // Let go of one by one: all of a shard's are tens of MiB.
      reuse(blocks[left])
      blocks[left] = NOTHING
      if (left < pieces.length) pieces[left] = { ...pieces[left], deflated: NOTHING }
    }
  } finally {
    for (const block of blocks.slice(left)) reuse(block)
  }
}

/** Hands shards to the pool, a bounded number at a time, and yields their results in order. */
async function* computeInOrder(
  { plan, snapshot, pool, signal, gzip, isUrgent = false, lookAhead = pool.threads + 1 }: RunOptions,
  entry: ExportEntry,
  shards: Shard[],
): AsyncGenerator<{ shard: Shard; result: ShardResult }> {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const abort = () => Atomics.store(stop, 0, 1)
  signal.addEventListener('abort', abort)
  const under: Promise<ShardResult>[] = []
  const start = (index: number) => {
    const task = taskOf(shards[index], index === 0, plan, snapshot, entry, gzip, stop)
    const result = pool.compute(task, isUrgent)
    // It is awaited below, in its turn; until then a failure must not count as unhandled.
    result.catch(() => {})
    under.push(result)
  }
  try {
    for (let next = 0, done = 0; done < shards.length; done++) {
      while (next < shards.length && under.length < lookAhead) start(next++)
      // It stays there until it is handed on: those who leave before that free its blocks.
      const result = await under[0]
      if (signal.aborted) throw new ServiceError('canceled', 'the export was canceled')
      under.shift()
      yield { shard: shards[done], result }
    }
  } finally {
    abort()
    signal.removeEventListener('abort', abort)
    for (const ended of await Promise.allSettled(under))
      if (ended.status === 'fulfilled') ended.value.blocks.forEach(pool.reuse)
  }
}

function taskOf(
  shard: Shard,
  isFirst: boolean,
  plan: Plan,
  snapshot: Snapshot,
  entry: ExportEntry,
  gzip: boolean,
  stop: Int32Array,
) {
  const task = shardTask(shard, plan, snapshot, stop)
  const needsAois = entry.columns.some(({ name }) => name.startsWith('aoi'))
  return { ...task, aois: needsAois ? task.aois : {}, isFirst, gzip }
}

/** What a thread needs of the snapshot for one shard, and no more. */
export function shardTask(shard: Shard, plan: Plan, snapshot: Snapshot, stop: Int32Array) {
  const { study, tables, manifest, directory } = snapshot
  const items = numbersOf(tables.tests, 'itemIndex')
  const itemIndexes = new Set(Array.from(shard.testRows, (row) => items[row]))
  const itemIds = new Set([...itemIndexes].map((index) => study.items[index].id))
  return {
    plan,
    shard,
    directory,
    file: manifest.sampleFiles[shard.file] ?? null,
    items: Object.fromEntries([...itemIndexes].map((index) => [index, study.items[index]])),
    tables: { participants: tables.participants.source!, tests: tables.tests.source! },
    aois: aoiTexts(study.aois, itemIds),
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
