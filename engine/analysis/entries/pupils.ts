import { pupilsTable } from '../charts/analysis-tables.ts'
import { pupilsAnswer, pupilsPlan } from '../charts/pupils-answer.ts'
import { type AskedAnalysis, defineAnalysis } from './analysis-entry.ts'

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
