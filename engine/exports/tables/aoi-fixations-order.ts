import { toMillionths } from '../../compute/aoi.ts'
import { aoisAt } from '../../compute/aoi-grid.ts'
import { column } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_AND_PARTICIPANT, identityCells } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { FIXATION_FILTER } from './fixations.ts'

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const aoiFixationsOrder: ExportEntry = {
  name: 'aoi-fixations-order',
  path: 'eye-tracking/aois-all/fixations-order',
  variant: null,
  title: 'AOI fixations order',
  rowPer: 'test',
  listed: FIXATION_FILTER,
  takesWindow: true,
  columns: [
    ...ITEM_AND_PARTICIPANT,
    NOTES,
    column(
      'aoi_fixations_order',
      'json',
      '',
      'Names of the fixated AOIs, one per fixation in an AOI, in order of time; a fixation in several AOIs adds each',
      null,
      { nested: 'texts' },
    ),
  ],
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ tests, samples }) => tests * 400 + samples * 8,
  kind: 'rows',
  compute: (run, context) => {
    const aois = context.aoisOf(run.identity.item)
    if (aois.n === 0) return null
    const found = context.fixationsOf(run, context.gazeOf(run))
    const grid = context.aoiGridOf(run.identity.item)
    const indexes: number[] = []
    for (let f = 0; f < found.n; f++) {
      const [x, y] = [toMillionths(found.xPercent[f]), toMillionths(found.yPercent[f])]
      indexes.push(...aoisAt(grid, x, y, found.startUs[f]))
    }
    const order = {
      kind: 'lists' as const,
      ends: Int32Array.of(indexes.length),
      dictionary: aois.names,
      indexes: Int32Array.from(indexes),
    }
    return { n: 1, cells: [...identityCells(ITEM_AND_PARTICIPANT, run.identity), NO_NOTES, order] }
  },
}
