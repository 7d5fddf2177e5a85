import { comparisonsTable } from '../charts/analysis-tables.ts'
import { chartPlan } from '../charts/answer-chart.ts'
import { comparisonsAnswer } from '../charts/comparisons-answer.ts'
import { defineAnalysis } from './analysis-entry.ts'
import { subjectOf } from './subject.ts'

/** Groups of participants in each AOI of an item. */
export const comparisons = defineAnalysis({
  plan: (asked) => chartPlan(subjectOf(asked), asked.measure.export),
  key: ({ measure, test, groups }) => ['comparisons', measure.column, JSON.stringify({ kind: test, groups })],
  compute: (asked, run) => comparisonsAnswer(subjectOf(asked), { ...asked, kind: asked.test }, run),
  print: (answer, { groups, snapshot }) => comparisonsTable(answer, groups, snapshot.study),
})
