import { same } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { identityCells, KEYBOARD_AND_MOUSE } from '../columns/identity.ts'
import { NOTES } from '../columns/notes.ts'

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const keyboardMouseOverall: ExportEntry = {
  name: 'keyboard-mouse-overall',
  path: 'keyboard-and-mouse/overall-per-participant',
  variant: null,
  title: 'Keyboard and mouse overall stats per participant',
  rowPer: 'test',
  listed: [],
  columns: [
    ...KEYBOARD_AND_MOUSE,
    { ...NOTES, meaning: 'Notes of the test; in the first row, they follow the version of Gazette' },
  ],
  reads: [],
  estimateBytes: ({ tests }) => tests * 500,
  kind: 'rows',
  compute: ({ identity }) => ({
    n: 1,
    cells: [...identityCells(KEYBOARD_AND_MOUSE, identity), same(identity.test.notes)],
  }),
}
