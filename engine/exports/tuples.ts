import { encode } from '../csv/cells.ts'
import { append, markNotes, type Sink } from '../csv/sink.ts'
import type { ExportContext, TestRun } from './context.ts'
import { fixedCells, fixedPrefix, G, X } from './identity.ts'

/** About what a row takes besides its tuples. */
export const TUPLE_TEST_BYTES = 700

/**
 * A row of a test whose data cell is a JSON array of tuples: G, the cell, X, notes.
 *
 * @param writeTuples writes the tuples, with commas between them
 */
export function writeTupleRow(run: TestRun, { plan }: ExportContext, sink: Sink, writeTuples: () => void): void {
  append(sink, fixedPrefix(G, run.identity, plan.formulaGuard))
  if (run.samples.n === 0) {
    append(sink, encode('[]'))
  } else {
    // Tuples hold commas, so the cell is quoted; they hold no quotes.
    append(sink, encode('"['))
    writeTuples()
    append(sink, encode(']"'))
  }
  append(sink, encode(`,${fixedCells(X, run.identity, plan.formulaGuard)},`))
  markNotes(sink)
  append(sink, encode('\n'))
}
