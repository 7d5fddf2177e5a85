import { setTimeout as sleep } from 'node:timers/promises'
import { collectAll } from '../duckdb/garbage.ts'
import { columnsOf } from '../exports/columns/columns-of.ts'
import type { ExportEntry } from '../exports/columns/export-entry.ts'
import { settingsNotes, withNotes } from '../exports/columns/notes.ts'
import { studyFacts } from '../exports/columns/study-facts.ts'
import { exportOf } from '../exports/registry.ts'
import type { FileFrame, ShardEnd } from '../formats/encoder.ts'
import { formatOf } from '../formats/formats.ts'
import { type FormatCode, loadFormat } from '../formats/load.ts'
import { ServiceError } from '../model/errors.ts'
import type { Plan } from '../model/plan.ts'
import type { Snapshot } from '../model/study.ts'
import { checkSampleCounts, countSamples, type Selection } from '../snapshot/selection.ts'
import { type DeflatedPiece, deflatePiece, GZIP_HEADER, startMember } from '../text/gzip.ts'
import { createSink } from '../text/sink.ts'
import { checkLeastRows, selectPlanned } from './estimate.ts'
import { computeInOrder } from './in-order.ts'
import type { BlockPlaces, ShardResult } from './pool/export-thread.ts'
import type { EnginePool } from './pool/pool.ts'
import { dictionariesOf, type Selected, shardComputer } from './shard-computer.ts'
import type { Finished } from './shards/blocks.ts'
import { type Codes, knownCodes } from './shards/dictionaries.ts'
import { announceTurn, createEarlyBlocks, type EarlyBlocks, takeEarlyBlock } from './shards/early-blocks.ts'
import { unpackedSums } from './shards/packed-sums.ts'
import { cutShards, type Shard } from './shards/shards.ts'
import { closeSpill, heldBytes } from './shards/spill.ts'

/**
 * Next bytes of the file and, if requested, of its gzip version; either may be empty. They are valid until the next
 * block is requested, which reuses their memory. `places` are the positions of the same bytes in stored files, if any.
 */
export type Block = { bytes: Uint8Array; gzip: Uint8Array; places?: BlockPlaces }

/** `rows` without the header. */
export type RunProgress = { samplesDone: number; samplesTotal: number; rows: number; bytes: number }

/** A plan, and the snapshot of its study. */
export type Source = { plan: Plan; snapshot: Snapshot }

export type RunOptions = Source & {
  /** Further studies, with the same columns, whose rows follow; each as it would be alone, with its own notes. */
  further?: Source[]
  pool: Pick<EnginePool, 'threads' | 'compute' | 'bytesOf' | 'reuse'>
  signal: AbortSignal
  /** True to compress the gzip version in the same pass, if the format has one. */
  gzip: boolean
  onProgress?: (progress: RunProgress) => void
  /** True if a client waits, so that its shards go before those of jobs. */
  isUrgent?: boolean
  /** Number of concurrent shards, by default one more than threads. It changes no byte. */
  lookAhead?: number
  /** Largest number of bytes of a shard; a larger one fails early as too_large. */
  maxBytes?: number
  /** Tests of the file, if they are not all that the plan selects; its first row has the notes if `hasNotes`. */
  only?: { selection: Selection; hasNotes: boolean }
}

const NOTHING = new Uint8Array(0)

/**
 * Computes an export and yields its bytes in order; there is no other way to make a file. The generator ends only when
 * the file is complete; anything else throws. If the reader stops early, the work stops.
 *
 * @throws ServiceError corrupt if a shard's rows differ from the manifest, canceled if `signal` aborts
 */
export async function* runExport(options: RunOptions): AsyncGenerator<Block, RunProgress> {
  const { plan, pool, onProgress } = options
  if (options.signal.aborted) throw new ServiceError('canceled', 'the export was canceled')
  const entry = exportOf(plan.export)
  const format = await loadFormat(plan.format ?? 'csv')
  const sources = await selectSources(options)
  const samplesTotal = sources.reduce((sum, { selection }) => sum + countSamples(selection), 0)
  const progress = { samplesDone: 0, samplesTotal, rows: 0, bytes: 0 }
  checkLeastRows(plan, progress.samplesTotal)
  const gzip = options.gzip && formatOf(plan).hasGzip
  const file = await startFile(sources, format)
  const member = gzip ? startMember() : null
  const emit = (bytes: Uint8Array, piece?: DeflatedPiece, places?: BlockPlaces): Block => {
    progress.bytes += bytes.length
    return { bytes, gzip: member ? member.add(piece ?? deflatePiece(bytes)) : NOTHING, places }
  }

  if (member) yield { bytes: NOTHING, gzip: GZIP_HEADER }
  for (let next = file.head.shift(); next !== undefined; next = file.head.shift()) yield emit(next)
  if (file.codes && sources.some(({ selection }) => selection.n > MANY_TESTS)) collectAll()
  const ends: { offset: number; end: ShardEnd; rows: number }[] = []
  const add = (offset: number, { end, rows }: Pick<ShardResult, 'end' | 'rows'>) => {
    ends.push({ offset, end, rows })
    progress.rows += rows
    file.checkRows?.(progress.rows)
  }
  for (const [i, source] of sources.entries()) {
    const codes = file.codes?.[i] ?? null
    const parts: Uint8Array[] = []
    let offset = progress.bytes
    for await (const next of shardResults({ ...options, ...source }, source.selection, codes, gzip)) {
      if ('early' in next) {
        yield* emitBlocks({ blocks: [next.early], pieces: [] }, emit, pool)
        continue
      }
      const { shard, result } = next
      yield* emitBlocks(result, emit, pool)
      add(offset, result)
      offset = progress.bytes
      if (result.sums) parts.push(result.sums)
      progress.samplesDone += shard.sampleCount
      onProgress?.({ ...progress })
    }
    if (entry.kind !== 'sums') continue
    offset = progress.bytes
    add(offset, yield* combine(entry, source, parts, format, codes, emit))
  }
  const tail = file.tail(ends, progress.bytes)
  if (tail.length > 0) yield emit(tail)
  if (member) yield { bytes: NOTHING, gzip: member.end() }
  onProgress?.({ ...progress })
  return progress
}

/** Number of tests whose texts are garbage-collected before more are read. */
const MANY_TESTS = 20_000

/** Selects the tests of each study. @throws ServiceError corrupt, canceled */
async function selectSources({ plan, snapshot, further = [], only, signal }: RunOptions): Promise<Selected[]> {
  const sources: Selected[] = []
  for (const source of [{ plan, snapshot }, ...further]) {
    await checkSampleCounts(source.snapshot)
    const selection = only?.selection ?? (await selectPlanned(source.plan, source.snapshot, signal))
    sources.push({ ...source, selection })
  }
  return sources
}

/**
 * Returns the bytes before and after the shards, and the codes of texts of each source. It drops the texts themselves,
 * since those of all tests of a study take much memory.
 */
async function startFile(sources: Selected[], format: FormatCode): Promise<FileFrame & { codes: Codes[] | null }> {
  const [{ plan, snapshot }] = sources
  const entry = exportOf(plan.export)
  const dictionaries = await dictionariesOf(sources)
  const columns = columnsOf(entry, studyFacts(snapshot), plan.parameters)
  const about = aboutFile(
    sources.map((source) => source.plan),
    entry,
  )
  const frame = format.frame({ columns, about, dictionaries: dictionaries?.values ?? {} })
  return { ...frame, codes: dictionaries?.codes ?? null }
}

/** Returns facts about the file, for formats that hold metadata; ids of several studies are separated by spaces. */
function aboutFile(plans: Plan[], { name, title }: ExportEntry): Record<string, string> {
  const [study, snapshot] = [plans.map(({ studyId }) => studyId), plans.map(({ snapshotId }) => snapshotId)]
  return { export: name, title, study: study.join(' '), snapshot: snapshot.join(' '), gazette: plans[0].version }
}

/** The result of a shard or, if the shard is next in order but not complete, one of its finished blocks. */
type Next = { shard: Shard; result: ShardResult } | { early: Finished }

/**
 * Computes shards, and yields their results in order. The first row of the file gets the notes, whichever shard has it.
 * Blocks of the shard that is next in order are yielded as soon as they are finished, so only shards ahead of it keep
 * theirs in memory. For an immediate answer or a gzip version, the blocks come with the complete result.
 */
async function* shardResults(
  { plan, snapshot, pool, signal, isUrgent = false, lookAhead = pool.threads + 1, maxBytes, only }: RunOptions,
  selection: Selection,
  codes: Codes | null,
  gzip: boolean,
): AsyncGenerator<Next> {
  const compute = shardComputer({ plan, snapshot, pool, isUrgent, maxBytes }, codes, gzip)
  const drop = dropWith(pool)
  const early = new Map<Shard, EarlyBlocks>()
  const hasNotes = only?.hasNotes ?? true
  let hasRows = !hasNotes
  const results = computeInOrder({
    shards: cutShards(selection),
    compute: (shard, stop) => {
      if (!gzip && !isUrgent) early.set(shard, createEarlyBlocks())
      return compute(shard, stop, hasNotes && shard.first === 0, early.get(shard))
    },
    lookAhead,
    signal,
    what: 'export',
    drop,
  })
  for await (const { shard, stop, computed, takeResult } of results) {
    const announced = early.get(shard)
    early.delete(shard)
    if (announced) {
      announceTurn(announced)
      if (hasRows || shard.first === 0) yield* earlyOf(announced, computed)
    }
    const result = await takeResult()
    const isFirst: boolean = !hasRows && result.rows > 0
    hasRows ||= isFirst
    if (isFirst && shard.first > 0) {
      // All shards before it are empty, so it is computed again with the notes.
      drop(result)
      yield { shard, result: await compute(shard, stop, true) }
    } else yield { shard, result }
  }
}

/** Poll interval for finished blocks, shorter than the time for a block. */
const LOOK_MS = 5

/** Yields blocks of a shard as they are announced, until the shard is complete. @throws errors of `computed` */
async function* earlyOf(announced: EarlyBlocks, computed: Promise<unknown>): AsyncGenerator<{ early: Finished }> {
  let isComputed = false
  const ending = computed.then(() => {
    isComputed = true
  })
  ending.catch(() => undefined)
  while (!isComputed) {
    for (let early = takeEarlyBlock(announced); early !== null; early = takeEarlyBlock(announced)) yield { early }
    await Promise.race([ending, sleep(LOOK_MS)])
  }
}

/** Returns a function that frees the memory and disk space of an unused result. */
export function dropWith({ reuse }: Pick<RunOptions['pool'], 'reuse'>): (result: ShardResult) => void {
  return ({ blocks, spill, release }) => {
    blocks.forEach(reuse)
    closeSpill(spill)
    release?.()
  }
}

/** Yields a shard's blocks, and frees their memory one by one, since a shard has tens of MiB. */
export function* emitBlocks<B extends Block>(
  { blocks, pieces, places, spill, release }: Omit<ShardResult, 'rows' | 'end' | 'sums'>,
  emit: (bytes: Uint8Array, piece?: DeflatedPiece, places?: BlockPlaces) => B,
  { bytesOf, reuse }: RunOptions['pool'],
): Generator<B> {
  let left = 0
  try {
    for (; left < blocks.length; left++) {
      const piece = pieces[left] && { ...pieces[left], deflated: heldBytes(pieces[left].deflated) }
      yield emit(bytesOf(blocks[left]), piece, places?.[left])
      reuse(blocks[left])
      blocks[left] = NOTHING
      if (left < pieces.length) pieces[left] = { ...pieces[left], deflated: NOTHING }
    }
  } finally {
    for (const block of blocks.slice(left)) reuse(block)
    closeSpill(spill)
    release?.()
  }
}

/** Bytes of sums and rows after which their objects are collected: left to V8, they would take hundreds of MiB. */
const COMBINED_BYTES = 16 << 20

/** Merges the shards' packed sums, and yields the encoded rows. */
function* combine(
  entry: ExportEntry & { kind: 'sums' },
  { plan, snapshot }: Source,
  packed: Uint8Array[],
  { encoder: encoderOf }: FormatCode,
  codes: Codes | null,
  emit: (bytes: Uint8Array) => Block,
): Generator<Block, { rows: number; end: ShardEnd }> {
  const { study } = snapshot
  const facts = studyFacts(snapshot)
  const columns = columnsOf(entry, facts, plan.parameters)
  let uncollected = 0
  const collectAfter = (bytes: number) => {
    uncollected += bytes
    if (uncollected < COMBINED_BYTES) return
    uncollected = 0
    collectAll()
  }
  const finished: Uint8Array[] = []
  const sink = createSink((bytes) => void finished.push(bytes.slice()))
  const take = function* () {
    for (const bytes of finished.splice(0)) {
      yield emit(bytes)
      collectAfter(bytes.length)
    }
  }
  const known = codes && knownCodes(columns, codes)
  if (known) {
    known.know('study', 0, { studyId: study.id })
    for (const [index, item] of study.items.entries()) known.know('item', index, { item })
    for (const [index, aoi] of study.aois.entries())
      known.know('aoi', index, { aoi, item: study.items.find(({ id }) => id === aoi.itemId)! })
  }
  const encoder = encoderOf({ columns, formulaGuard: plan.formulaGuard, sink, dictionaries: known?.dictionaries ?? {} })
  let rows = 0
  for (const made of entry.combine(study, plan, unpackedSums(packed, collectAfter), facts)) {
    encoder.write(rows === 0 ? withNotes(made, columns, settingsNotes(plan)) : made)
    rows += made.n
    yield* take()
  }
  const end = encoder.end()
  yield* take()
  return { rows, end }
}
