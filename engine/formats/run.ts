import { deflatePiece, GZIP_HEADER, startMember } from '../csv/gzip.ts'
import { ServiceError } from '../errors.ts'
import type { Plan } from '../plan.ts'
import { type ExportEntry, findExport } from '../registry.ts'
import { type Block, estimateExport, type RunOptions, type RunProgress, runExport } from '../run.ts'
import type { Snapshot } from '../study.ts'
import { arrowWriter } from './arrow.ts'
import { type FormatName, formatOf } from './formats.ts'
import { ndjsonWriter } from './ndjson.ts'
import { parquetWriter } from './parquet.ts'
import { type RowWriter, readRows } from './rows.ts'

/**
 * Computes an export in the format of its plan, and yields its bytes in order, as `runExport` does, whose CSV every other format is
 * made from, row by row: so all hold the same values, and the same plan gives the same bytes. `csv` of a block is the file's next
 * bytes, in whichever format; `gzip` those of its twin, where the format has one.
 *
 * @throws as `runExport`
 */
export async function* runPlan(options: RunOptions): AsyncGenerator<Block, RunProgress> {
  const { plan, onProgress } = options
  const format = formatOf(plan)
  if (format.name === 'csv') return yield* runExport(options)
  const entry = findExport(plan.export)
  if (!entry) throw new ServiceError('not_found', `there is no export ${plan.export}`)
  const writer = writerOf(format.name, entry, plan)
  const rows = readRows(entry.columns.length, writer)
  const member = options.gzip && format.hasTwin ? startMember() : null
  let bytes = 0
  const emit = (block: Uint8Array): Block => {
    bytes += block.length
    return { csv: block, gzip: member ? member.add(deflatePiece(block)) : NOTHING }
  }

  const report = (progress: RunProgress) => onProgress?.({ ...progress, bytes })
  const source = runExport({ ...options, gzip: false, onProgress: report })
  try {
    if (member) yield { csv: NOTHING, gzip: GZIP_HEADER }
    let step = await source.next()
    for (; !step.done; step = await source.next()) {
      rows.push(step.value.csv)
      for (const block of writer.take()) yield emit(block)
    }
    if (rows.end() !== step.value.rows) throw new Error('not every row of the CSV was written')
    for (const block of writer.end()) yield emit(block)
    if (member) yield { csv: NOTHING, gzip: member.end() }
    report(step.value)
    return { ...step.value, bytes }
  } finally {
    // Stops the work behind it when somebody stops reading.
    await source.return({ samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 })
  }
}

const NOTHING = new Uint8Array(0)

function writerOf(format: Exclude<FormatName, 'csv'>, { name, title, columns }: ExportEntry, plan: Plan): RowWriter {
  const about = { export: name, title, study: plan.studyId, snapshot: plan.snapshotId, gazette: plan.version }
  if (format === 'ndjson') return ndjsonWriter(columns)
  return format === 'arrow' ? arrowWriter(columns, about) : parquetWriter(columns, about)
}

/** What a plan will take, from the snapshot's counts alone. The bytes are an upper guess. */
export function estimatePlan(plan: Plan, snapshot: Snapshot): { samples: number; bytes: number } {
  const { samples, bytes } = estimateExport(plan, snapshot)
  return { samples, bytes: bytes * formatOf(plan).bytesPerCsvByte }
}
