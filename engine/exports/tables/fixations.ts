import type { Fixations } from '../../compute/fixation-list.ts'
import { type Cells, type Column, column, fractions, microseconds, wholes } from '../../model/columns.ts'
import type { ParameterName } from '../../model/parameters.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { FIXATION_EXTRAS, fixationExtraCells } from '../columns/fixation-extras.ts'
import { ITEM_AND_PARTICIPANT, identityCells } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import type { TestRun } from '../columns/test-context.ts'

/** Filter settings that all exports of fixations accept. */
export const FIXATION_FILTER: ParameterName[] = [
  'movingMedianRangeMs',
  'gazeVelocityThreshold',
  'minFixationDurationMs',
  'maxFixationDurationMs',
  'saccadeMaxDurationMs',
]

const PERCENT = '% of the displayed item'

/** Columns of a fixation, without notes. */
export const fixationColumns: Column[] = [
  ...ITEM_AND_PARTICIPANT,
  column('fixation_point_x', 'number', PERCENT, 'Mean x of the points of the fixation, from the left'),
  column('fixation_point_y', 'number', PERCENT, 'Mean y of the points of the fixation, from the top'),
  column('fixation_starts_at_ms', 'int', 'ms', 'Start of the fixation, from item onset'),
  column('fixation_ends_at_ms', 'int', 'ms', 'End of the fixation, from item onset'),
  column('fixation_duration_ms', 'int', 'ms', 'Duration of the fixation, from its start to its end'),
  column(
    'saccade_length_px',
    'number',
    'px',
    'Length on the displayed item of the saccade that leads here from the previous fixation',
    '',
  ),
  column('saccade_amplitude_percent', 'number', PERCENT, 'Amplitude of the saccade that leads here', ''),
  column('saccade_duration_ms', 'int', 'ms', 'Duration of the saccade that leads here', ''),
  column('fixation_index', 'int', '', 'Number of the fixation within the test, from 1'),
]

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const fixations: ExportEntry = {
  name: 'fixations',
  path: 'eye-tracking/fixations',
  variant: null,
  title: 'Fixations',
  rowPer: 'fixation',
  listed: FIXATION_FILTER,
  timeColumn: 'fixation_starts_at_ms',
  columns: [...fixationColumns, NOTES],
  extras: FIXATION_EXTRAS,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  // A fixation takes at least 60 ms, mostly three times that: at 30 Hz, one row for six samples.
  estimateBytes: ({ samples }) => samples * 60,
  kind: 'rows',
  compute: (run, context) => {
    const gaze = context.gazeOf(run)
    const found = context.fixationsOf(run, gaze)
    const cells = [...fixationCells(run, found), ...fixationExtraCells(run, context, gaze, found), NO_NOTES]
    return { n: found.n, cells }
  },
}

/** Returns the cells of `fixationColumns`, overwritten by the next call. */
export function fixationCells({ identity }: TestRun, found: Fixations): Cells[] {
  const { xPercent, yPercent, startUs, endUs, saccadeLengthPx, saccadeAmplitudePercent } = found
  const { durationMs, saccadeMs, index } = printedTimes(found)
  return [
    ...identityCells(ITEM_AND_PARTICIPANT, identity),
    fractions(xPercent),
    fractions(yPercent),
    microseconds(startUs),
    microseconds(endUs),
    wholes(durationMs),
    fractions(saccadeLengthPx),
    fractions(saccadeAmplitudePercent),
    wholes(saccadeMs),
    wholes(index),
  ]
}

/** Scratch memory of a thread: new arrays for each test would take longer than filling them. */
let printed = sized(256)

/**
 * Returns durations as differences of printed times, in ms (saccades NaN if there is none), and indexes from 1. The
 * arrays are overwritten by the next call.
 */
function printedTimes({ n, startUs, endUs, hasSaccade }: Fixations) {
  if (printed.index.length < n) printed = sized(2 * n)
  const { durationMs, saccadeMs, index } = printed
  for (let f = 0, lastEndMs = 0; f < n; f++) {
    const startMs = roundToMs(startUs[f])
    const endMs = roundToMs(endUs[f])
    durationMs[f] = endMs - startMs
    saccadeMs[f] = hasSaccade[f] === 1 ? startMs - lastEndMs : Number.NaN
    index[f] = f + 1
    lastEndMs = endMs
  }
  return printed
}

function sized(n: number) {
  return { durationMs: new Float64Array(n), saccadeMs: new Float64Array(n), index: new Float64Array(n) }
}
