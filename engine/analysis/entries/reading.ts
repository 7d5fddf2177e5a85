import { chartPlan } from '../charts/answer-chart.ts'
import { readingAnswer } from '../charts/reading-answer.ts'
import { readingTable } from '../charts/reading-table.ts'
import { defineAnalysis } from './analysis-entry.ts'
import { subjectOf } from './subject.ts'

/** Words of an item, averaged over participants. */
export const reading = defineAnalysis({
  plan: (asked) => chartPlan(subjectOf(asked), 'reading'),
  key: ({ participantIndex }) => ['reading', participantIndex],
  compute: (asked, run) => readingAnswer(subjectOf(asked), run),
  print: readingTable,
})
