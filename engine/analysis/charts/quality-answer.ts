import { studyFacts } from '../../exports/columns/study-facts.ts'
import { eyeMeasureNames } from '../../exports/tables/quality-stats.ts'
import type { Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { knownOrNull } from '../../text/cells.ts'
import { describeMeasures, describeParticipants, meansBy, QUALITY_MEASURES } from '../statistics/quality.ts'
import type { ChartRun } from './answer-chart.ts'
import { readChartTable } from './table-answer.ts'

const TEST_COLUMNS = ['participant_id', 'item_id', 'test_id', 'test_item_display_order', 'valid_sample_count'] as const
const BIN_COLUMNS = ['bin_starts_at_ms', 'bin_gaze_count', 'bin_trackloss_count'] as const

/**
 * Returns quality measures of tests with the values of the CSV, their summary over tests and for each participant, and
 * the loss by the order in which items were shown.
 *
 * @param plan of `quality-stats`
 * @throws ServiceError invalid_param for too many tests
 */
export async function qualityAnswer(plan: Plan, snapshot: Snapshot, samplesMax: number, run: ChartRun) {
  const measured = [...QUALITY_MEASURES, ...eyeMeasureNames(studyFacts(snapshot))]
  const { head, textsOf, numbersOf } = await readChartTable(plan, snapshot, [...TEST_COLUMNS, ...measured], {
    samplesMax,
    run,
  })
  const [participantIds, itemIds, testIds] = [textsOf('participant_id'), textsOf('item_id'), textsOf('test_id')]
  const [orders, valid] = [numbersOf('test_item_display_order'), numbersOf('valid_sample_count')]
  const values = measured.map(numbersOf)
  const described = describeMeasures(values)
  return {
    ...head,
    measures: measured.map((column, m) => ({ column, ...described[m] })),
    participants: describeParticipants(participantIds, values),
    lossByOrder: meansBy(orders, values[QUALITY_MEASURES.indexOf('data_loss_percents')]),
    tests: testIds.map((testId, i) => ({
      testId,
      participantId: participantIds[i],
      itemId: itemIds[i],
      order: knownOrNull(orders[i]),
      validSamples: valid[i],
      values: values.map((own) => knownOrNull(own[i])),
    })),
  }
}

/**
 * Returns the data loss over time: for each bin, the mean over tests of the share of times without gaze.
 *
 * @param plan of `gazes-aois-binned`
 * @throws ServiceError invalid_param for too many tests
 */
export async function lossAnswer(plan: Plan, snapshot: Snapshot, samplesMax: number, run: ChartRun) {
  const { head, numbersOf } = await readChartTable(plan, snapshot, [...BIN_COLUMNS], { samplesMax, run })
  const [starts, gazes, lost] = BIN_COLUMNS.map(numbersOf)
  const percents = lost.map((count, i) => (100 * count) / (count + gazes[i]))
  return { ...head, bins: meansBy(starts, percents) }
}
