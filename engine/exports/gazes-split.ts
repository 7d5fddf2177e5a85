import { COMMA, NEWLINE } from '../csv/cells.ts'
import { putBoolean, putFraction, putMilliseconds } from '../csv/numbers.ts'
import { POINT_BYTES, putPointRows } from '../csv/point-rows.ts'
import { markNotes, reserve } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import { fixedPrefix, G } from './identity.ts'
import { NOTES } from './notes.ts'

export const gazesSplit: ExportEntry = {
  name: 'gazes-split',
  path: 'eye-tracking/gazes/raw-denoises-normalized-split',
  variant: null,
  title: 'Gazes, raw denoised normalized and split',
  rowPer: 'gaze point',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  columns: [
    ...G,
    {
      name: 'gaze_x_percents',
      type: 'number',
      unit: '% of the displayed item',
      meaning: 'Denoised gaze, from the left',
      missing: null,
    },
    {
      name: 'gaze_y_percents',
      type: 'number',
      unit: '% of the displayed item',
      meaning: 'Denoised gaze, from the top',
      missing: null,
    },
    { name: 'gaze_timestamp_ms', type: 'int', unit: 'ms', meaning: 'When, from item onset', missing: null },
    {
      name: 'gaze_is_interpolated',
      type: 'boolean',
      unit: '',
      meaning: 'Whether the point was put between two recorded ones',
      missing: null,
    },
    NOTES,
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  // At 30 Hz every second point is interpolated; below that two of three are.
  estimateBytes: ({ samples }) => samples * 2 * 290,
  kind: 'rows',
  writeTest: (run, context, sink) => {
    const gaze = context.gazeOf(run)
    const { n, tUs, xPercent, yPercent, isInterpolated } = gaze
    if (n === 0) return
    const prefix = fixedPrefix(G, run.identity, context.plan.formulaGuard)
    for (let i = 0; i < n; i++) {
      reserve(sink, prefix.length + POINT_BYTES)
      const { bytes } = sink
      bytes.set(prefix, sink.length)
      let at = putFraction(bytes, sink.length + prefix.length, xPercent[i])
      bytes[at++] = COMMA
      at = putFraction(bytes, at, yPercent[i])
      bytes[at++] = COMMA
      at = putMilliseconds(bytes, at, tUs[i])
      bytes[at++] = COMMA
      at = putBoolean(bytes, at, isInterpolated[i] === 1)
      bytes[at++] = COMMA
      sink.length = at
      markNotes(sink)
      sink.bytes[sink.length++] = NEWLINE
      // All that follow in the block but the shard's first row, which has the file's notes, and numbers that do not fit.
      i = putPointRows(sink, prefix, gaze, i + 1) - 1
    }
  },
}
