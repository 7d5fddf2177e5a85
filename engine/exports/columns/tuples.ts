import { type Cells, type Column, column, type Rows, type TupleCells, type TupleField } from '../../model/columns.ts'
import { ITEM_AND_DISPLAY, identityCells, PARTICIPANT_AND_TEST, type TestIdentity } from './identity.ts'
import { NO_NOTES } from './notes.ts'
import type { Angles } from './position-degrees.ts'

/** Approximate size of a row without its tuples, in bytes. */
export const TUPLE_TEST_BYTES = 700

/**
 * Returns the row of a test with one tuple for each sample: participant and time, the tuples, the item and its
 * displayed rectangle, notes.
 *
 * @param further tuples that are requested, before the notes
 */
export function tupleRow(identity: TestIdentity, n: number, fields: TupleCells[], further: TupleCells[] = []): Rows {
  const tuples = (of: TupleCells[]): Cells => ({ kind: 'tuples', ends: Int32Array.of(n), fields: of })
  return {
    n: 1,
    cells: [
      ...identityCells(PARTICIPANT_AND_TEST, identity),
      tuples(fields),
      ...identityCells(ITEM_AND_DISPLAY, identity),
      ...(further.length > 0 ? [tuples(further)] : []),
      NO_NOTES,
    ],
  }
}

/** Returns the column of gaze and mouse in degrees. @param gaze what it is */
export function tuplesInDegrees(name: string, gaze: string): Column {
  const degrees = (field: string, meaning: string): TupleField => ({ name: field, type: 'number', unit: '°', meaning })
  return column(name, 'json', '°, ms', `The same samples as angles on the screen: [x, y, t, mouseX, mouseY]`, null, {
    nested: [
      degrees('x_deg', `Azimuth of ${gaze}: 0 is the centre of the screen`),
      degrees('y_deg', `Elevation of ${gaze}: down is positive`),
      { name: 't_ms', type: 'number', unit: 'ms', meaning: 'Time of the sample, from item onset' },
      degrees('mouse_x_deg', 'Azimuth of the mouse'),
      degrees('mouse_y_deg', 'Elevation of the mouse'),
    ],
  })
}

/** Returns the tuples of that column. */
export function degreeTuples(tUs: Float64Array, gaze: Angles, mouse: Angles): TupleCells[] {
  return [
    { kind: 'fractions', values: gaze.x },
    { kind: 'fractions', values: gaze.y },
    { kind: 'exactMs', values: tUs },
    { kind: 'fractions', values: mouse.x },
    { kind: 'fractions', values: mouse.y },
  ]
}
