import { isWithinTime, type TimeWindow } from '../../compute/time-window.ts'
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

/** Computes the rows of each epoch of a test, with the cells of its event: docs/epochs.md. */
function* rowsOfEpochs(
  entry: RowsEntry,
  columns: Column[],
  run: TestRun,
  context: ExportContext,
): Generator<{ rows: Rows | null; own: Cells[] }> {
  const place = columns.findIndex(({ name }) => name === entry.timeColumn)
  const whole = place === -1 ? null : entry.compute(run, context)
  for (const epoch of epochsOf(run, context)) {
    const rows = place === -1 ? entry.compute(run, context.within(epoch)) : whole && rowsWithin(whole, place, epoch)
    yield { rows, own: eventCells(epoch, context.plan.parameters.eventType!) }
  }
}

/** Returns the rows whose time is in a window or, if each has tuples with a time, all rows with these tuples. */
function rowsWithin(rows: Rows, place: number, window: TimeWindow): Rows {
  const times = rows.cells[place]
  const isWithin = (tUs: number) => isWithinTime(tUs, window)
  if (times.kind === 'tuples') return { n: rows.n, cells: rows.cells.with(place, pickTuples(times, isWithin)) }
  const timeUs = timesOf(times)
  const all = Int32Array.from({ length: rows.n }, (_, i) => i)
  return pickRows(
    rows,
    all.filter((i) => isWithin(timeUs(i))),
  )
}

/** Returns a function from a row to its time in whole µs. */
function timesOf(cells: Cells): (row: number) => number {
  if (cells.kind === 'microseconds') return (i) => cells.values[i]
  if (cells.kind === 'exact') return (i) => Math.round(cells.values[i] * 1000)
  throw new Error(`times have cells of kind ${cells.kind}`)
}

function eventCells({ event, atUs, value }: TestEpoch, name: string): Cells[] {
  return [same(event + 1), same(name), same(roundToMs(atUs)), same(value)]
}
