import { type DeflatedPiece, deflatePiece } from '../csv/gzip.ts'
import { ServiceError } from '../errors.ts'
import type { Plan } from '../plan.ts'
import { findExport } from '../registry.ts'
import { arrowWriter } from './arrow.ts'
import { formatOf } from './formats.ts'
import { ndjsonWriter } from './ndjson.ts'
import { parquetWriter } from './parquet.ts'
import { type RowWriter, readRows } from './rows.ts'

/** The next bytes of the file, and the same deflated, if asked for; one piece for each block. */
export type Converted = { blocks: Uint8Array[]; pieces: DeflatedPiece[] }

/** Makes another format of an export's CSV, as its blocks come. */
export type Conversion = {
  push: (csv: Uint8Array) => Converted
  /** What is left, and how many rows there were. @throws when the CSV was cut short */
  end: () => Converted & { rows: number }
}

/** @param plan one whose format is not CSV */
export function startConversion(plan: Plan, deflate: boolean): Conversion {
  const entry = findExport(plan.export)
  if (!entry) throw new ServiceError('not_found', `there is no export ${plan.export}`)
  const { name, title, columns } = entry
  const about = { export: name, title, study: plan.studyId, snapshot: plan.snapshotId, gazette: plan.version }
  const writer = WRITERS[formatOf(plan).name](columns, about)
  const rows = readRows(columns.length, writer)
  const converted = (blocks: Uint8Array[]) => ({ blocks, pieces: deflate ? blocks.map(deflatePiece) : [] })
  return {
    push: (csv) => {
      rows.push(csv)
      return converted(writer.take())
    },
    end: () => {
      const count = rows.end()
      return { ...converted(writer.end()), rows: count }
    },
  }
}

const WRITERS: Record<
  string,
  (columns: Parameters<typeof ndjsonWriter>[0], about: Record<string, string>) => RowWriter
> = { ndjson: ndjsonWriter, arrow: arrowWriter, parquet: parquetWriter }
