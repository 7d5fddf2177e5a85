import type { Rows, TupleCells } from '../../model/columns.ts'
import { ITEM_AND_DISPLAY, identityCells, PARTICIPANT_AND_TEST, type TestIdentity } from './identity.ts'
import { NO_NOTES } from './notes.ts'

/** Approximate size of a row without its tuples, in bytes. */
export const TUPLE_TEST_BYTES = 700

/**
 * Returns the row of a test with one tuple for each sample: participant and time, the tuples, the item and its
 * displayed rectangle, notes.
 */
export function tupleRow(identity: TestIdentity, n: number, fields: TupleCells[]): Rows {
  const tuples = { kind: 'tuples' as const, ends: Int32Array.of(n), fields }
  return {
    n: 1,
    cells: [
      ...identityCells(PARTICIPANT_AND_TEST, identity),
      tuples,
      ...identityCells(ITEM_AND_DISPLAY, identity),
      NO_NOTES,
    ],
  }
}
