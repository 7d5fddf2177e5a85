import { makePlan } from '../../exports/make-plan.ts'
import { withinTable } from '../charts/analysis-tables.ts'
import { mixedAnswer } from '../charts/mixed-answer.ts'
import { mixedTable } from '../charts/mixed-table.ts'
import { withinAnswer } from '../charts/within-answer.ts'
import { defineAnalysis } from './analysis-entry.ts'

/** AOIs that the same participants saw, of one item or several. */
export const within = defineAnalysis({
  plan: ({ snapshot, measure, parameters, formulaGuard }) =>
    makePlan({ snapshot, exportName: measure.export, parameters, formulaGuard, hasEpochs: false }),
  key: ({ measure, aois }) => ['within', measure.column, ...aois.map(({ id }) => id)],
  compute: withinAnswer,
  print: (answer, { snapshot }) => withinTable(answer, snapshot.study),
})

/** AOIs that the same participants saw, between groups of participants. */
export const mixed = defineAnalysis({
  plan: within.plan,
  key: ({ measure, groups, aois }) => ['mixed', measure.column, JSON.stringify(groups), ...aois.map(({ id }) => id)],
  compute: mixedAnswer,
  print: (answer, { snapshot }) => mixedTable(answer, snapshot.study),
})
