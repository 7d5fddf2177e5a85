import type { Measure } from '../../../isomorphic/measures.ts'
import type { Plan } from '../../model/plan.ts'
import type { Aoi, Item } from '../../model/study.ts'
import type { ClusterSignal } from '../analysis-kinds.ts'
import type { ChartRun, ChartSubject } from '../charts/answer-chart.ts'
import type { AnalysisTable } from '../charts/table-fields.ts'
import type { AoiOrder } from '../statistics/aoi-ranks.ts'
import type { ClusterDesign } from '../statistics/arrangements.ts'
import type { TestKind } from '../statistics/compare.ts'

/** Values of the parameters that only some analyses have; defaults and [] for those of others. */
export type OwnValues = {
  measure: Measure
  test: TestKind
  nested: AoiOrder
  signal: ClusterSignal
  design: ClusterDesign
  /** Conditions, each in addition to the filter of the parameters. */
  groups: string[]
  aois: Aoi[]
  /** Name of the events from which time is measured; null for item onset. */
  event: string | null
}

/** A request for an analysis. */
export type AskedAnalysis = OwnValues &
  Omit<ChartSubject, 'item'> & {
    /** The item, for an analysis of one; else null. */
    item: Item | null
  }

/** Computation of an analysis, and its tables. */
export type AnalysisEntry<Answer extends object> = {
  /** Plan of the export whose tests and settings it has. @throws ServiceError invalid_param */
  plan: (asked: AskedAnalysis) => Plan
  /** Words that tell its answer from others: for the cache, with the plan between the first and the rest. */
  key: (asked: AskedAnalysis) => [name: string, ...(string | number | null)[]]
  /** @throws ServiceError invalid_param if there are more than `samplesMax` samples, or rows that are compared */
  compute: (asked: AskedAnalysis & { plan: Plan; samplesMax: number }, run: ChartRun) => Promise<Answer>
  /** Returns the numbers as a table, for all formats except JSON. */
  print: (answer: Answer, asked: AskedAnalysis) => AnalysisTable
}

/** Returns an entry as it is, so that the table of analyses knows its answer. */
export function defineAnalysis<Answer extends object>(entry: AnalysisEntry<Answer>): AnalysisEntry<Answer> {
  return entry
}
