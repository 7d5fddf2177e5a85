import { makePlan } from '../../engine/exports/make-plan.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { inlinePool } from '../../engine/run/inline-pool.ts'
import { runExport } from '../../engine/run/run-export.ts'
import type { StudyCounts } from '../../engine/uploads/import-job.ts'

/** Counts the contents of a snapshot, including the fixations of its export with default settings. */
export async function countStudy(snapshot: Snapshot, signal: AbortSignal): Promise<StudyCounts> {
  const { participants, items, tests, samples } = snapshot.manifest.counts
  const parameters = defaultParameters()
  const plan = makePlan({ snapshot, exportName: 'fixations', parameters, formulaGuard: false })
  const run = runExport({ plan, snapshot, pool: inlinePool(), signal, gzip: false })
  let step = await run.next()
  while (!step.done) step = await run.next()
  return { participants, items, tests, samples, fixations: step.value.rows }
}
