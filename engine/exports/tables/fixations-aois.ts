import { aoisOfFixations } from '../../compute/visits.ts'
import { type Cells, column } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { FIXATION_EXTRAS, fixationExtraCells } from '../columns/fixation-extras.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { FIXATION_FILTER, fixationCells, fixationColumns } from './fixations.ts'

export const fixationsAois: ExportEntry = {
  name: 'fixations-aois',
  path: 'eye-tracking/fixations-aois',
  variant: null,
  title: 'Fixations with their AOIs',
  rowPer: 'fixation',
  listed: FIXATION_FILTER,
  timeColumn: 'fixation_starts_at_ms',
  columns: [
    ...fixationColumns,
    column('aoi_ids', 'json', '', 'The AOIs that it is in, in the order of study.json', null, { nested: 'texts' }),
    column('aoi_names', 'json', '', 'Their names', null, { nested: 'texts' }),
    NOTES,
  ],
  extras: FIXATION_EXTRAS,
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples }) => samples * 80,
  kind: 'rows',
  compute: (run, context) => {
    const { item } = run.identity
    const gaze = context.gazeOf(run)
    const found = context.fixationsOf(run, gaze)
    const aois = context.aoisOf(item)
    const aoisOf = aoisOfFixations(context.aoiGridOf(item), found)
    const indexes = Int32Array.from(aoisOf.flat())
    let end = 0
    const ends = Int32Array.from(aoisOf, ({ length }) => (end += length))
    const lists = (dictionary: string[]): Cells => ({ kind: 'lists', ends, dictionary, indexes })
    const own = [...fixationCells(run, found), lists(aois.ids), lists(aois.names)]
    return { n: found.n, cells: [...own, ...fixationExtraCells(run, context, gaze, found), NO_NOTES] }
  },
}
