import { pupilsTable } from '../charts/analysis-tables.ts'
import { pupilsAnswer, pupilsPlan } from '../charts/pupils-answer.ts'
import { defineAnalysis } from './analysis-entry.ts'

/** Pupils over time, for groups of tests. */
export const pupils = defineAnalysis({
  plan: (asked) => pupilsPlan(asked),
  key: ({ event, groups }) => ['pupils', JSON.stringify([event, groups])],
  compute: pupilsAnswer,
  print: pupilsTable,
})
