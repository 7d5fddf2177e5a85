import { COMMA, NEWLINE } from '../csv/cells.ts'
import { NUMBER_BYTES, putBoolean, putFraction, putMilliseconds, putText } from '../csv/numbers.ts'
import { markNotes, reserve } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import { fixedPrefix, G } from './identity.ts'
import { NOTES } from './notes.ts'

export const mouse: ExportEntry = {
  name: 'mouse',
  path: 'eye-tracking/gazes/raw',
  variant: 'mouse',
  title: 'Mouse position and clicks',
  rowPer: 'sample',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  columns: [
    ...G,
    { name: 'mouse_timestamp_ms', type: 'int', unit: 'ms', meaning: 'When, from item onset', missing: null },
    { name: 'mouse_x_px', type: 'number', unit: 'px', meaning: 'Mouse in the window, from the left', missing: '' },
    { name: 'mouse_y_px', type: 'number', unit: 'px', meaning: 'Mouse in the window, from the top', missing: '' },
    {
      name: 'mouse_x_percents',
      type: 'number',
      unit: '% of the displayed item',
      meaning: 'Mouse on the item, from the left',
      missing: '',
    },
    {
      name: 'mouse_y_percents',
      type: 'number',
      unit: '% of the displayed item',
      meaning: 'Mouse on the item, from the top, scrolling added',
      missing: '',
    },
    { name: 'scroll_y_px', type: 'number', unit: 'px', meaning: 'How far the page was scrolled down', missing: null },
    { name: 'is_click', type: 'boolean', unit: '', meaning: 'Whether the mouse was clicked', missing: null },
    NOTES,
  ],
  reads: ['scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ samples }) => samples * 310,
  kind: 'rows',
  writeTest: ({ identity, samples }, { plan }, sink) => {
    const { n, tUs, scrollYPx, mouseXPx, mouseYPx, isClick } = samples
    if (n === 0) return
    const prefix = fixedPrefix(G, identity, plan.formulaGuard)
    const { leftPx, topPx, widthPx, heightPx } = identity.test.display!
    for (let i = 0; i < n; i++) {
      reserve(sink, prefix.length + 6 * NUMBER_BYTES + 16)
      const { bytes } = sink
      bytes.set(prefix, sink.length)
      let at = putMilliseconds(bytes, sink.length + prefix.length, tUs[i])
      bytes[at++] = COMMA
      if (Number.isNaN(mouseXPx[i])) {
        at = putText(bytes, at, ',,,,')
      } else {
        at = putFraction(bytes, at, mouseXPx[i])
        bytes[at++] = COMMA
        at = putFraction(bytes, at, mouseYPx[i])
        bytes[at++] = COMMA
        at = putFraction(bytes, at, ((mouseXPx[i] - leftPx) / widthPx) * 100)
        bytes[at++] = COMMA
        at = putFraction(bytes, at, ((mouseYPx[i] + scrollYPx[i] - topPx) / heightPx) * 100)
        bytes[at++] = COMMA
      }
      at = putFraction(bytes, at, scrollYPx[i])
      bytes[at++] = COMMA
      at = putBoolean(bytes, at, isClick[i] === 1)
      bytes[at++] = COMMA
      sink.length = at
      markNotes(sink)
      sink.bytes[sink.length++] = NEWLINE
    }
  },
}
