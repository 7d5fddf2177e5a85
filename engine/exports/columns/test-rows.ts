import { firstAt, isWithinTime, type TimeWindow } from '../../compute/time-window.ts'
import { type Cells, type Column, type Rows, same } from '../../model/columns.ts'
import { pickRows, pickTuples } from '../../model/pick-rows.ts'
import { roundToMs } from '../../text/numbers.ts'
import { columnsOf, participantColumns } from './columns-of.ts'
import type { ExportEntry } from './export-entry.ts'
import { identityCells } from './identity.ts'
import type { ExportContext, TestRun } from './test-context.ts'
import { epochsOf, type TestEpoch, takesEpochs } from './test-epochs.ts'

type RowsEntry = ExportEntry & { kind: 'rows' }

/**
 * Returns a function that computes the rows of a test with all columns of `columnsOf`: all at once, or those of one
 * epoch after the other. They are valid until the next are computed.
 */
export function rowsOfTests(entry: RowsEntry, context: ExportContext): (run: TestRun) => Generator<Rows> {
  const { plan, facts } = context
  const columns = columnsOf(entry, facts, plan.parameters)
  const ofParticipant = participantColumns(entry, facts)
  const isOfEpochs = plan.parameters.eventType !== undefined && takesEpochs(entry)
  return function* (run) {
    const parts = isOfEpochs
      ? rowsOfEpochs(entry, columns, run, context)
      : [{ rows: entry.compute(run, context), own: [] }]
    for (const { rows, own } of parts) {
      if (rows === null || rows.n === 0) continue
      const further = [...own, ...identityCells(ofParticipant, run.identity)]
      const at = columns.findIndex(({ name }) => name === 'notes') - further.length
      yield further.length === 0 ? rows : { n: rows.n, cells: rows.cells.toSpliced(at, 0, ...further) }
    }
  }
}

/** Computes the rows of each epoch of a test, with the cells of its event: docs/filter.md. */
function* rowsOfEpochs(
  entry: RowsEntry,
  columns: Column[],
  run: TestRun,
  context: ExportContext,
): Generator<{ rows: Rows | null; own: Cells[] }> {
  const place = columns.findIndex(({ name }) => name === entry.timeColumn)
  const whole = place === -1 ? null : entry.compute(run, context)
  const rowsOf = whole && rowsWithin(whole, place)
  for (const epoch of epochsOf(run, context)) {
    const rows = place === -1 ? entry.compute(run, context.within(epoch)) : (rowsOf?.(epoch) ?? null)
    yield { rows, own: eventCells(epoch, context.plan.parameters.eventType!) }
  }
}

/**
 * Returns a function from a window to the rows whose time is in it or, if each has tuples with a time, to all rows with
 * these tuples.
 */
function rowsWithin(rows: Rows, place: number): (window: TimeWindow) => Rows {
  const times = rows.cells[place]
  if (times.kind === 'tuples') {
    return (window) => {
      const within = (cells: Cells) =>
        cells.kind === 'tuples' ? pickTuples(cells, (tUs) => isWithinTime(tUs, window)) : cells
      return { n: rows.n, cells: rows.cells.map(within) }
    }
  }
  const tUs = timesOf(times, rows.n)
  const isAscending = tUs.every((t, i) => i === 0 || t >= tUs[i - 1])
  return (window) => {
    const [from, to] = isAscending
      ? [firstAt(tUs, rows.n, window.fromUs), firstAt(tUs, rows.n, window.toUs)]
      : [0, rows.n]
    const indexes: number[] = []
    for (let i = from; i < to; i++) if (isWithinTime(tUs[i], window)) indexes.push(i)
    return pickRows(rows, Int32Array.from(indexes))
  }
}

/** Returns the time of each row in whole µs. */
function timesOf(cells: Cells, n: number): Float64Array {
  if (cells.kind === 'microseconds') return cells.values.subarray(0, n)
  if (cells.kind === 'exact') return cells.values.subarray(0, n).map((ms) => Math.round(ms * 1000))
  throw new Error(`times have cells of kind ${cells.kind}`)
}

function eventCells({ event, atUs, value }: TestEpoch, name: string): Cells[] {
  return [same(event + 1), same(name), same(roundToMs(atUs)), same(value)]
}
