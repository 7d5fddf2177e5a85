import { ServiceError } from '../../model/errors.ts'
import { type Draft, noteAssumed } from '../draft/draft.ts'
import { POINT } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { cellNumber, type TableRows } from '../text/table-rows.ts'

/** Converts a time in a recording to ms on the clock of a run's events: time × unitMs + offsetMs. */
export type Clock = { unitMs: number; offsetMs: number }

const SECONDS: Clock = { unitMs: 1000, offsetMs: 0 }

/** Names of time columns in BIDS and its drafts. */
export const TIME_NAMES = ['timestamp', 'eye_timestamp', 'eye1_timestamp']

/** Returns the index of the first of these names among the columns; -1 for none. */
export function columnNamed(columns: string[], names: string[]): number {
  const name = names.find((one) => columns.includes(one))
  return name === undefined ? -1 : columns.indexOf(name)
}

export const BIDS_TIME_UNITS: Record<string, number> = {
  s: 1000,
  sec: 1000,
  second: 1000,
  seconds: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ns: 1e-6,
}

/**
 * Reads the time of each row on the clock of its events, in ms: that of the first row with a time is StartTime. Once a
 * row was read, `clock` converts times of the column `timestamp` to that clock.
 */
export function openTime(
  sidecar: Record<string, unknown> & { Columns: string[] },
  { name }: SourceFile,
  draft: Draft,
  startMs = Number(sidecar.StartTime ?? 0) * 1000,
): ((rows: TableRows) => number) & { clock: () => Clock } {
  const column = columnNamed(sidecar.Columns, TIME_NAMES)
  const hz = Number(sidecar.SamplingFrequency)
  let row = 0
  if (column < 0) {
    if (hz > 0) return Object.assign(() => startMs + (row++ * 1000) / hz, { clock: () => SECONDS })
    const rule = 'has neither a timestamp among its Columns nor a SamplingFrequency'
    throw new ServiceError('invalid_bundle', `${name} ${rule}`)
  }
  const unit = (sidecar[sidecar.Columns[column]] as { Units?: unknown } | undefined)?.Units
  const unitMs = BIDS_TIME_UNITS[String(unit ?? 'ms').toLowerCase()]
  if (unitMs === undefined)
    throw new ServiceError('invalid_bundle', `${name} gives its timestamp in a unit that is not known here`)
  if (!unit) noteAssumed(draft, 'timestamps, which have no unit, are ms', name)
  let firstMs = Number.NaN
  const read = (rows: TableRows) => {
    const stampMs = cellNumber(rows, column, POINT) * unitMs
    if (Number.isNaN(firstMs)) firstMs = stampMs
    return startMs + (stampMs - firstMs)
  }
  return Object.assign(read, { clock: () => ({ unitMs, offsetMs: startMs - firstMs }) })
}
