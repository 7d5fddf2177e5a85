import { tagsOf } from '../../exports/columns/aoi-identity.ts'
import type { Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { knownOrNull } from '../../text/cells.ts'
import { describe } from '../statistics/descriptive.ts'
import type { ChartRun } from './answer-chart.ts'
import { readChartTable } from './table-answer.ts'

/** Columns of `aoi-tags-stats` that are summarized. */
const TAG_MEASURES = [
  'tag_dwell_per_test_ms',
  'tag_fixations_per_test',
  'tag_hit_percents',
  'tag_ttff_ms',
  'tag_first_fixation_duration_ms',
  'tag_revisits',
] as const

const WHERE = ['participant_id', 'aoi_tag', 'tag_test_count'] as const

/**
 * Summarizes each tag of AOIs over participants, with the AOIs that have it.
 *
 * @param plan of `aoi-tags-stats`
 * @throws ServiceError invalid_param for too many tests
 */
export async function tagsAnswer(plan: Plan, snapshot: Snapshot, samplesMax: number, run: ChartRun) {
  const plain = { ...plan, formulaGuard: false }
  const asked = { samplesMax, run }
  const { head, textsOf, numbersOf } = await readChartTable(plain, snapshot, [...WHERE, ...TAG_MEASURES], asked)
  const [people, tags, tests] = [textsOf('participant_id'), textsOf('aoi_tag'), numbersOf('tag_test_count')]
  const values = TAG_MEASURES.map(numbersOf)
  const { aois } = snapshot.study
  return {
    ...head,
    measures: [...TAG_MEASURES],
    tags: tagsOf(aois).map((tag) => {
      const own = tags.flatMap((each, i) => (each === tag ? i : []))
      const having = aois.filter((aoi) => aoi.tags?.includes(tag))
      return {
        tag,
        aoiCount: having.length,
        itemCount: new Set(having.map(({ itemId }) => itemId)).size,
        participantCount: own.length,
        testCount: own.reduce((sum, i) => sum + tests[i], 0),
        participantIds: own.map((i) => people[i]),
        values: values.map((column) => own.map((i) => knownOrNull(column[i]))),
        described: values.map((column) => describe(own.map((i) => column[i]).filter((value) => !Number.isNaN(value)))),
      }
    }),
  }
}
