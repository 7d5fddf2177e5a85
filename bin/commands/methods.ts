import type { Config } from '../../engine/model/settings.ts'
import { describeMethods } from '../../engine/products/methods/describe-methods.ts'
import { collectFacts, methodsPlan } from '../../engine/products/methods/methods-facts.ts'
import { type MethodsFormat, printMethods } from '../../engine/products/methods/print-methods.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { type ParameterOptions, readParameters } from '../given/export-options.ts'
import { findStudy } from '../given/find-study.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Runs `gazette methods`: prints the methods section of a study. */
export function methods(options: Options): Promise<void> {
  return stoppable((signal) => withStudies(options.config, (studies) => methodsOf(studies, options, signal), signal))
}

type Options = { study: string; format: MethodsFormat; config: Config } & ParameterOptions

async function methodsOf(
  studies: Studies,
  { study, format, config, ...options }: Options,
  signal: AbortSignal,
): Promise<void> {
  const snapshot = await findStudy(studies, study)
  const plan = methodsPlan(snapshot, await readParameters(options, snapshot))
  await closing(createPool({ threads: config.engineThreads }), async (pool) => {
    const facts = await collectFacts(plan, snapshot, null, { pool, signal })
    process.stdout.write(printMethods(describeMethods(facts), format))
  })
}
