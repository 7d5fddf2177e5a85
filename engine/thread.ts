import { Piscina } from 'piscina'
import { type Blocks, copyToBlock, type Finished } from './blocks.ts'
import { type DeflatedPiece, deflatePiece } from './csv/gzip.ts'
import { blockForPoints } from './csv/point-rows.ts'
import { createSink, finish, isWorthSharing } from './csv/sink.ts'
import { ServiceError } from './errors.ts'
import { createContext, type TestRun } from './exports/context.ts'
import type { Plan } from './plan.ts'
import { findExport, type Sums } from './registry.ts'
import type { Shard } from './select.ts'
import {
  type KeptArrays,
  NO_SAMPLES,
  readSamples,
  type SampleColumn,
  type ShardSamples,
  sliceSamples,
} from './store/read-samples.ts'
import { openTables, type TableSources } from './store/tables.ts'
import type { Item, Participant, SampleFile, Test } from './study.ts'
import { views } from './table.ts'

/** What a thread needs of a snapshot's shard; plain data, and what threads share. */
export type ShardInput = {
  plan: Plan
  shard: Shard
  /** Absolute path of the snapshot, and the shard's file in it. */
  directory: string
  file: SampleFile | null
  items: Record<number, Item>
  tables: TableSources
  /** By item: see `aoiTexts`. */
  aois: Record<string, string>
  /** Not 0 once somebody wants it stopped. */
  stop: Int32Array
}

/** The shard of an export. */
export type ShardTask = ShardInput & {
  isFirst: boolean
  gzip: boolean
  /** Where full blocks go, and as whose; null for memory of their own. */
  shared: { blocks: Blocks; owner: number } | null
}

/** What a shard comes to. `notesBlock` is the block before which the file's notes go if it has the file's first row. */
export type ShardResult = {
  blocks: Finished[]
  pieces: DeflatedPiece[]
  rows: number
  notesBlock: number
  sums: Sums | null
}

/** Errors do not cross threads whole, so their code travels apart. */
export type Failed = { failed: { code: ServiceError['code']; message: string; detail: string } }
export type ShardAnswer = { result: ShardResult } | Failed

/** One thread, one shard: read, compute, encode, and if asked deflate. */
export async function computeShard(task: ShardTask): Promise<unknown> {
  try {
    const result = computeShardHere(task)
    const own = result.blocks.filter((block) => block instanceof Uint8Array)
    const buffers = [...own, ...result.pieces.map(({ deflated }) => deflated)].map(
      ({ buffer }) => buffer as ArrayBuffer,
    )
    return transfer({ result }, buffers)
  } catch (error) {
    return failed(error)
  }
}

/** @throws `error`, if it is a bug */
export function failed(error: unknown): Failed {
  if (!(error instanceof ServiceError)) throw error
  const detail = error.cause instanceof Error ? String(error.cause.stack) : ''
  return { failed: { code: error.code, message: error.message, detail } }
}

/** Nothing; but a pool that has no thread starts one for it. */
export function wake(): void {}

/** On this very thread. @throws ServiceError not_found, canceled, corrupt, overloaded */
export function computeShardHere(task: ShardTask): ShardResult {
  const { plan } = task
  const entry = findExport(plan.export)
  if (!entry) throw new ServiceError('not_found', `there is no export ${plan.export}`)
  stopIfAsked(task.stop)
  const context = createContext(plan, task.aois)
  const pieces: DeflatedPiece[] = []
  const blocks: Finished[] = []
  const take = (finished: Uint8Array) => {
    if (task.gzip) pieces.push(deflatePiece(finished))
    blocks.push(copied(finished, task))
  }
  const sink = createSink({ block: blockForPoints(), take })
  const sums: Sums = new Map()
  for (const run of testRuns(task, entry.reads, task.isFirst)) {
    if (entry.kind === 'rows') entry.writeTest(run, context, sink)
    else entry.addTest(run, context, sums)
  }
  finish(sink)
  return { blocks, pieces, rows: sink.rows, notesBlock: sink.notesBlock, sums: entry.kind === 'sums' ? sums : null }
}

/**
 * A shard's tests with their samples, in order; each until the next.
 *
 * @param isFirst whether the first of them is the file's first
 * @throws ServiceError canceled, within a few milliseconds of somebody's wish; corrupt, overloaded
 */
export function* testRuns(task: ShardInput, reads: SampleColumn[], isFirst: boolean): Generator<TestRun> {
  const { plan, shard, items, stop } = task
  const samples = samplesOfShard(task, reads)
  const { testAt, participantAt } = viewsOf(task)
  let sinceLook = 0
  for (const [i, row] of shard.testRows.entries()) {
    const test = testAt(row)
    sinceLook += test.sampleCount + 1
    if (sinceLook > LOOK_EVERY_SAMPLES) {
      sinceLook = 0
      stopIfAsked(stop)
    }
    const [item, participant] = [items[test.itemIndex], participantAt(test.participantIndex)]
    yield {
      identity: { studyId: plan.studyId, item, participant, test },
      samples: sliceSamples(samples, shard.rowOffsets[i], reads.length > 0 ? test.sampleCount : 0),
      isFirstOfFile: isFirst && i === 0,
    }
  }
}

type Views = { testAt: (row: number) => Test; participantAt: (row: number) => Participant }

/** Of the snapshots whose shards came last, by directory. */
const viewed = new Map<string, Views>()
const VIEWED_MAX = 8

/** Views of the snapshot's rows; the same ones for all its shards, which V8 then knows. */
function viewsOf({ directory, tables }: ShardInput): Views {
  const known = viewed.get(directory)
  if (known) return known
  const { participants, tests } = openTables(tables)
  const made = { testAt: views<Test>(tests), participantAt: views<Participant>(participants) }
  if (viewed.size >= VIEWED_MAX) viewed.clear()
  viewed.set(directory, made)
  return made
}

/** A block's copy in memory that threads share; small ones, and those that find none, get memory to be transferred. */
function copied(bytes: Uint8Array, { shared }: ShardTask): Finished {
  const block = shared && isWorthSharing(bytes) ? copyToBlock(bytes, shared.owner, shared.blocks) : null
  return block ?? bytes.slice()
}

/** Arrays for large shards, one after the other: a thread computes one shard at a time. */
const kept: KeptArrays = new Map()

/** The small shards read last, the latest last: the same few tests are often asked for again, and snapshots never change. */
const recent = new Map<string, ShardSamples>()
const RECENT_ROWS_MAX = 65_536
const RECENT_VALUES_MAX = 1 << 22
let recentValues = 0

/** The samples of a shard, until the next call; none when nothing is to be read. @throws ServiceError corrupt, overloaded */
function samplesOfShard({ shard, directory, file }: ShardInput, reads: SampleColumn[]): ShardSamples {
  if (reads.length === 0 || shard.rowCount === 0 || file === null) return NO_SAMPLES
  const { fromRow, rowCount } = shard
  const place = { directory, file, fromRow, rowCount }
  if (rowCount > RECENT_ROWS_MAX) return readSamples(place, reads, kept)
  const key = [directory, file.name, fromRow, rowCount, ...reads].join('\n')
  const known = recent.get(key)
  const samples = known ?? readSamples(place, reads)
  if (known === undefined) recentValues += valuesOf(samples)
  recent.delete(key)
  recent.set(key, samples)
  for (const [oldest, old] of recent) {
    if (recentValues <= RECENT_VALUES_MAX) break
    recent.delete(oldest)
    recentValues -= valuesOf(old)
  }
  return samples
}

function valuesOf({ tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick }: ShardSamples): number {
  return [tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick].reduce((sum, { length }) => sum + length, 0)
}

/** A few milliseconds of work. */
const LOOK_EVERY_SAMPLES = 8192

/** @throws ServiceError canceled */
function stopIfAsked(stop: Int32Array): void {
  if (Atomics.load(stop, 0) !== 0) throw new ServiceError('canceled', 'the export was canceled')
}

/**
 * Hands buffers over to the other thread instead of copying them. As plain values: V8 keeps each object that is made with getters of
 * its own, and what they see, until it looks through its old objects.
 */
function transfer(answer: ShardAnswer, buffers: ArrayBuffer[]): unknown {
  return Piscina.move({ [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: answer } as never)
}
