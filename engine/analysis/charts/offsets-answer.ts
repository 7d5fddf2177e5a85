import { groupBy } from '../../../isomorphic/group-by.ts'
import { type Disparities, type SuggestedOffset, suggestOffset } from '../../compute/disparities.ts'
import { settingsNotes } from '../../exports/columns/notes.ts'
import { type Plan, withoutOffsets } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { selectPlanned } from '../../run/estimate.ts'
import { printedEach } from '../../text/cells.ts'
import type { ChartRun } from './answer-chart.ts'
import type { OffsetsPart } from './offset-chart.ts'
import { runChart } from './run-chart.ts'
import { refuseMany } from './table-answer.ts'

/** Smallest number of clicks, and of targets, that suggests an offset. */
const CLICKS_MIN = 5
const TARGETS_MIN = 3

/**
 * Suggests offsets from the recorded gaze of the chosen eye: for each participant from validations and from clicks, and
 * for each test from its clicks. Ignores the offsets of the analysis, since a suggestion would replace them.
 *
 * @param plan of `quality-stats`
 * @throws ServiceError invalid_param for too many samples
 */
export async function offsetsAnswer(plan: Plan, snapshot: Snapshot, samplesMax: number, run: ChartRun) {
  const asRecorded = withoutOffsets(plan)
  const tests = await selectPlanned(asRecorded, snapshot, run.signal)
  refuseMany(asRecorded, tests, samplesMax)
  const request = { kind: 'offsets' } as const
  const { part } = await runChart<OffsetsPart>({ request, plan: asRecorded, snapshot, tests, ...run })
  const clicks = clicksByParticipant(part)
  return {
    notes: settingsNotes(asRecorded),
    clicksMin: CLICKS_MIN,
    targetsMin: TARGETS_MIN,
    participants: [...part.participants].map(([participantId, targets]) => ({
      participantId,
      validations: printed(suggestOffset(targets, TARGETS_MIN)),
      clicks: printed(suggestOffset(clicks.get(participantId) ?? NO_CLICKS, CLICKS_MIN)),
    })),
    tests: part.tests.map(({ testId, itemId, participantId, ...clicks }) => ({
      testId,
      itemId,
      participantId,
      clicks: printed(suggestOffset(clicks, CLICKS_MIN)),
    })),
  }
}

const NO_CLICKS: Disparities = { dx: new Float64Array(), dy: new Float64Array() }

/** Returns the disparities of all clicks of each participant who clicked. */
function clicksByParticipant({ tests }: OffsetsPart): Map<string, Disparities> {
  const testsOf = groupBy(tests, ({ participantId }) => participantId)
  const all = (own: OffsetsPart['tests'], axis: 'dx' | 'dy') =>
    Float64Array.from(own.flatMap((test) => Array.from(test[axis])))
  return new Map([...testsOf].map(([id, own]) => [id, { dx: all(own, 'dx'), dy: all(own, 'dy') }]))
}

function printed({ count, ...px }: SuggestedOffset): SuggestedOffset {
  return { count, ...printedEach(px) }
}
