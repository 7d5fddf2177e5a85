import { type DeflatedPiece, GZIP_HEADER, startMember } from '../csv/gzip.ts'
import type { Plan } from '../plan.ts'
import { type Block, estimateExport, type RunOptions, type RunProgress, runExport } from '../run.ts'
import type { Snapshot } from '../study.ts'
import type { Converted } from './convert.ts'
import { type Format, formatOf } from './formats.ts'

/** Starting a thread takes about as long as converting this. */
const ASIDE_FROM_BYTES = 1 << 20

/**
 * Computes an export in the format of its plan, and yields its bytes in order, as `runExport` does, whose CSV every other format is
 * made from, row by row: so all hold the same values, and the same plan gives the same bytes. `csv` of a block is the file's next
 * bytes, in whichever format; `gzip` those of its twin, where the format has one.
 *
 * @throws as `runExport`
 */
export function runPlan(options: RunOptions): AsyncGenerator<Block, RunProgress> {
  const format = formatOf(options.plan)
  return format.name === 'csv' ? runExport(options) : runConverted(options, format)
}

async function* runConverted(options: RunOptions, format: Format): AsyncGenerator<Block, RunProgress> {
  const { plan, snapshot, onProgress } = options
  const member = options.gzip && format.hasTwin ? startMember() : null
  // The libraries behind it take longer to load than a small CSV to make.
  const { convertAside, convertHere } = await import('./converter.ts')
  const isLarge = estimateExport(plan, snapshot).bytes >= ASIDE_FROM_BYTES
  const converter = (isLarge ? convertAside : convertHere)(plan, member !== null)
  let bytes = 0
  function* emit({ blocks, pieces }: Converted): Generator<Block> {
    for (const [b, block] of blocks.entries()) {
      bytes += block.length
      const piece: DeflatedPiece | undefined = pieces[b]
      yield { csv: block, gzip: member && piece ? member.add(piece) : NOTHING }
    }
  }

  const report = (progress: RunProgress) => onProgress?.({ ...progress, bytes })
  const source = runExport({ ...options, gzip: false, onProgress: report })
  try {
    if (member) yield { csv: NOTHING, gzip: GZIP_HEADER }
    let step = await source.next()
    for (; !step.done; step = await source.next()) yield* emit(await converter.push(step.value.csv))
    const last = await converter.end()
    if (last.rows !== step.value.rows) throw new Error('not every row of the CSV was converted')
    yield* emit(last)
    if (member) yield { csv: NOTHING, gzip: member.end() }
    report(step.value)
    return { ...step.value, bytes }
  } finally {
    // Stops the work behind it when somebody stops reading.
    await source.return({ samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 })
    await converter.close()
  }
}

const NOTHING = new Uint8Array(0)

/** What a plan will take, from the snapshot's counts alone. The bytes are an upper guess. */
export function estimatePlan(plan: Plan, snapshot: Snapshot): { samples: number; bytes: number } {
  const { samples, bytes } = estimateExport(plan, snapshot)
  return { samples, bytes: bytes * formatOf(plan).bytesPerCsvByte }
}
