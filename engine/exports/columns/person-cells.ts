import { type Cells, type Column, type Value, wholes } from '../../model/columns.ts'
import type { FixedColumn, TestIdentity } from './identity.ts'

/** Returns the cells of a column of text or whole numbers; null, and its text for missing values, are missing. */
export function valueCells({ type, missing }: Column, values: Value[]): Cells {
  const isMissing = values.map((value) => value === null || String(value) === missing)
  if (type === 'int')
    return wholes(Float64Array.from(values, (value, i) => (isMissing[i] ? Number.NaN : Number(value))))
  const indexes = Int32Array.from(values, (_, i) => (isMissing[i] ? -1 : i))
  return { kind: 'texts', dictionary: values.map((value) => String(value ?? '')), indexes }
}

/** Dictionaries of a file cover tests and AOIs, not rows that span tests. */
export function asPlain({ of, value, ...plain }: FixedColumn<TestIdentity>): Column {
  return plain
}
