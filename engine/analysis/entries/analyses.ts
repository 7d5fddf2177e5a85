import type { AnalysisName } from '../analysis-kinds.ts'
import type { AnalysisEntry } from './analysis-entry.ts'
import { comparisons, reading, scanpaths, survival, transitions, visits } from './of-item.ts'
import { clusters, looks, microsaccades, pupils } from './over-time.ts'
import { loss, offsets, participants, quality, tags } from './planned.ts'
import { mixed, within } from './within.ts'

/** The analyses of a study. The command, the routes, OpenAPI and the types of clients come from this table. */
const ANALYSES = {
  comparisons,
  within,
  mixed,
  transitions,
  visits,
  survival,
  quality,
  loss,
  reading,
  tags,
  offsets,
  participants,
  pupils,
  looks,
  clusters,
  microsaccades,
  scanpaths,
  // biome-ignore lint/suspicious/noExplicitAny: each entry has an answer of its own.
} satisfies Record<AnalysisName, AnalysisEntry<any>>

/** Answer of an analysis, as JSON has it. */
export type AnswerOf<Name extends AnalysisName> = Awaited<ReturnType<(typeof ANALYSES)[Name]['compute']>>

/** Returns an analysis whose answer is passed on as it is. */
export function analysisNamed(name: AnalysisName): AnalysisEntry<object> {
  return ANALYSES[name] as AnalysisEntry<object>
}
