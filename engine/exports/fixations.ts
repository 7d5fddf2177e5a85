import { COMMA, NEWLINE } from '../csv/cells.ts'
import { NUMBER_BYTES, putFraction, putInteger, roundToMs } from '../csv/numbers.ts'
import { markNotes, reserve } from '../csv/sink.ts'
import type { ParameterName } from '../params.ts'
import type { ExportEntry } from '../registry.ts'
import { fixedPrefix, P } from './identity.ts'
import { NOTES } from './notes.ts'

/** The filter settings, which every export of fixations lists. */
export const FIXATION_FILTER: ParameterName[] = [
  'movingMedianRangeMs',
  'gazeVelocityThreshold',
  'minFixationDurationMs',
  'maxFixationDurationMs',
  'saccadeMaxDurationMs',
]

export const fixations: ExportEntry = {
  name: 'fixations',
  path: 'eye-tracking/fixations',
  variant: null,
  title: 'Fixations',
  rowPer: 'fixation',
  listed: FIXATION_FILTER,
  columns: [
    ...P,
    {
      name: 'fixation_point_x',
      type: 'number',
      unit: '% of the displayed item',
      meaning: 'Mean of its points, from the left',
      missing: null,
    },
    {
      name: 'fixation_point_y',
      type: 'number',
      unit: '% of the displayed item',
      meaning: 'Mean of its points, from the top',
      missing: null,
    },
    {
      name: 'fixation_starts_at_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'First gaze point, from item onset',
      missing: null,
    },
    {
      name: 'fixation_ends_at_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Last gaze point, from item onset',
      missing: null,
    },
    { name: 'fixation_duration_ms', type: 'int', unit: 'ms', meaning: 'From its start to its end', missing: null },
    {
      name: 'saccade_length_px',
      type: 'number',
      unit: 'px',
      meaning: 'How far the eye jumped from the fixation before, on the displayed item',
      missing: '',
    },
    {
      name: 'saccade_amplitude_percent',
      type: 'number',
      unit: '% of the displayed item',
      meaning: 'The same in percent',
      missing: '',
    },
    { name: 'saccade_duration_ms', type: 'int', unit: 'ms', meaning: 'How long the jump took', missing: '' },
    { name: 'fixation_index', type: 'int', unit: '', meaning: 'Order within the test, from 1', missing: null },
    NOTES,
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  // A fixation takes at least 60 ms, and mostly three times that: at 30 Hz a row for six samples.
  estimateBytes: ({ samples }) => samples * 60,
  kind: 'rows',
  writeTest: (run, context, sink) => {
    const found = context.fixationsOf(run, context.gazeOf(run))
    if (found.n === 0) return
    const prefix = fixedPrefix(P, run.identity, context.plan.formulaGuard)
    for (let f = 0; f < found.n; f++) {
      reserve(sink, prefix.length + 9 * NUMBER_BYTES + 16)
      const { bytes } = sink
      bytes.set(prefix, sink.length)
      const startMs = roundToMs(found.startUs[f])
      const endMs = roundToMs(found.endUs[f])
      let at = putFraction(bytes, sink.length + prefix.length, found.xPercent[f])
      bytes[at++] = COMMA
      at = putFraction(bytes, at, found.yPercent[f])
      bytes[at++] = COMMA
      at = putInteger(bytes, at, startMs)
      bytes[at++] = COMMA
      at = putInteger(bytes, at, endMs)
      bytes[at++] = COMMA
      at = putInteger(bytes, at, endMs - startMs)
      bytes[at++] = COMMA
      if (found.hasSaccade[f] === 1) at = putFraction(bytes, at, found.saccadeLengthPx[f])
      bytes[at++] = COMMA
      if (found.hasSaccade[f] === 1) at = putFraction(bytes, at, found.saccadeAmplitudePercent[f])
      bytes[at++] = COMMA
      if (found.hasSaccade[f] === 1) at = putInteger(bytes, at, startMs - roundToMs(found.endUs[f - 1]))
      bytes[at++] = COMMA
      at = putInteger(bytes, at, f + 1)
      bytes[at++] = COMMA
      sink.length = at
      markNotes(sink)
      sink.bytes[sink.length++] = NEWLINE
    }
  },
}
