import { column, fractions, same, wholes } from '../../model/columns.ts'
import type { ExportEntry } from '../export-entry.ts'
import { gazeHits } from '../gaze-hits.ts'
import { identityCells, Q } from '../identity.ts'
import { NO_NOTES, NOTES } from '../notes.ts'

export const gazesAoisBinned: ExportEntry = {
  name: 'gazes-aois-binned',
  path: 'eye-tracking/gazes-aois-binned',
  variant: null,
  title: 'Gazes with their AOIs, in time bins',
  rowPer: 'test and time bin',
  listed: ['movingMedianRangeMs', 'binMs'],
  columns: [
    ...Q,
    column('bin_starts_at_ms', 'int', 'ms', 'Where the bin begins, from item onset'),
    column('bin_gaze_count', 'int', 'gazes', 'Times in the bin that have a valid sample'),
    column('bin_trackloss_count', 'int', 'gazes', 'Times in the bin that have none'),
    NOTES,
  ],
  ownColumns: ({ aoiNames }) =>
    aoiNames.map((name) =>
      column(`aoi_${name}`, 'number', '0 to 1', `Share of the bin's gazes in an AOI named ${name}`, ''),
    ),
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples, aois }) => samples * (30 + aois),
  kind: 'rows',
  compute: (run, context) => {
    const { n, tUs, point, inNames } = gazeHits(run, context)
    const binMs = context.plan.parameters.binMs!
    const starts: number[] = []
    const ends: number[] = []
    for (let i = 0; i < n; i++) {
      const startMs = Math.floor(tUs[i] / (binMs * 1000)) * binMs
      if (starts.at(-1) !== startMs) {
        starts.push(startMs)
        ends.push(i)
      }
      ends[ends.length - 1] = i + 1
    }
    const count = (isCounted: (i: number) => boolean) =>
      Float64Array.from(ends, (end, b) => {
        let sum = 0
        for (let i = b === 0 ? 0 : ends[b - 1]; i < end; i++) if (isCounted(i)) sum++
        return sum
      })
    const gazes = count((i) => point[i] !== -1)
    const cells = [
      ...identityCells(Q, run.identity),
      wholes(Float64Array.from(starts)),
      wholes(gazes),
      wholes(count((i) => point[i] === -1)),
      // None of none is no number, and so missing.
      ...inNames.map((values) =>
        values ? fractions(count((i) => values[i] === 1).map((hits, b) => hits / gazes[b])) : same(null),
      ),
      NO_NOTES,
    ]
    return { n: starts.length, cells }
  },
}
