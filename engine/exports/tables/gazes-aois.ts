import { column, flags, fractions, microseconds, same } from '../../model/columns.ts'
import type { ExportEntry } from '../export-entry.ts'
import { gazeHits } from '../gaze-hits.ts'
import { identityCells, Q } from '../identity.ts'
import { NO_NOTES, NOTES } from '../notes.ts'

const PERCENT = '% of the displayed item'

export const gazesAois: ExportEntry = {
  name: 'gazes-aois',
  path: 'eye-tracking/gazes-aois',
  variant: null,
  title: 'Gazes with their AOIs',
  rowPer: 'test and distinct time of its samples',
  listed: ['movingMedianRangeMs'],
  columns: [
    ...Q,
    column('gaze_timestamp_ms', 'int', 'ms', 'When, from item onset'),
    column('trackloss', 'boolean', '', 'Whether no valid sample has this time'),
    column('gaze_x_percents', 'number', PERCENT, 'Denoised gaze, from the left', ''),
    column('gaze_y_percents', 'number', PERCENT, 'Denoised gaze, from the top', ''),
    NOTES,
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
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples, aois }) => samples * (200 + aois * 6),
  kind: 'rows',
  compute: (run, context) => {
    const { n, tUs, point, gaze, inNames } = gazeHits(run, context)
    const position = (percent: Float64Array) => Float64Array.from(point, (p) => (p === -1 ? Number.NaN : percent[p]))
    const cells = [
      ...identityCells(Q, run.identity),
      microseconds(tUs),
      flags(Uint8Array.from(point, (p) => (p === -1 ? 1 : 0))),
      fractions(position(gaze.xPercent)),
      fractions(position(gaze.yPercent)),
      ...inNames.map((values) => (values ? flags(values) : same(null))),
      NO_NOTES,
    ]
    return { n, cells }
  },
}
