import { aoisOfFixations } from '../../compute/visits.ts'
import { type Cells, column } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { FIXATION_FILTER, fixationCells, fixationColumns } from './fixations.ts'

export const fixationsAois: ExportEntry = {
  name: 'fixations-aois',
  path: 'eye-tracking/fixations-aois',
  variant: null,
  title: 'Fixations with their AOIs',
  rowPer: 'fixation',
  listed: FIXATION_FILTER,
  columns: [
    ...fixationColumns,
    column('aoi_ids', 'json', '', 'The AOIs that it is in, in the order of study.json', null, { nested: 'texts' }),
    column('aoi_names', 'json', '', 'Their names', null, { nested: 'texts' }),
    NOTES,
  ],
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples }) => samples * 80,
  kind: 'rows',
  compute: (run, context) => {
    const { item } = run.identity
    const found = context.fixationsOf(run, context.gazeOf(run))
    const aois = context.aoisOf(item)
    const aoisOf = aoisOfFixations(context.aoiGridOf(item), found)
    const indexes = Int32Array.from(aoisOf.flat())
    let end = 0
    const ends = Int32Array.from(aoisOf, ({ length }) => (end += length))
    const lists = (dictionary: string[]): Cells => ({ kind: 'lists', ends, dictionary, indexes })
    return { n: found.n, cells: [...fixationCells(run, found), lists(aois.ids), lists(aois.names), NO_NOTES] }
  },
}
