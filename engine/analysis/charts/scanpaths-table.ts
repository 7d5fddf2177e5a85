import type { scanpathsAnswer } from './scanpaths-answer.ts'
import { type AnalysisTable, id, real, tableOf, text, whole } from './table-fields.ts'

type Scanpaths = Awaited<ReturnType<typeof scanpathsAnswer>>

/** Returns a row for each pair of scanpaths. */
export function scanpathsTable({ pairs, scanpaths, notes }: Scanpaths): AnalysisTable {
  type Row = Scanpaths['pairs'][number]
  const one = (row: Row) => scanpaths[row.first]
  const other = (row: Row) => scanpaths[row.second]
  return tableOf<Row>(pairs, notes, [
    [id('participant_id_1', 'The first participant'), (row) => one(row).participantId],
    [id('participant_id_2', 'The second participant'), (row) => other(row).participantId],
    [whole('fixation_count_1', 'fixations', 'Fixations of the first'), (row) => one(row).fixations],
    [whole('fixation_count_2', 'fixations', 'Fixations of the second'), (row) => other(row).fixations],
    [text('aoi_string_1', 'AOI string of the first'), (row) => one(row).aoiString],
    [text('aoi_string_2', 'AOI string of the second'), (row) => other(row).aoiString],
    [whole('levenshtein', 'edits', 'Levenshtein distance of the AOI strings'), ({ levenshtein }) => levenshtein],
    [
      real('levenshtein_similarity', '', '1 − the distance, divided by the length of the longer'),
      (row) => row.levenshteinSimilarity,
    ],
    [whole('needleman_wunsch', '', 'Needleman–Wunsch score of the AOI strings'), (row) => row.needlemanWunsch],
    [real('multimatch_vector', '', 'MultiMatch: similarity of shape'), ({ vector }) => vector],
    [real('multimatch_direction', '', 'MultiMatch: of direction'), ({ direction }) => direction],
    [real('multimatch_length', '', 'MultiMatch: of length'), ({ length }) => length],
    [real('multimatch_position', '', 'MultiMatch: of position'), ({ position }) => position],
    [real('multimatch_duration', '', 'MultiMatch: of duration'), ({ duration }) => duration],
  ])
}
