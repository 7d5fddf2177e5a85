import { toMillionths } from '../compute/aoi.ts'
import { aoisAt } from '../compute/aoi-grid.ts'
import { encode, quote } from '../csv/cells.ts'
import { append, markNotes } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import { FIXATION_FILTER } from './fixations.ts'
import { fixedPrefix, P } from './identity.ts'
import { NOTES } from './notes.ts'

export const aoiFixationsOrder: ExportEntry = {
  name: 'aoi-fixations-order',
  path: 'eye-tracking/aois-all/fixations-order',
  variant: null,
  title: 'AOI fixations order',
  rowPer: 'test',
  listed: FIXATION_FILTER,
  columns: [
    ...P,
    NOTES,
    {
      name: 'aoi_fixations_order',
      type: 'json',
      unit: '',
      meaning: 'Names of the AOIs that were fixated, one per fixation in an AOI, in time; in several: each',
      missing: null,
    },
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ tests, samples }) => tests * 400 + samples * 8,
  kind: 'rows',
  writeTest: (run, context, sink) => {
    const aois = context.aoisOf(run.identity.item)
    if (aois.length === 0) return
    const found = context.fixationsOf(run, context.gazeOf(run))
    const names: string[] = []
    const grid = context.aoiGridOf(run.identity.item)
    for (let f = 0; f < found.n; f++) {
      const x = toMillionths(found.xPercent[f])
      const y = toMillionths(found.yPercent[f])
      for (const a of aoisAt(grid, x, y, found.startUs[f])) names.push(aois[a].aoi.name)
    }
    append(sink, fixedPrefix(P, run.identity, context.plan.formulaGuard))
    markNotes(sink)
    append(sink, encode(`,${quote(JSON.stringify(names))}\n`))
  },
}
