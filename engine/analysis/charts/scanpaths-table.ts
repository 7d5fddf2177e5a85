import type { scanpathsAnswer } from './scanpaths-answer.ts'
import { type AnalysisTable, idField, realField, tableOf, textField, wholeField } from './table-fields.ts'

type Scanpaths = Awaited<ReturnType<typeof scanpathsAnswer>>

/** Returns a row for each pair of scanpaths. */
export function scanpathsTable({ pairs, scanpaths, notes }: Scanpaths): AnalysisTable {
  type Row = Scanpaths['pairs'][number]
  const one = (row: Row) => scanpaths[row.first]
  const other = (row: Row) => scanpaths[row.second]
  return tableOf<Row>(pairs, notes, [
    [idField('participant_id_1', 'The first participant'), (row) => one(row).participantId],
    [idField('participant_id_2', 'The second participant'), (row) => other(row).participantId],
    [wholeField('fixation_count_1', 'fixations', 'Fixations of the first'), (row) => one(row).fixations],
    [wholeField('fixation_count_2', 'fixations', 'Fixations of the second'), (row) => other(row).fixations],
    [textField('aoi_string_1', 'AOI string of the first'), (row) => one(row).aoiString],
    [textField('aoi_string_2', 'AOI string of the second'), (row) => other(row).aoiString],
    [wholeField('levenshtein', 'edits', 'Levenshtein distance of the AOI strings'), ({ levenshtein }) => levenshtein],
    [
      realField('levenshtein_similarity', '', '1 − the distance, divided by the length of the longer'),
      (row) => row.levenshteinSimilarity,
    ],
    [wholeField('needleman_wunsch', '', 'Needleman–Wunsch score of the AOI strings'), (row) => row.needlemanWunsch],
    [realField('multimatch_vector', '', 'MultiMatch: similarity of shape'), ({ vector }) => vector],
    [realField('multimatch_direction', '', 'MultiMatch: of direction'), ({ direction }) => direction],
    [realField('multimatch_length', '', 'MultiMatch: of length'), ({ length }) => length],
    [realField('multimatch_position', '', 'MultiMatch: of position'), ({ position }) => position],
    [realField('multimatch_duration', '', 'MultiMatch: of duration'), ({ duration }) => duration],
  ])
}
