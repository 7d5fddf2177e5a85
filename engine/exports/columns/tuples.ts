import type { Rows, TupleCells } from '../../model/columns.ts'
import { G, identityCells, type TestIdentity, X } from './identity.ts'
import { NO_NOTES } from './notes.ts'

/** About what a row takes besides its tuples. */
export const TUPLE_TEST_BYTES = 700

/** Returns the row of a test that has a tuple per sample: the columns G, the tuples, X, notes. */
export function tupleRow(identity: TestIdentity, n: number, fields: TupleCells[]): Rows {
  const tuples = { kind: 'tuples' as const, ends: Int32Array.of(n), fields }
  return { n: 1, cells: [...identityCells(G, identity), tuples, ...identityCells(X, identity), NO_NOTES] }
}
