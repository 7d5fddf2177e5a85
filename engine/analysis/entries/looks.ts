import { looksAnswer, looksPlan } from '../charts/looks-answer.ts'
import { looksTable } from '../charts/looks-table.ts'
import { defineAnalysis } from './analysis-entry.ts'

/** Looks at AOIs over time, for groups of tests. */
export const looks = defineAnalysis({
  plan: (asked) => looksPlan(asked),
  key: ({ groups }) => ['looks', JSON.stringify(groups)],
  compute: looksAnswer,
  print: looksTable,
})
