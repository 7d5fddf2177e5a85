import type { Measure } from '../../../isomorphic/measures.ts'
import type { Aoi } from '../../model/study.ts'
import { SEED, withHolm } from '../statistics/compare.ts'
import { describe } from '../statistics/descriptive.ts'
import { completeOf, type PairedComparison } from '../statistics/within.ts'
import type { ChartRun, ChartSubject } from './answer-chart.ts'
import type { WithinTask } from './compare-thread.ts'
import { bothKnown, COMPARE_THREAD, measuredTests, valuesIn } from './comparisons-answer.ts'

/** AOIs of one item or several, and a measure that is compared between them within participants. */
export type ComparedAois = Omit<ChartSubject, 'item' | 'participantIndex'> & {
  aois: Aoi[]
  measure: Measure
  samplesMax: number
}

/**
 * Returns the values of the participants with a value in every AOI, the test of all AOIs, and the comparison of each
 * pair; each AOI is a condition.
 */
export async function withinAnswer(asked: ComparedAois, run: ChartRun) {
  const { aois, measure } = asked
  const { items, seen, participantIds, values } = await valuesInAois(asked, '', run)
  const task: WithinTask = { conditions: values }
  const { friedman, comparisons } = (await run.pool.computeBy(COMPARE_THREAD, 'compareConditions', task)) as {
    friedman: { statistic: number; df: number; p: number; kendallsW: number } | null
    comparisons: PairedComparison[]
  }
  run.signal.throwIfAborted()
  return {
    measure: measure.column,
    seed: SEED,
    items,
    aoiIds: aois.map(({ id }) => id),
    participantIds,
    /** Counts the participants with a value in some AOIs, but not in all. */
    incompleteParticipants: seen.length - participantIds.length,
    values: values.map((own) => [...own]),
    summaries: values.map(describe),
    friedman,
    comparisons: withHolm(comparisons).map((each) => ({
      ...each,
      medians: bothKnown(each.medians),
      means: bothKnown(each.means),
    })),
  }
}

/**
 * Returns the values of a measure in AOIs, of the participants with a value in each.
 *
 * @param filter condition on the tests, besides that of the parameters
 * @returns what is told of each item; `seen`, the participants with a value in any; `values` by AOI, by participant
 */
export async function valuesInAois(asked: ComparedAois, filter: string, run: ChartRun) {
  const { snapshot, aois, measure, parameters, formulaGuard, samplesMax } = asked
  const tables = new Map<string, Awaited<ReturnType<typeof measuredTests>>>()
  for (const item of snapshot.study.items.filter(({ id }) => aois.some(({ itemId }) => itemId === id))) {
    const subject = { snapshot, item, participantIndex: null, parameters, formulaGuard }
    tables.set(item.id, await measuredTests(subject, filter, { measure, samplesMax }, run))
  }
  const ofAois = aois.map(({ id, itemId }) => valuesIn(tables.get(itemId)!, id))
  return {
    items: [...tables].map(([itemId, { head }]) => ({ itemId, ...head })),
    seen: [...new Set(ofAois.flatMap(({ participantIds }) => participantIds))],
    ...completeOf(ofAois),
  }
}
