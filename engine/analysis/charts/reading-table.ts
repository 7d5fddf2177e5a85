import { averageColumns, type Measure, READING_MEASURES } from '../../../isomorphic/measures.ts'
import type { readingAnswer } from './reading-answer.ts'
import {
  type AnalysisField,
  type AnalysisTable,
  idField,
  realField,
  tableOf,
  textField,
  wholeField,
} from './table-fields.ts'

type Reading = Awaited<ReturnType<typeof readingAnswer>>
type Row = { word: Reading['words'][number]; w: number }

/** Returns a row for each word. */
export function readingTable(answer: Reading): AnalysisTable {
  const rows = answer.words.map((word, w) => ({ word, w }))
  return tableOf<Row>(rows, answer.notes, [
    [idField('aoi_id', 'AOI of the word'), ({ word }) => word.aoiId],
    [wholeField('line_index', '', 'Line of the word'), ({ word }) => word.line],
    [wholeField('place', '', 'Place in the line'), ({ word }) => word.place],
    [textField('word', 'Text of the word'), ({ word }) => word.text],
    ...READING_MEASURES.flatMap((measure, m) => fieldsOf(measure, answer.measures[m])),
  ])
}

function fieldsOf(measure: Measure, own: Reading['measures'][number]): AnalysisField<Row>[] {
  const { label, unit } = measure
  const { n, mean, sd } = averageColumns(measure)
  return [
    [wholeField(n, 'participants', `${label}: participants with a value`), ({ w }) => own.n[w]],
    [realField(mean, unit, `${label}: mean over participants`), ({ w }) => own.means[w]],
    [realField(sd, unit, `${label}: sample standard deviation`), ({ w }) => own.sds[w]],
  ]
}
