import { column, fractions, wholes } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { gazeHits } from '../columns/gaze-hits.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

export const gazesAoisBinned: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'gazes-aois-binned',
  path: 'eye-tracking/gazes-aois-binned',
  title: 'Gazes with their AOIs, in time bins',
  rowPer: 'test and time bin',
  listed: ['movingMedianRangeMs', 'binMs'],
  columns: [
    column('bin_starts_at_ms', 'int', 'ms', 'Where the bin begins, from item onset'),
    column('bin_gaze_count', 'int', 'gazes', 'Times in the bin that have a valid sample'),
    column('bin_trackloss_count', 'int', 'gazes', 'Times in the bin that have none'),
  ],
  ownColumns: ({ aoiNames }) =>
    aoiNames.map((name) =>
      column(`aoi_${name}`, 'number', '0 to 1', `Share of the bin's gazes in an AOI named ${name}`, ''),
    ),
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples, aois }) => samples * (30 + aois),
  compute: (run, context) => {
    const { n, tUs, point, patterns, indexes } = gazeHits(run, context)
    const binMs = context.plan.parameters.binMs!
    const { bins, startMs, binOf } = cutBins(tUs, n, binMs)
    const gazes = new Float64Array(bins)
    const losses = new Float64Array(bins)
    for (let i = 0; i < n; i++) (point[i] === -1 ? losses : gazes)[binOf[i]]++
    const cells = [
      wholes(startMs),
      wholes(gazes),
      wholes(losses),
      ...sharesByName(patterns, indexes, binOf, gazes).map(fractions),
    ]
    return { n: bins, cells }
  },
})

/** Groups ascending times into bins: the start of each nonempty bin, and the bin of each time. */
function cutBins(tUs: Float64Array, n: number, binMs: number) {
  const startMs = new Float64Array(n)
  const binOf = new Int32Array(n)
  let bins = 0
  for (let i = 0, endUs = 0; i < n; i++) {
    if (bins === 0 || tUs[i] >= endUs) {
      startMs[bins] = Math.floor(tUs[i] / (binMs * 1000)) * binMs
      endUs = (startMs[bins] + binMs) * 1000
      bins++
    }
    binOf[i] = bins - 1
  }
  return { bins, startMs: startMs.subarray(0, bins), binOf }
}

/**
 * Returns, for each AOI name, the share of each bin's gazes in its AOIs; NaN if the bin has no gaze or the item no such
 * AOI.
 */
function sharesByName(
  patterns: Uint8Array[],
  indexes: Int32Array,
  binOf: Int32Array,
  gazes: Float64Array,
): Float64Array[] {
  const bins = gazes.length
  const all = new Float64Array(patterns[0].length * bins)
  const shares = Array.from(patterns[0], (_, name) => all.subarray(name * bins, (name + 1) * bins))
  for (const [name, share] of shares.entries()) if (patterns.every((each) => each[name] === 2)) share.fill(Number.NaN)
  const looked = patterns.map((pattern) => shares.filter((_, name) => pattern[name] === 1))
  for (let i = 0; i < indexes.length; i++) for (const share of looked[indexes[i]]) share[binOf[i]]++
  // 0 / 0 is NaN, and so missing.
  for (const share of shares) for (let b = 0; b < bins; b++) share[b] /= gazes[b]
  return shares
}
