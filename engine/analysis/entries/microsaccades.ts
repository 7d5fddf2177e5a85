import { microsaccadesAnswer, microsaccadesPlan } from '../charts/microsaccades-answer.ts'
import { microsaccadesTable } from '../charts/microsaccades-table.ts'
import { defineAnalysis } from './analysis-entry.ts'

/** Microsaccades over time, for groups of tests. */
export const microsaccades = defineAnalysis({
  plan: (asked) => microsaccadesPlan(asked),
  key: ({ groups }) => ['microsaccades', JSON.stringify(groups)],
  compute: microsaccadesAnswer,
  print: microsaccadesTable,
})
