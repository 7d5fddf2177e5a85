import type { AnalysisName } from '../analysis-kinds.ts'
import type { AnalysisEntry } from './analysis-entry.ts'
import { clusters } from './clusters.ts'
import { comparisons } from './comparisons.ts'
import { survival, transitions, visits } from './course.ts'
import { looks } from './looks.ts'
import { microsaccades } from './microsaccades.ts'
import { mixed } from './mixed.ts'
import { loss, offsets, participants, quality, tags } from './planned.ts'
import { pupils } from './pupils.ts'
import { reading } from './reading.ts'
import { scanpaths } from './scanpaths.ts'
import { within } from './within.ts'

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
