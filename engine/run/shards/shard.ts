import { IN_DEGREES } from '../../../isomorphic/detector-settings.ts'
import { offsetFinder } from '../../../isomorphic/gaze-offsets.ts'
import { moveGaze } from '../../compute/move-gaze.ts'
import { collectGarbage } from '../../duckdb/garbage.ts'
import { columnsOf } from '../../exports/columns/columns-of.ts'
import type { ExportEntry, Sums } from '../../exports/columns/export-entry.ts'
import { withNotes } from '../../exports/columns/notes.ts'
import { createContext, type ExportContext, type TestRun } from '../../exports/columns/test-context.ts'
import { DISTANCE_COLUMNS } from '../../exports/columns/test-geometry.ts'
import { PUPIL_COLUMNS } from '../../exports/columns/test-pupil.ts'
import { rowsOfTests } from '../../exports/columns/test-rows.ts'
import { exportOf } from '../../exports/registry.ts'
import type { Encoder, ShardEnd } from '../../formats/encoder.ts'
import { loadFormat } from '../../formats/load.ts'
import { ServiceError } from '../../model/errors.ts'
import { EYE_PAIRS } from '../../model/eye-columns.ts'
import type { Plan } from '../../model/plan.ts'
import type { Study } from '../../model/study.ts'
import { isOfEyes, type SampleColumn, sliceSamples } from '../../snapshot/read-samples.ts'
import { loadEvents } from '../../snapshot/rows/read-events.ts'
import { loadRows } from '../../snapshot/rows/read-rows.ts'
import { loadValidations } from '../../snapshot/rows/read-validations.ts'
import { rowsKernel } from '../../text/rows-kernel.ts'
import { createSink } from '../../text/sink.ts'
import { type Codes, type KnownCodes, knownCodes } from './dictionaries.ts'
import type { EarlyBlocks } from './early-blocks.ts'
import { packSums } from './packed-sums.ts'
import { RECENT_ROWS_MAX, samplesOfShard } from './recent-samples.ts'
import type { ShardInput } from './shard-input.ts'

/** The shard of an export. */
export type ShardTask = ShardInput & {
  /** Notes of the file, if the shard has its first row; otherwise null. */
  notes: string | null
  /**
   * Codes of the texts of the file, for formats with dictionaries; by item, the indexes of its AOIs among those of the
   * study.
   */
  codes: Codes | null
  aoiIndexes: Record<string, number[]>
  /** Receiver of blocks as soon as they are finished; null for none. */
  early: EarlyBlocks | null
}

/** Result of a shard, besides its bytes; if its rows span tests, its sums, packed. */
export type ShardOutcome = { rows: number; end: ShardEnd; sums: Uint8Array | null }

/**
 * Reads, computes and encodes a shard on this thread, one at a time.
 *
 * @param take gets finished bytes, which are overwritten after it returns
 * @throws ServiceError not_found, canceled, corrupt, overloaded
 */
export async function computeShard(task: ShardTask, take: (finished: Uint8Array) => void): Promise<ShardOutcome> {
  const { plan } = task
  const entry = exportOf(plan.export)
  stopIfAsked(task.stop)
  const { encoder: encoderOf } = await loadFormat(plan.format ?? 'csv')
  const runs = await readRuns(task, entry.reads)
  const context = await contextOf(task, entry)
  const sums: Sums = new Map()
  if (entry.kind === 'sums') {
    for (const { run } of runs()) entry.addTest(run, context, sums)
    return { rows: 0, end: null, sums: packSums(sums) }
  }
  const columns = columnsOf(entry, task.facts, plan.parameters)
  const rowsOf = rowsOfTests(entry, context)
  const sink = createSink(take, rowsKernel()?.block)
  const known = task.codes && knownCodes(columns, task.codes)
  const options = {
    columns,
    formulaGuard: plan.formulaGuard,
    sink,
    dictionaries: known?.dictionaries ?? {},
  }
  const encoder: Encoder = encoderOf(options)
  let rows = 0
  for (const { run, i } of runs()) {
    for (const made of rowsOf(run)) {
      if (known) knowCodes(known, task, run, i)
      encoder.write(rows === 0 && task.notes !== null ? withNotes(made, columns, task.notes) : made)
      rows += made.n
    }
  }
  const end = encoder.end()
  // For typed formats, the encoder's input is as large as the data that was read.
  if (end !== null) collectGarbage(rows * columns.length)
  return { rows, end, sums: null }
}

/**
 * Creates the context for a shard's tests, and loads everything else that they need.
 *
 * @throws ServiceError corrupt, overloaded
 */
export async function contextOf(
  task: ShardInput,
  { needsValidations = false, needsEvents = false }: Pick<ExportEntry, 'needsValidations' | 'needsEvents'>,
): Promise<ExportContext> {
  const { plan, aois, facts, tables, shard } = task
  const validations = needsValidations ? await loadValidations(tables, shard.participantRows) : new Map()
  const hasEpochs = plan.parameters.eventType !== undefined
  const events = needsEvents || hasEpochs ? await loadEvents(tables, shard.testRows) : new Map()
  return createContext(plan, aois, facts, validations, events)
}

function knowCodes(
  { know }: KnownCodes,
  { shard, aoiIndexes, aois, plan }: ShardTask,
  { identity }: TestRun,
  i: number,
): void {
  const { item, participant, test } = identity
  know('study', 0, { studyId: plan.studyId })
  know('item', shard.itemIndexes[i], { item })
  know('participant', shard.participantRows[i], { participant })
  know('test', shard.first + i, { test })
  const parsed = JSON.parse(aois[item.id] ?? '[]') as Study['aois']
  for (const [a, aoi] of parsed.entries()) know('aoi', aoiIndexes[item.id][a], { aoi, item })
}

/** Number of samples between two checks of the abort flag, a few milliseconds of work. */
const LOOK_EVERY_SAMPLES = 8192

/**
 * Reads the samples and tests of a shard. Gaze is that of the chosen eye, moved by the offset of its test.
 *
 * @param recentRowsMax largest shard, in samples, that is cached for the next call
 * @returns its tests in order; the samples of each are valid until the next
 * @throws ServiceError corrupt, overloaded; the generator: canceled, within a few milliseconds of the request
 */
export async function readRuns(
  task: ShardInput,
  reads: SampleColumn[],
  recentRowsMax = RECENT_ROWS_MAX,
): Promise<() => Generator<{ run: TestRun; i: number }>> {
  const { plan, shard, items, stop, tables } = task
  const { testAt, participantAt } = await loadRows(tables, shard.testRows, shard.participantRows)
  // Columns that the study lacks would only be filled with NaN.
  const isThere = (column: SampleColumn) => !isOfEyes(column) || task.facts.eyes.includes(column)
  const columns = [...new Set([...reads, ...columnsOfDetector(plan, reads), ...columnsOfExtras(plan)])]
  const samples = await samplesOfShard(task, columns.filter(isThere), recentRowsMax)
  const { offsets = [] } = plan.parameters
  const offsetOf = offsetFinder(offsets)
  return function* () {
    let sinceLook = 0
    for (let i = 0; i < shard.testRows.length; i++) {
      const count = reads.length > 0 ? shard.sampleCounts[i] : 0
      sinceLook += count + 1
      if (sinceLook > LOOK_EVERY_SAMPLES) {
        sinceLook = 0
        stopIfAsked(stop)
      }
      const [test, participant] = [testAt(shard.testRows[i]), participantAt(shard.participantRows[i])]
      const identity = { studyId: plan.studyId, item: items[shard.itemIndexes[i]], participant, test }
      const recorded = sliceSamples(samples, shard.rowOffsets[i], count)
      const offset = offsetOf({ participantId: participant.id, testId: test.id })
      yield { run: { identity, samples: offset ? moveGaze(recorded, offset) : recorded }, i }
    }
  }
}

/** Returns the gaze of both eyes if a detector needs it: I2MC does, unless the chosen gaze is that of one eye. */
function columnsOfDetector({ parameters: { detector, eye } }: Plan, reads: SampleColumn[]): SampleColumn[] {
  const isOfOne = eye === 'left' || eye === 'right'
  return detector === 'i2mc' && !isOfOne && reads.includes('gazeXPx') ? EYE_PAIRS.flat() : []
}

/** Returns the columns of the pupil, if its size is requested beside other rows, and those that degrees need. */
function columnsOfExtras({ parameters }: Plan): SampleColumn[] {
  const { extras = [] } = parameters
  const hasDegrees = extras.includes('degrees') || Object.values(IN_DEGREES).some((name) => (parameters[name] ?? 0) > 0)
  return [...(extras.includes('pupil') ? PUPIL_COLUMNS : []), ...(hasDegrees ? DISTANCE_COLUMNS : [])]
}

/** Stops the shard if its flag is set. @throws ServiceError canceled */
function stopIfAsked(stop: Int32Array): void {
  if (Atomics.load(stop, 0) !== 0) throw new ServiceError('canceled', 'the export was canceled')
}
