import { clustersAnswer, clustersPlan } from '../charts/clusters-answer.ts'
import { clustersTable } from '../charts/clusters-table.ts'
import { defineAnalysis } from './analysis-entry.ts'

/** Two conditions over time, by cluster permutation. */
export const clusters = defineAnalysis({
  plan: (asked) => clustersPlan(asked),
  key: ({ signal, design, groups, parameters: { eventType, aoiNames } }) => [
    'clusters',
    JSON.stringify([signal, design, groups, eventType, aoiNames]),
  ],
  compute: clustersAnswer,
  print: clustersTable,
})
