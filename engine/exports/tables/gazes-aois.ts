import { type Cells, column, flags, fractions, microseconds, wholes } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { gazeHits } from '../columns/gaze-hits.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { type Angles, anglesOfGaze, degreeColumns } from '../columns/position-degrees.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

const PERCENT = '% of the displayed item'

export const gazesAois: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'gazes-aois',
  path: 'eye-tracking/gazes-aois',
  title: 'Gazes with their AOIs',
  rowPer: 'test and distinct time of its samples',
  listed: ['movingMedianRangeMs'],
  timeColumn: 'gaze_timestamp_ms',
  columns: [
    column('gaze_timestamp_ms', 'int', 'ms', 'When, from item onset'),
    column('trackloss', 'boolean', '', 'Whether no valid sample has this time'),
    column('gaze_x_percents', 'number', PERCENT, 'Denoised gaze, from the left', ''),
    column('gaze_y_percents', 'number', PERCENT, 'Denoised gaze, from the top', ''),
  ],
  ownColumns: ({ aoiNames }) =>
    aoiNames.map((name) =>
      column(
        `aoi_${name}`,
        'boolean',
        '',
        `Whether gaze is in an AOI named ${name}; empty where the item has none`,
        '',
      ),
    ),
  extras: {
    degrees: degreeColumns('gaze', 'the denoised gaze'),
    microseconds: [
      column('gaze_timestamp_us', 'int', 'µs', 'When, from item onset, without rounding', null, { isLarge: true }),
    ],
  },
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples, aois }) => samples * (200 + aois * 6),
  compute: (run, context) => {
    const { extras = [] } = context.plan.parameters
    const { n, tUs, point, gaze, patterns, indexes } = gazeHits(run, context)
    const cells = [
      microseconds(tUs),
      flags(isLost(point)),
      fractions(positions(point, gaze.xPercent)),
      fractions(positions(point, gaze.yPercent)),
      ...context.facts.aoiNames.map((_, place): Cells => ({ kind: 'patterns', patterns, indexes, place })),
      ...(extras.includes('degrees') ? degreesAt(point, anglesOfGaze(run, context, gaze)) : []),
      ...(extras.includes('microseconds') ? [wholes(tUs)] : []),
    ]
    return { n, cells }
  },
})

function degreesAt(point: Int32Array, { x, y }: Angles): Cells[] {
  return [x, y].map((angles) => fractions(positions(point, angles)))
}

/** Returns the position at each time. @param point index at each time; -1 if gaze is lost */
function isLost(point: Int32Array): Uint8Array {
  const lost = new Uint8Array(point.length)
  for (let i = 0; i < point.length; i++) lost[i] = point[i] === -1 ? 1 : 0
  return lost
}

function positions(point: Int32Array, percent: Float64Array): Float64Array {
  const position = new Float64Array(point.length)
  for (let i = 0; i < point.length; i++) position[i] = point[i] === -1 ? Number.NaN : percent[point[i]]
  return position
}
