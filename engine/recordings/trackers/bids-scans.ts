import type { Draft } from '../draft/draft.ts'
import { folderOf } from '../text/file-names.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellText } from '../text/table-rows.ts'
import type { Run } from './bids-recordings.ts'

/**
 * Orders the runs of a subject by its `scans.tsv`: by `display_order`, as in our own datasets, otherwise by `acq_time`.
 * Runs that the table does not name stay behind, in the order of their names.
 */
export async function inShownOrder(runs: Run[], all: SourceFile[], draft: Draft): Promise<Run[]> {
  const places = new Map<string, number>()
  for (const file of all)
    if (/_scans\.(tsv(\.gz)?|json)$|(^|\/)scans\.json$/.test(file.name)) {
      draft.usedFiles.add(file.name)
      await readScans(file, draft, places)
    }
  const placeOf = ({ first }: Run) => places.get(first.data.name) ?? Number.POSITIVE_INFINITY
  const folderIn = ({ first }: Run) => /^(?:.*\/)?sub-[^/]+\//.exec(first.data.name)?.[0] ?? ''
  const subjects = [...new Set(runs.map(folderIn))]
  return subjects.flatMap((subject) => {
    const own = runs.filter((run) => folderIn(run) === subject)
    // Of two runs without a place, the difference is NaN.
    return own.sort((a, b) => placeOf(a) - placeOf(b) || 0)
  })
}

/** Adds the places of the files that a table of scans names. */
async function readScans(file: SourceFile, draft: Draft, places: Map<string, number>): Promise<void> {
  const header = tableHead(file)?.header ?? []
  const [name, order, time] = ['filename', 'display_order', 'acq_time'].map((column) => columnIn(header, column))
  if (name < 0 || (order < 0 && time < 0)) return
  await forEachRow(file, draft, (rows) => {
    const place = order >= 0 ? numberIn(cellText(rows, order)) : Date.parse(cellText(rows, time))
    const folder = folderOf(file.name)
    if (!Number.isNaN(place)) places.set(`${folder === '' ? '' : `${folder}/`}${cellText(rows, name)}`, place)
  })
}
