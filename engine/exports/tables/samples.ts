import type { DisplayRectanglePx, Samples } from '../../compute/gaze.ts'
import { type Cells, type Column, column, flags, fractions } from '../../model/columns.ts'
import { EYE_COLUMN_NAMES, EYE_COLUMNS, EYE_PAIRS, type EyeColumn } from '../../model/eye-columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { itemPercents } from '../columns/item-percents.ts'
import { anglesOfSamples, degreeColumns, wantsDegrees } from '../columns/position-degrees.ts'
import type { StudyFacts } from '../columns/study-facts.ts'
import type { ExportContext, TestRun } from '../columns/test-context.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

const PERCENT = '% of the displayed item'
const MEANINGS: Record<EyeColumn, string> = {
  leftGazeXPx: 'Gaze x of the left eye in the browser window, from the left',
  leftGazeYPx: 'Gaze y of the left eye in the browser window, from the top',
  rightGazeXPx: 'Gaze x of the right eye in the browser window, from the left',
  rightGazeYPx: 'Gaze y of the right eye in the browser window, from the top',
  leftPupil: 'Size of the left pupil',
  rightPupil: 'Size of the right pupil',
  leftEyeDistanceMm: 'Distance of the left eye from the tracker',
  rightEyeDistanceMm: 'Distance of the right eye from the tracker',
}

/**
 * All recorded data, one row for each sample, with the names of bundles; the gaze is as recorded, whatever eye is
 * chosen.
 */
export const samples: ExportEntry = exportOfTests(PARTICIPANT_AND_TEST, {
  name: 'samples',
  path: 'eye-tracking/samples',
  title: 'Samples, with each eye and pupils',
  rowPer: 'sample',
  listed: ['participantQualityGradeItemMin'],
  timeColumn: 't_ms',
  isAsRecorded: true,
  columns: [
    column('t_ms', 'number', 'ms', 'Time of the sample, from item onset'),
    column('gaze_x_px', 'number', 'px', 'Gaze x in the browser window, from the left', ''),
    column('gaze_y_px', 'number', 'px', 'Gaze y in the browser window, from the top', ''),
    column('scroll_y_px', 'number', 'px', 'How far the page was scrolled down'),
    column('mouse_x_px', 'number', 'px', 'Mouse x in the browser window, from the left', ''),
    column('mouse_y_px', 'number', 'px', 'Mouse y in the browser window, from the top', ''),
    column('is_click', 'boolean', '', 'Whether the mouse was clicked'),
    ...percentColumns('gaze', 'Gaze'),
    ...percentColumns('mouse', 'Mouse'),
  ],
  ownColumns: (facts) => [...recordedColumns(facts), ...pairsOf(facts.eyes).flatMap(({ columns }) => columns)],
  extras: { degrees: [...degreeColumns('gaze', 'the recorded gaze'), ...degreeColumns('mouse', 'the mouse')] },
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick', ...EYE_COLUMN_NAMES],
  estimateBytes: ({ samples: n }) => n * 520,
  leastRows: (counts) => counts.samples,
  compute: (run, context) => {
    const { identity, samples: recorded } = run
    const { facts } = context
    const { n, tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick, eyes = {} } = recorded
    if (n === 0) return null
    const { display } = identity.test
    const tMs = new Float64Array(n)
    for (let i = 0; i < n; i++) tMs[i] = tUs[i] / 1000
    const cells = [
      ...[tMs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx].map(exact),
      flags(isClick),
      ...percents(gazeXPx, gazeYPx, recorded, display),
      ...percents(mouseXPx, mouseYPx, recorded, display),
      ...facts.eyes.map((name) => exact(eyes[name]!)),
      ...pairsOf(facts.eyes).flatMap(({ pair: [x, y] }) => percents(eyes[x]!, eyes[y]!, recorded, display)),
      ...(wantsDegrees(context) ? degrees(run, context) : []),
    ]
    return { n, cells }
  },
})

function percentColumns(name: string, what: string): Column[] {
  return [
    column(`${name}_x_percents`, 'number', PERCENT, `${what} x on the displayed item, from the left`, ''),
    column(`${name}_y_percents`, 'number', PERCENT, `${what} y on the displayed item, from the top, scrolled`, ''),
  ]
}

/** Returns the columns that the study has for each eye. */
function recordedColumns({ eyes, recording }: StudyFacts): Column[] {
  const unitOf = (name: string) =>
    name.endsWith('_px') ? 'px' : name.endsWith('_mm') ? 'mm' : (recording?.pupilUnit ?? '')
  return eyes.map((eye) => {
    const name = EYE_COLUMNS[eye]
    return column(name, 'number', unitOf(name), MEANINGS[eye], '')
  })
}

/** Returns the pairs of recorded coordinates, with the columns of their percents. */
function pairsOf(eyes: EyeColumn[]) {
  return EYE_PAIRS.map((pair, i) => ({
    pair,
    columns: percentColumns(['left_gaze', 'right_gaze'][i], `Gaze of the ${['left', 'right'][i]} eye`),
  })).filter(({ pair: [x, y] }) => eyes.includes(x) && eyes.includes(y))
}

function degrees(run: TestRun, context: ExportContext): Cells[] {
  const { gazeXPx, gazeYPx, mouseXPx, mouseYPx } = run.samples
  const angles = [anglesOfSamples(run, context, gazeXPx, gazeYPx), anglesOfSamples(run, context, mouseXPx, mouseYPx)]
  return angles.flatMap(({ x, y }) => [fractions(x), fractions(y)])
}

function exact(values: Float64Array): Cells {
  return { kind: 'exact', values }
}

/** Returns the cells of positions in percent of the displayed item. */
function percents(xPx: Float64Array, yPx: Float64Array, samples: Samples, display: DisplayRectanglePx | null): Cells[] {
  const { xPercent, yPercent } = itemPercents(xPx, yPx, samples, display)
  return [fractions(xPercent), fractions(yPercent)]
}
