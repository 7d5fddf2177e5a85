import type { Measure } from '../../../isomorphic/measures.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { Aoi, Item, Snapshot } from '../../model/study.ts'
import { SEED, withHolm } from '../statistics/compare.ts'
import { describe } from '../statistics/descriptive.ts'
import { completeOf, type PairedComparison } from '../statistics/within.ts'
import type { ChartRun } from './answer-chart.ts'
import type { WithinTask } from './compare-thread.ts'
import { bothKnown, COMPARE_THREAD, tableOf, valuesIn } from './comparisons-answer.ts'

/** AOIs of one item or several, and a measure that is compared between them within participants. */
export type ComparedAois = {
  snapshot: Snapshot
  aois: Aoi[]
  measure: Measure
  parameters: Parameters
  formulaGuard: boolean
  samplesMax: number
}

/**
 * Returns the values of the participants with a value in every AOI, the test of all AOIs, and the comparison of each
 * pair; each AOI is a condition.
 */
export async function withinAnswer(asked: ComparedAois, run: ChartRun) {
  const { snapshot, aois, measure, parameters, formulaGuard, samplesMax } = asked
  const items = snapshot.study.items.filter(({ id }) => aois.some(({ itemId }) => itemId === id))
  const tables = new Map<string, Awaited<ReturnType<typeof tableOf>>>()
  const groups = { measure, kind: 'mann-whitney' as const, groups: [], samplesMax }
  for (const item of items) {
    const subject = { snapshot, item, participantIndex: null, parameters, formulaGuard }
    tables.set(item.id, await tableOf(subject, '', groups, run))
  }
  const ofAois = aois.map(({ id, itemId }) => valuesIn(tables.get(itemId)!, id))
  const { participantIds, values } = completeOf(ofAois)
  const task: WithinTask = { conditions: values }
  const { friedman, comparisons } = (await run.pool.computeBy(COMPARE_THREAD, 'compareConditions', task)) as {
    friedman: { statistic: number; df: number; p: number; kendallsW: number } | null
    comparisons: PairedComparison[]
  }
  run.signal.throwIfAborted()
  return {
    measure: measure.column,
    seed: SEED,
    items: items.map(({ id }: Item) => ({ itemId: id, ...tables.get(id)!.head })),
    aoiIds: aois.map(({ id }) => id),
    participantIds,
    /** Counts the participants with a value in some AOIs, but not in all. */
    incompleteParticipants: new Set(ofAois.flatMap((own) => own.participantIds)).size - participantIds.length,
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
