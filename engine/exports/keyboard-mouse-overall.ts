import { encode } from '../csv/cells.ts'
import { append } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import { cellText, fixedPrefix, KEYBOARD_AND_MOUSE } from './identity.ts'
import { NOTES, settingsNotes } from './notes.ts'

export const keyboardMouseOverall: ExportEntry = {
  name: 'keyboard-mouse-overall',
  path: 'keyboard-and-mouse/overall-per-participant',
  variant: null,
  title: 'Keyboard and mouse overall stats per participant',
  rowPer: 'test',
  listed: [],
  columns: [
    ...KEYBOARD_AND_MOUSE,
    { ...NOTES, meaning: "The test's own notes; in the first row after Gazette's version and settings" },
  ],
  reads: [],
  estimateBytes: ({ tests }) => tests * 500,
  kind: 'rows',
  writeTest: ({ identity, isFirstOfFile }, { plan }, sink) => {
    const own = identity.test.notes
    // Its notes are its own, so it writes the first row's whole, and marks no place for them.
    const notes = isFirstOfFile ? [settingsNotes(plan), ...(own === '' ? [] : [own])].join(' | ') : own
    append(sink, fixedPrefix(KEYBOARD_AND_MOUSE, identity, plan.formulaGuard))
    append(sink, encode(`${cellText(notes, plan.formulaGuard)}\n`))
    sink.rows++
  },
}
