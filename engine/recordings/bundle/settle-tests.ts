import type { Draft } from '../draft/draft.ts'
import { dropTests, type TestIndexes } from '../draft/keep-tests.ts'
import { takePathNames } from '../draft/take-path-names.ts'
import { arrangeTests } from './arrange-tests.ts'
import type { ContinuedStudy } from './continued-study.ts'
import { findKnown } from './known-recordings.ts'
import { joinNearNames } from './near-names.ts'
import { findRepeated } from './same-recordings.ts'
import { checkTimes, type Tallies } from './spool-samples.ts'

/**
 * Decides, once all samples are known, which names are one, which tests are kept and in which order they were shown:
 * the same for all formats. The tallies lose the samples of dropped tests.
 *
 * @throws ServiceError invalid_bundle, for impossible times, and for two versions of one recording; NothingNew
 */
export async function settleTests(
  draft: Draft,
  tallies: Tallies,
  { joinsNames, continued }: { joinsNames: boolean; continued: ContinuedStudy | null },
): Promise<TestIndexes> {
  checkTimes(draft, tallies)
  takePathNames(draft)
  joinNearNames(draft, joinsNames, continued)
  const dropped = findRepeated(draft, tallies.prints)
  arrangeTests(draft, tallies.tests, dropped)
  if (continued !== null) await findKnown(draft, tallies, dropped, continued)
  for (const test of dropped) {
    const { samples, lost } = tallies.prints.countsOf(test)
    tallies.samples -= samples
    tallies.lost -= lost
  }
  return dropTests(draft, dropped)
}
