import { makePlan } from '../../exports/make-plan.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { lossTable, offsetsTable, participantsTable, qualityTable, tagsTable } from '../charts/analysis-tables.ts'
import type { ChartRun } from '../charts/answer-chart.ts'
import { offsetsAnswer } from '../charts/offsets-answer.ts'
import { participantsAnswer } from '../charts/participants-answer.ts'
import { lossAnswer, qualityAnswer } from '../charts/quality-answer.ts'
import type { AnalysisTable } from '../charts/table-fields.ts'
import { tagsAnswer } from '../charts/tags-answer.ts'
import { type AnalysisEntry, defineAnalysis } from './analysis-entry.ts'

/** Analyses of the tests that the plan of an export selects. */
function planned<Answer extends object>(
  name: string,
  exportName: ExportName,
  compute: (plan: Plan, snapshot: Snapshot, samplesMax: number, run: ChartRun) => Promise<Answer>,
  print: (answer: Answer) => AnalysisTable,
): AnalysisEntry<Answer> {
  return defineAnalysis({
    plan: ({ snapshot, parameters, formulaGuard }) =>
      makePlan({ snapshot, exportName, parameters, formulaGuard, hasEpochs: false }),
    key: () => [name],
    compute: ({ plan, snapshot, samplesMax }, run) => compute(plan, snapshot, samplesMax, run),
    print,
  })
}

export const quality = planned('quality', 'quality-stats', qualityAnswer, qualityTable)
export const loss = planned('loss', 'gazes-aois-binned', lossAnswer, lossTable)
export const tags = planned('tags', 'aoi-tags-stats', tagsAnswer, tagsTable)
export const offsets = planned('offsets', 'quality-stats', offsetsAnswer, offsetsTable)
export const participants = planned(
  'participants',
  'keyboard-mouse-overall',
  (plan, snapshot, _samplesMax, { signal }) => participantsAnswer(plan, snapshot, signal),
  participantsTable,
)
