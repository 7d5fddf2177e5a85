import { pupilsTable } from '../charts/analysis-tables.ts'
import { clustersAnswer, clustersPlan } from '../charts/clusters-answer.ts'
import { clustersTable } from '../charts/clusters-table.ts'
import { looksAnswer, looksPlan } from '../charts/looks-answer.ts'
import { looksTable } from '../charts/looks-table.ts'
import { microsaccadesAnswer, microsaccadesPlan } from '../charts/microsaccades-answer.ts'
import { microsaccadesTable } from '../charts/microsaccades-table.ts'
import { pupilsAnswer, pupilsPlan } from '../charts/pupils-answer.ts'
import { type AskedAnalysis, defineAnalysis } from './analysis-entry.ts'

/** Looks at AOIs over time, for groups of tests. */
export const looks = defineAnalysis({
  plan: (asked) => looksPlan(asked),
  key: ({ groups }) => ['looks', JSON.stringify(groups)],
  compute: looksAnswer,
  print: looksTable,
})

/** Two conditions over time, by cluster permutation. */
export const clusters = defineAnalysis({
  plan: clustersPlan,
  key: ({ signal, design, groups, parameters: { eventType, aoiNames } }) => [
    'clusters',
    JSON.stringify([signal, design, groups, eventType, aoiNames]),
  ],
  compute: clustersAnswer,
  print: clustersTable,
})

/** Microsaccades over time, for groups of tests. */
export const microsaccades = defineAnalysis({
  plan: (asked) => microsaccadesPlan(asked),
  key: ({ groups }) => ['microsaccades', JSON.stringify(groups)],
  compute: microsaccadesAnswer,
  print: microsaccadesTable,
})

/** Pupils over time, for groups of tests. */
export const pupils = defineAnalysis({
  plan: (asked) => pupilsPlan(withEvent(asked)),
  key: (asked) => ['pupils', JSON.stringify([withEvent(asked).event, asked.groups])],
  compute: (asked, run) => pupilsAnswer(withEvent(asked), run),
  print: pupilsTable,
})

/** Takes `eventType`, as other analyses have it, for `event`, which this one had before. */
function withEvent<Asked extends AskedAnalysis>(asked: Asked): Asked {
  return { ...asked, event: asked.event ?? asked.parameters.eventType ?? null }
}
