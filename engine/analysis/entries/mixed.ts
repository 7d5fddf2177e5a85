import { mixedAnswer } from '../charts/mixed-answer.ts'
import { mixedTable } from '../charts/mixed-table.ts'
import { defineAnalysis } from './analysis-entry.ts'
import { within } from './within.ts'

/** AOIs that the same participants saw, between groups of participants. */
export const mixed = defineAnalysis({
  plan: within.plan,
  key: ({ measure, groups, aois }) => ['mixed', measure.column, JSON.stringify(groups), ...aois.map(({ id }) => id)],
  compute: mixedAnswer,
  print: (answer, { snapshot }) => mixedTable(answer, snapshot.study),
})
