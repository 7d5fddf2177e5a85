import type { ExportName } from '../../model/export-names.ts'
import type { Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import {
  type AnalysisTable,
  lossTable,
  offsetsTable,
  participantsTable,
  qualityTable,
  tagsTable,
} from './analysis-tables.ts'
import type { ChartRun } from './answer-chart.ts'
import { offsetsAnswer } from './offsets-answer.ts'
import { participantsAnswer } from './participants-answer.ts'
import { lossAnswer, qualityAnswer } from './quality-answer.ts'
import { tagsAnswer } from './tags-answer.ts'

/** An analysis of the tests that the plan of an export selects. */
export type PlannedAnalysis<Answer> = {
  exportName: ExportName
  /** True if the analysis covers one item. */
  needsItem: boolean
  compute: (plan: Plan, snapshot: Snapshot, samplesMax: number, run: ChartRun) => Promise<Answer>
  print: (answer: Answer) => AnalysisTable
}

const planned = <Answer>(analysis: PlannedAnalysis<Answer>) => analysis

export const PLANNED_ANALYSES = {
  quality: planned({
    exportName: 'quality-stats',
    needsItem: false,
    compute: qualityAnswer,
    print: qualityTable,
  }),
  loss: planned({
    exportName: 'gazes-aois-binned',
    needsItem: true,
    compute: lossAnswer,
    print: lossTable,
  }),
  tags: planned({
    exportName: 'aoi-tags-stats',
    needsItem: false,
    compute: tagsAnswer,
    print: tagsTable,
  }),
  offsets: planned({
    exportName: 'quality-stats',
    needsItem: false,
    compute: offsetsAnswer,
    print: offsetsTable,
  }),
  participants: planned({
    exportName: 'keyboard-mouse-overall',
    needsItem: false,
    compute: (plan, snapshot, _samplesMax, { signal }) => participantsAnswer(plan, snapshot, signal),
    print: participantsTable,
  }),
}
