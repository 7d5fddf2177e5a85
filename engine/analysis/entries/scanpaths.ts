import { chartPlan } from '../charts/answer-chart.ts'
import { scanpathsAnswer } from '../charts/scanpaths-answer.ts'
import { scanpathsTable } from '../charts/scanpaths-table.ts'
import { defineAnalysis } from './analysis-entry.ts'
import { subjectOf } from './subject.ts'

/** Scanpaths of each pair of participants on an item. */
export const scanpaths = defineAnalysis({
  plan: (asked) => chartPlan(subjectOf(asked), 'scanpaths'),
  key: () => ['scanpaths'],
  compute: (asked, run) => scanpathsAnswer(subjectOf(asked), run),
  print: scanpathsTable,
})
