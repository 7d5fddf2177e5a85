import { column, fractions, wholes } from '../../model/columns.ts'
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
    const { n, tUs, point, flags, cellsOf } = gazeHits(run, context)
    const binMs = context.plan.parameters.binMs!
    const { bins, startMs, binOf } = cutBins(tUs, n, binMs)
    const gazes = new Float64Array(bins)
    const losses = new Float64Array(bins)
    for (let i = 0; i < n; i++) (point[i] === -1 ? losses : gazes)[binOf[i]]++
    const shareOfNone = shares(new Uint8Array(n), 0, binOf, gazes)
    const cells = [
      ...identityCells(Q, run.identity),
      wholes(startMs),
      wholes(gazes),
      wholes(losses),
      ...cellsOf((start) => {
        const first = flags.indexOf(1, start)
        const isLookedAt = first !== -1 && first < start + n
        return fractions(isLookedAt ? shares(flags, start, binOf, gazes) : shareOfNone)
      }),
      NO_NOTES,
    ]
    return { n: bins, cells }
  },
}

/** Cuts ascending times into bins: where each bin that has a time begins, and the bin of each time. */
function cutBins(tUs: Float64Array, n: number, binMs: number) {
  const startMs = new Float64Array(n)
  const binOf = new Int32Array(n)
  let bins = 0
  for (let i = 0; i < n; i++) {
    const start = Math.floor(tUs[i] / (binMs * 1000)) * binMs
    if (bins === 0 || startMs[bins - 1] !== start) startMs[bins++] = start
    binOf[i] = bins - 1
  }
  return { bins, startMs: startMs.subarray(0, bins), binOf }
}

/** Returns the share of each bin's gazes that is in an AOI, whose flags begin at `start`; NaN where it has none. */
function shares(isIn: Uint8Array, start: number, binOf: Int32Array, gazes: Float64Array): Float64Array {
  const share = new Float64Array(gazes.length)
  for (let i = 0; i < binOf.length; i++) if (isIn[start + i] === 1) share[binOf[i]]++
  // None of none is no number, and so missing.
  for (let b = 0; b < share.length; b++) share[b] /= gazes[b]
  return share
}
